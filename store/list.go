package store

import (
	"context"
	"encoding/json"
	"fmt"
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
	sel := selectionOf(q)
	beyond, direction := "<", "DESC"
	switch q.Order {
	case review.ByNewest:
	case review.ByOldest:
		beyond, direction = ">", "ASC"
	default:
		return nil, fmt.Errorf("there is no order %s of proposals", jsondoc.Quote(string(q.Order)))
	}
	if q.After != "" {
		var seq int64
		err := s.row(ctx, "SELECT seq FROM proposals WHERE id = ?", []any{q.After}, &seq)
		if err != nil {
			return nil, missing(err, "page after %s", jsondoc.Quote(q.After))
		}
		sel.add("p.seq "+beyond+" ?", seq)
	}
	if q.Filter != "" {
		if err := s.filter(ctx, &sel, q.Filter); err != nil {
			return nil, err
		}
	}
	return all(ctx, s, scanProposal, sel.query(proposalColumns)+" ORDER BY "+sel.seq+" "+direction+" LIMIT ?", append(sel.args, limit)...)
}

// selection is the beginning of a query for proposals.
type selection struct {
	from  string // what is joined before the live registry, "proposals p" among it
	seq   string // the column that pages are ordered by
	where []string
	args  []any
}

func (s *selection) add(condition string, values ...any) {
	s.where, s.args = append(s.where, condition), append(s.args, values...)
}

// query returns the query for columns of p, proposals, and l, what is live of
// their subjects.
func (s *selection) query(columns string) string {
	query := "SELECT " + columns + " FROM " + s.from + " LEFT JOIN live l ON l.subject = p.subject"
	if len(s.where) > 0 {
		query += " WHERE " + strings.Join(s.where, " AND ")
	}
	return query
}

// selectionOf turns all of a query but its filter, its order and where it begins
// into conditions, each of which has an index that ends in seq.
func selectionOf(q review.Query) selection {
	sel := selection{from: "proposals p", seq: "p.seq"}
	if q.State != "" {
		sel.add("p.state = ?", q.State)
	}
	switch {
	case q.Author == "":
	case strings.HasSuffix(q.Author, ":"):
		sel.add("substr(p.author, 1, instr(p.author, ':')) = ?", q.Author) // as the index has it
	default:
		sel.add("p.author = ?", q.Author)
	}
	if q.Subject != "" {
		sel.add("p.subject = ?", q.Subject)
	}
	return sel
}

func scanID(row scanner) (proposals.ID, error) {
	var id proposals.ID
	err := row.Scan(&id)
	return id, err
}

// uniquePrefixes returns for each proposal the length in characters from which
// a prefix of its id names no other: one more than what it shares with its
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
	err = s.each(ctx, `SELECT j.key,
			coalesce((SELECT id FROM proposals WHERE id < j.value ORDER BY id DESC LIMIT 1), ''),
			coalesce((SELECT id FROM proposals WHERE id > j.value ORDER BY id LIMIT 1), '')
		FROM json_each(?) j`, []any{string(list)}, func(row scanner) error {
		var i int
		var before, after string
		if err := row.Scan(&i, &before, &after); err != nil {
			return err
		}
		lengths[i] = max(common(string(ids[i]), before), common(string(ids[i]), after)) + 1
		return nil
	})
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
