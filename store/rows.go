package store

import (
	"context"
	"strings"
)

// rowsAtOnce sets how many rows one statement adds. Rows that are added together
// share what the engine does for a statement, and each is still met by every
// trigger and constraint. There are few sizes, so that few statements are kept.
func rowsAtOnce() []int { return []int{64, 8, 1} }

// insertRows adds rows to a table; values are those of the columns, row after
// row.
func (s *session) insertRows(ctx context.Context, table, columns string, values []any) error {
	width := strings.Count(columns, ",") + 1
	for _, size := range rowsAtOnce() {
		for ; len(values) >= size*width; values = values[size*width:] {
			if _, err := s.Exec(ctx, insertStatement(table, columns, width, size), values[:size*width]...); err != nil {
				return err
			}
		}
	}
	return nil
}

// next returns the number that the next row of a table gets.
func (s *session) next(ctx context.Context, table string) (seq int64, err error) {
	err = s.Row(ctx, "SELECT coalesce(max(seq), 0) + 1 FROM "+table, nil, &seq)
	return seq, err
}

// ends are the last rows of what an approval appends to. Each transaction reads them
// in one statement, and its own appends move them.
type ends struct {
	versions, decisions int64
	event               int64
	hash                string // of the event
	signers             string // hash of the event of the last state of the signers, "" for none
}

// tails returns the ends of the transaction.
func (s *session) tails(ctx context.Context) (*ends, error) {
	if s.ends != nil {
		return s.ends, nil
	}
	var e ends
	err := s.Row(ctx, `SELECT coalesce((SELECT max(seq) FROM versions), 0), coalesce((SELECT max(seq) FROM decisions), 0),
		coalesce((SELECT max(seq) FROM events), 0), coalesce((SELECT hash FROM events ORDER BY seq DESC LIMIT 1), ''), coalesce((`+lastSigners+`), '')`,
		nil, &e.versions, &e.decisions, &e.event, &e.hash, &e.signers)
	if err != nil {
		return nil, err
	}
	s.ends = &e
	return s.ends, nil
}

func insertStatement(table, columns string, width, rows int) string {
	query := "INSERT INTO " + table + " (" + columns + ") VALUES "
	for row := range rows {
		if row > 0 {
			query += ", "
		}
		query += "(" + placeholders(1+row*width, width) + ")"
	}
	return query
}
