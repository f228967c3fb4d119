package store

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"toolcrib/proposals"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
)

// key is what an order other than that of time sorts by; seq tells rows apart
// that have it alike.
type key struct {
	column    string
	direction string // "ASC" or "DESC", of both
	beyond    string // how a row compares with one before it
	index     string // of (state, column), which ends in seq
}

func keyOf(o review.Order) (key, bool) {
	switch o {
	case review.ByRisk:
		return key{"risk", "DESC", "<", "proposals_by_risk"}, true
	case review.BySubject:
		return key{"subject", "ASC", ">", "proposals_by_state_subject"}, true
	case review.ByAuthor:
		return key{"author", "ASC", ">", "proposals_by_state_author"}, true
	case review.ByNewest, review.ByOldest:
	}
	return key{}, false
}

// cursorMark stands between a risk and an id in a cursor. A risk changes with
// every assessment, so where a page ended is more than the proposal it ended with.
const cursorMark = "~"

// cursor returns what continues a list behind a proposal.
func (s *session) cursor(ctx context.Context, o review.Order, id proposals.ID) (string, error) {
	if o != review.ByRisk {
		return string(id), nil
	}
	var risk int64
	err := s.row(ctx, "SELECT risk FROM proposals WHERE id = ?", []any{id}, &risk)
	return strconv.FormatInt(risk, 10) + cursorMark + string(id), err
}

// place reads a cursor: the key of the row that a page comes after, and its seq.
func (s *session) place(ctx context.Context, k key, cursor string) (value any, seq int64, err error) {
	risk, id, marked := strings.Cut(cursor, cursorMark)
	if !marked {
		id = cursor
	}
	err = s.row(ctx, "SELECT "+k.column+", seq FROM proposals WHERE id = ?", []any{id}, &value, &seq)
	if err == nil && marked {
		value, err = strconv.ParseInt(risk, 10, 64)
		if err != nil || k.column != "risk" {
			return nil, 0, notFound("page after %s", jsondoc.Quote(cursor))
		}
	}
	return value, seq, missing(err, "page after %s", jsondoc.Quote(cursor))
}

// listByKey reads a page in an order that has a key. A few rows are sorted; more
// are walked in the order of an index, which has them sorted already.
func (s *session) listByKey(ctx context.Context, q review.Query, limit int) ([]proposals.Proposal, error) {
	k, _ := keyOf(q.Order)
	sel := selectionOf(q)
	if q.Author == "" && q.Subject == "" && q.Filter == "" {
		return s.walk(ctx, q, k, sel, limit)
	}
	narrow := selectionOf(q)
	if q.Filter != "" {
		if err := s.filter(ctx, &narrow, q.Filter); err != nil {
			return nil, err
		}
		if countSpellings(q.Filter) > maxSpellings {
			return s.sortRows(ctx, q, k, narrow, -1, limit) // no row can be asked by itself
		}
	}
	n, err := s.countFew(ctx, narrow.query("1"), narrow.args)
	if err != nil {
		return nil, err
	}
	if n <= few {
		return s.sortRows(ctx, q, k, narrow, few, limit)
	}
	if q.Filter != "" {
		sel.eachRow(q.Filter)
	}
	return s.walk(ctx, q, k, sel, limit)
}

// sortRows finds what was selected, at most so many rows, -1 for all, sorts it and
// returns what stands behind the cursor.
func (s *session) sortRows(ctx context.Context, q review.Query, k key, sel selection, most, limit int) ([]proposals.Proposal, error) {
	sorted := selection{from: "(" + sel.bare("p.seq AS seq") + " LIMIT ?) found CROSS JOIN proposals p ON p.seq = found.seq", args: append(sel.args, most)}
	if q.After != "" {
		value, seq, err := s.place(ctx, k, q.After)
		if err != nil {
			return nil, err
		}
		sorted.add("(p."+k.column+", p.seq) "+k.beyond+" (?, ?)", value, seq)
	}
	return all(ctx, s, scanProposal, sorted.query(proposalColumns)+k.orderBy("p."+k.column, "p.seq")+" LIMIT ?", append(sorted.args, limit)...)
}

// walk reads a selection in the order of an index, which has the rows of each
// state in order: what is read of each is merged. Behind a cursor stand first the
// rows with the same key, then the others, and an index can only be entered at
// one of both.
func (s *session) walk(ctx context.Context, q review.Query, k key, sel selection, limit int) ([]proposals.Proposal, error) {
	sel.from += " INDEXED BY " + k.index
	parts := []selection{sel}
	if q.After != "" {
		value, seq, err := s.place(ctx, k, q.After)
		if err != nil {
			return nil, err
		}
		same := sel.with("p."+k.column+" = ?", value)
		parts = []selection{same.with("p.seq "+k.beyond+" ?", seq), sel.with("p."+k.column+" "+k.beyond+" ?", value)}
	}
	states := proposals.States()
	if q.State != "" {
		states = []proposals.State{q.State}
	}
	var queries []string
	var args []any
	for _, state := range states {
		for _, part := range parts {
			if q.State == "" {
				part = part.with("p.state = ?", state)
			}
			queries, args = append(queries, part.bare("p.seq AS seq, p."+k.column+" AS k")), append(args, part.args...)
		}
	}
	merged := strings.Join(queries, " UNION ALL ") + k.orderBy("k", "seq") + " LIMIT ?"
	found := selection{from: "(" + merged + ") found CROSS JOIN proposals p ON p.seq = found.seq", args: append(args, limit)}
	return all(ctx, s, scanProposal, found.query(proposalColumns)+k.orderBy("found.k", "found.seq"), found.args...)
}

func (k key) orderBy(column, seq string) string {
	return fmt.Sprintf(" ORDER BY %s %s, %s %s", column, k.direction, seq, k.direction)
}

// with returns the selection with one more condition.
func (s *selection) with(condition string, value any) selection {
	more := *s
	more.where, more.args = append(slices.Clip(s.where), condition), append(slices.Clip(s.args), value)
	return more
}

// bare returns the query without what is live of the subjects.
func (s *selection) bare(columns string) string {
	return "SELECT " + columns + " FROM " + s.from + " WHERE " + strings.Join(s.where, " AND ")
}
