package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"toolcrib/proposals"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
)

// List implements review.ProposalReader. A page is found by key, never by
// offset, so page 1,000 costs what page 1 costs, in every order.
func (s *session) List(ctx context.Context, q review.Query) (review.Page, error) {
	limit := q.Limit
	if limit <= 0 {
		limit = review.DefaultPage
	}
	limit = min(limit, review.MaxPage)
	read := s.listByTime
	if _, ok := keyOf(q.Order); ok {
		read = s.listByKey
	}
	found, err := read(ctx, q, limit+1)
	if err != nil {
		return review.Page{}, err
	}
	page := review.Page{Proposals: found}
	if len(found) > limit {
		page.Proposals = found[:limit]
		if page.Next, err = s.cursor(ctx, q.Order, found[limit-1].ID); err != nil {
			return review.Page{}, err
		}
	}
	page.Prefixes, err = s.uniquePrefixes(ctx, page.Proposals)
	return page, err
}

// listByTime reads a page in the order of time.
func (s *session) listByTime(ctx context.Context, q review.Query, limit int) ([]proposals.Proposal, error) {
	terms, waits, err := termsOf(q)
	if err != nil {
		return nil, err
	}
	sel, err := s.selectTerms(ctx, terms)
	if err != nil {
		return nil, err
	}
	sel = sel.with(waits)
	k := key{direction: "DESC", beyond: "<"}
	switch q.Order {
	case review.ByNewest:
	case review.ByOldest:
		k = k.reversed()
	default:
		return nil, fmt.Errorf("there is no order %s of proposals", jsondoc.Quote(string(q.Order)))
	}
	if q.Reverse {
		k = k.reversed()
	}
	if q.After != "" {
		var seq int64
		err := s.Row(ctx, "SELECT seq FROM proposals WHERE id = $1", []any{q.After}, &seq)
		if err != nil {
			return nil, missing(err, "page after %s", jsondoc.Quote(q.After))
		}
		sel.add(sel.seq+" "+k.beyond+" ?", seq)
	}
	return s.listed(ctx, sel.query(proposalColumns)+" ORDER BY "+sel.seq+" "+k.direction+" LIMIT ?", append(sel.args, limit), q)
}

// listed reads proposals. There is no end to the statements that filters make, so
// none of those is kept.
func (s *session) listed(ctx context.Context, query string, args []any, q review.Query) ([]proposals.Proposal, error) {
	query = numbered(query)
	if q.Filter == "" {
		return all(ctx, s, scanProposal, query, args...)
	}
	var found []proposals.Proposal
	err := s.Once(ctx, query, args, func(row scanner) error {
		p, err := scanProposal(row)
		found = append(found, p)
		return err
	})
	return found, err
}

// selection is the beginning of a query for proposals.
type selection struct {
	from  string // the tables joined before the live registry, "proposals p" among them
	seq   string // the column that pages are ordered by
	where []string
	args  []any
}

func (s *selection) add(condition string, values ...any) {
	s.where, s.args = append(s.where, condition), append(s.args, values...)
}

// with returns the selection with one more condition, which may be none.
func (s selection) with(c clause) selection {
	more := s
	if c.SQL != "" {
		more.where, more.args = append(slices.Clip(s.where), c.SQL), append(slices.Clip(s.args), c.Args...)
	}
	return more
}

// query returns the query for columns of p, proposals, and l, the live versions of
// their subjects.
func (s selection) query(columns string) string {
	query := "SELECT " + columns + " FROM " + s.from + " LEFT JOIN live l ON l.subject = p.subject"
	if len(s.where) > 0 {
		query += " WHERE " + strings.Join(s.where, " AND ")
	}
	return query
}

// uniquePrefixes returns for each proposal the length in characters from which a
// prefix of its id names no other: one more than the prefix shared with its
// neighbours in the index.
func (s *session) uniquePrefixes(ctx context.Context, page []proposals.Proposal) ([]int, error) {
	lengths := make([]int, len(page))
	ids := make([]proposals.ID, len(page))
	for i := range page {
		ids[i] = page[i].ID
	}
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	unique := make(map[proposals.ID]int, len(ids))
	err = s.Each(ctx, `SELECT j.value,
			coalesce((SELECT id FROM proposals WHERE id < j.value ORDER BY id DESC LIMIT 1), ''),
			coalesce((SELECT id FROM proposals WHERE id > j.value ORDER BY id LIMIT 1), '')
		FROM json_each($1, '$') j`, []any{string(list)}, func(row scanner) error {
		var id proposals.ID
		var before, after string
		if err := row.Scan(&id, &before, &after); err != nil {
			return err
		}
		unique[id] = max(common(string(id), before), common(string(id), after)) + 1
		return nil
	})
	for i, id := range ids {
		lengths[i] = unique[id]
	}
	return lengths, err
}

// common counts the characters that two ids begin with alike.
func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// Counts implements review.ProposalReader. The counters are kept with every
// write, so no proposal is read.
func (s *session) Counts(ctx context.Context) (map[proposals.State]int, error) {
	counts := map[proposals.State]int{}
	err := s.Each(ctx, "SELECT state, n FROM counters", nil, func(row scanner) error {
		var state proposals.State
		var n int
		err := row.Scan(&state, &n)
		counts[state] = n
		return err
	})
	return counts, err
}
