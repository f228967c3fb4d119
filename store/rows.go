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
			if _, err := s.exec(ctx, insertStatement(table, columns, width, size), values[:size*width]...); err != nil {
				return err
			}
		}
	}
	return nil
}

// next returns the number that the next row of a table gets.
func (s *session) next(ctx context.Context, table string) (seq int64, err error) {
	err = s.row(ctx, "SELECT coalesce(max(seq), 0) + 1 FROM "+table, nil, &seq)
	return seq, err
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
