// This file reads and writes rows, and defines the errors for missing, changed, and unreadable rows.

package table

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"toolcrib/proposals"
	"toolcrib/registry/jsondoc"
	"toolcrib/store/engine"
)

// execer is implemented by *session.Session and by types that embed it.
type execer interface {
	querier
	Exec(ctx context.Context, query string, args ...any) (int64, error)
	Row(ctx context.Context, query string, args []any, dest ...any) error
}

// InsertRows inserts rows into a table. The argument values contains the values of all rows, row by row. InsertRows
// inserts several rows with the same statement to reduce overhead; triggers and constraints still apply to each row.
// Each statement inserts 16, 4, or 1 rows. More sizes would fill the cache of prepared statements. More rows for each
// statement would be slower, because SQLite looks up the name of each parameter among all parameters of the statement.
func InsertRows(ctx context.Context, s execer, table, columns string, values []any) error {
	width := strings.Count(columns, ",") + 1
	for _, size := range []int{16, 4, 1} {
		for ; len(values) >= size*width; values = values[size*width:] {
			if _, err := s.Exec(ctx, insertStatement(table, columns, width, size), values[:size*width]...); err != nil {
				return err
			}
		}
	}
	return nil
}

// Next returns the sequence number for the next row of a table.
func Next(ctx context.Context, s execer, table string) (seq int64, err error) {
	err = s.Row(ctx, "SELECT coalesce(max(seq), 0) + 1 FROM "+table, nil, &seq)
	return seq, err
}

func insertStatement(table, columns string, width, rows int) string {
	query := "INSERT INTO " + table + " (" + columns + ") VALUES "
	for row := range rows {
		if row > 0 {
			query += ", "
		}
		query += "(" + engine.Placeholders(1+row*width, width) + ")"
	}
	return query
}

// Update sets columns in the rows that satisfy condition, and returns the number of these rows. The condition has a "?"
// for each element of args.
func Update(ctx context.Context, s execer, name string, set Columns, condition string, args ...any) (int64, error) {
	values, err := set.Values()
	if err != nil {
		return 0, err
	}
	return s.Exec(ctx, engine.Numbered("UPDATE "+name+" SET "+set.each("", " = ?, ")+" = ? WHERE "+condition), append(values, args...)...)
}

// Into parses text and assigns the result to dst.
func Into[T any](dst *T, parse func(string) (T, error), text string) error {
	v, err := parse(text)
	if err != nil {
		return unreadable{text, err}
	}
	*dst = v
	return nil
}

// unreadable is the error for a stored text that cannot be parsed. Its message contains only the start of the text and
// the start of err, because both can be megabytes long.
type unreadable struct {
	text string
	err  error
}

func (u unreadable) Error() string {
	return fmt.Sprintf("%v: cannot parse the stored value %s: %s", engine.ErrDamaged, jsondoc.Quote(u.text), jsondoc.Printable(u.err.Error()))
}

func (u unreadable) Unwrap() []error { return []error{engine.ErrDamaged, u.err} }

// NotFound returns an error that wraps proposals.ErrNotFound. The format and args describe the missing object.
func NotFound(format string, args ...any) error {
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), proposals.ErrNotFound)
}

// Scanner scans the columns of a row.
type Scanner = engine.Scanner

// querier is implemented by *session.Session and by types that embed it.
type querier interface {
	Each(ctx context.Context, query string, args []any, fn func(Scanner) error) error
}

// All runs a query, scans each row with scan, and returns the results.
func All[T any](ctx context.Context, s querier, scan func(Scanner) (T, error), query string, args ...any) ([]T, error) {
	var out []T
	err := s.Each(ctx, query, args, func(row Scanner) error {
		v, err := scan(row)
		if err != nil {
			return err
		}
		out = append(out, v)
		return nil
	})
	return out, err
}

// ScanValue scans the value of a row that has a single column.
func ScanValue[T any](row Scanner) (v T, err error) {
	err = row.Scan(&v)
	return v, err
}

// First returns the first element of list. If err is nil and list is empty, it returns an error that wraps
// proposals.ErrNotFound; the format and args describe the missing object.
func First[T any](list []T, err error, format string, args ...any) (T, error) {
	if err == nil && len(list) == 0 {
		err = NotFound(format, args...)
	}
	if err != nil {
		var none T
		return none, err
	}
	return list[0], nil
}

// Missing converts sql.ErrNoRows to an error that wraps proposals.ErrNotFound. The format and args describe the missing
// object. Missing returns other errors unchanged.
func Missing(err error, format string, args ...any) error {
	if errors.Is(err, sql.ErrNoRows) {
		return NotFound(format, args...)
	}
	return err
}

// ChangedOne checks that a compare-and-swap changed exactly one row. It returns an error if n, the number of changed
// rows, is not 1.
func ChangedOne(n int64, err error, what string) error {
	switch {
	case err != nil:
		return err
	case n != 1:
		return fmt.Errorf("%s: %w: another process made a change first; check the current state, then try again", what, proposals.ErrConflict)
	}
	return nil
}
