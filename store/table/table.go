// This file describes tables and their seals.

package table

import (
	"context"
	"fmt"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/store/engine"
)

// Description contains the properties of a table that do not depend on the type of its rows.
type Description struct {
	Name string
	Seal string // format name that the seals cover if rows are sealed, or ""
}

// Table describes a table with rows of the type T. Statements, scan functions, and seals are derived from its
// columns.
type Table[T any] struct {
	Description
	describe func(*T) Columns
	names    string
}

// Of returns the description of a table with rows that are not sealed.
func Of[T any](name string, describe func(*T) Columns) Table[T] {
	return Sealed(name, "", describe)
}

// Sealed returns the description of a table of append-only records. Each row has a seal, which is a hash of the
// format name and the columns in their order.
func Sealed[T any](name, format string, describe func(*T) Columns) Table[T] {
	t := Table[T]{Description: Description{Name: name, Seal: format}, describe: describe}
	t.names = t.Columns(new(T)).Names()
	return t
}

// Plain returns the columns of the row *v without the seal.
func (t Table[T]) Plain(v *T) Columns { return t.describe(v) }

// Columns returns the columns of the row *v, including the seal if rows are sealed. Reading a row verifies its seal,
// so a modified record is always rejected.
func (t Table[T]) Columns(v *T) Columns {
	c := t.describe(v)
	if t.Seal == "" {
		return c
	}
	return append(c, Col("seal", &storedSeal{table: t.Description, of: c[:len(c):len(c)]}))
}

// Select returns a query for all columns. It appends conditions after the name of the table.
func (t Table[T]) Select(conditions string) string {
	return "SELECT " + t.names + " FROM " + t.Name + " " + conditions
}

// All returns the rows that the query of Select returns.
func (t Table[T]) All(ctx context.Context, s querier, conditions string, args ...any) ([]T, error) {
	return All(ctx, s, Reading(t.Columns), t.Select(conditions), args...)
}

// Append appends a record and returns its seal.
func (t Table[T]) Append(ctx context.Context, s execer, v T) (string, error) {
	seq, err := Next(ctx, s, t.Name)
	if err != nil {
		return "", err
	}
	seals, err := t.AppendAll(ctx, s, seq, []T{v})
	if err != nil {
		return "", err
	}
	return seals[0], nil
}

// AppendAll appends records with sequence numbers from seq on, and returns their seals. Integers are passed as text,
// which SQLite and PostgreSQL convert.
func (t Table[T]) AppendAll(ctx context.Context, s execer, seq int64, rows []T) ([]string, error) {
	seals := make([]string, len(rows))
	var values []any
	for i := range rows {
		columns := t.describe(&rows[i])
		fields, err := columns.Texts()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.Name, err)
		}
		sealed := []string{t.Seal}
		for i, f := range fields {
			sealed = columns[i].seal(sealed, f)
		}
		seals[i] = history.Seal(sealed...)
		values = append(append(append(values, seq+int64(i)), engine.Args(fields)...), seals[i])
	}
	if err := InsertRows(ctx, s, t.Name, "seq, "+t.names, values); err != nil {
		return nil, fmt.Errorf("%s: %w", t.Name, err)
	}
	return seals, nil
}

// seal appends text, which is the value of c, to the list of values that a seal covers. It omits an empty value of a
// column that was created with Later.
func (c Column) seal(fields []string, text string) []string {
	if c.later && text == "" {
		return fields
	}
	return append(fields, text)
}

// storedSeal is the Textual of a seal. Its parse method verifies the seal against the columns that the seal covers.
type storedSeal struct {
	table   Description
	of      Columns
	scanned string
}

func (s *storedSeal) format() (string, error) { return s.scanned, nil } //nolint:unparam // implements Textual

func (s *storedSeal) kind() engine.Kind { return engine.Text }

// Scan implements sql.Scanner.
func (s *storedSeal) Scan(value any) (err error) {
	s.scanned, err = Text(value)
	return err
}

func (s *storedSeal) parse() error {
	fields := []string{s.table.Seal}
	for _, one := range s.of {
		text, err := one.stored()
		if err != nil {
			return err
		}
		fields = one.seal(fields, text)
	}
	if history.Seal(fields...) != s.scanned {
		return fmt.Errorf("a row of %s: %w: the row does not match its seal; run toolcrib verify", s.table.Name, proposals.ErrTampered)
	}
	return nil
}
