package table

import (
	"context"
	"fmt"

	"toolcrib/history"
	"toolcrib/proposals"
)

// Records is a table of sealed rows: its columns in the order in which the
// seal covers them, after the format's name.
type Records struct {
	Table, Format string
	Columns       string
}

// RecordsOf returns the kind of the records of a T.
func RecordsOf[T any](table, format string, describe func(*T) Columns) Records {
	return Records{table, format, describe(new(T)).Names()}
}

// Selection returns the query for all columns and the seal, with the conditions that
// follow the table.
func (k Records) Selection(conditions string) string {
	return "SELECT " + k.Columns + ", seal FROM " + k.Table + " " + conditions
}

// Append appends a sealed row and returns the seal.
func Append(ctx context.Context, s execer, k Records, row Columns) (string, error) {
	seq, err := Next(ctx, s, k.Table)
	if err != nil {
		return "", err
	}
	seals, err := AppendAll(ctx, s, k, seq, []Columns{row})
	if err != nil {
		return "", err
	}
	return seals[0], nil
}

// AppendAll appends sealed rows, numbered from seq, and returns their seals. STRICT
// tables turn the digits of integer columns into integers.
func AppendAll(ctx context.Context, s execer, k Records, seq int64, rows []Columns) ([]string, error) {
	seals := make([]string, len(rows))
	var values []any
	for i, row := range rows {
		fields, err := row.Texts()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k.Table, err)
		}
		seals[i] = history.Seal(append([]string{k.Format}, fields...)...)
		values = append(values, seq+int64(i))
		for _, f := range fields {
			values = append(values, f)
		}
		values = append(values, seals[i])
	}
	if err := InsertRows(ctx, s, k.Table, "seq, "+k.Columns+", seal", values); err != nil {
		return nil, fmt.Errorf("%s: %w", k.Table, err)
	}
	return seals, nil
}

// Sealed returns the columns of a row with its seal, which has to match what was read of
// them: a record that was edited by hand is refused wherever it is read.
func (k Records) Sealed(c Columns) Columns {
	return append(c, Col("seal", &storedSeal{kind: k, of: c[:len(c):len(c)]}))
}

// storedSeal compares the seal of a row with the columns that it covers.
type storedSeal struct {
	kind    Records
	of      Columns
	scanned string
}

func (s *storedSeal) format() (string, error) { return s.scanned, nil } //nolint:unparam // implements textual

func (s *storedSeal) zero() string { return "''" }

// Scan implements sql.Scanner.
func (s *storedSeal) Scan(value any) (err error) {
	s.scanned, err = Text(value)
	return err
}

func (s *storedSeal) parse() error {
	fields := []string{s.kind.Format}
	for _, one := range s.of {
		text, err := one.stored()
		if err != nil {
			return err
		}
		fields = append(fields, text)
	}
	if history.Seal(fields...) != s.scanned {
		return fmt.Errorf("a row of %s: %w: it does not match its seal; run toolcrib verify", s.kind.Table, proposals.ErrTampered)
	}
	return nil
}
