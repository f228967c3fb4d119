package store

import (
	"context"
	"fmt"

	"toolcrib/history"
	"toolcrib/proposals"
)

// recordKind is a table of sealed rows: its columns in the order in which the
// seal covers them, after the format's name.
type recordKind struct {
	table, format string
	columns       string
}

// recordsOf returns the kind of the records of a T.
func recordsOf[T any](table, format string, describe func(*T) columns) recordKind {
	return recordKind{table, format, describe(new(T)).names()}
}

// selection returns the query for all columns and the seal, with the conditions that
// follow the table.
func (k recordKind) selection(conditions string) string {
	return "SELECT " + k.columns + ", seal FROM " + k.table + " " + conditions
}

// record appends a sealed row and returns the seal.
func record(ctx context.Context, s execer, k recordKind, row columns) (string, error) {
	seq, err := next(ctx, s, k.table)
	if err != nil {
		return "", err
	}
	seals, err := records(ctx, s, k, seq, []columns{row})
	if err != nil {
		return "", err
	}
	return seals[0], nil
}

// records appends sealed rows, numbered from seq, and returns their seals. STRICT
// tables turn the digits of integer columns into integers.
func records(ctx context.Context, s execer, k recordKind, seq int64, rows []columns) ([]string, error) {
	seals := make([]string, len(rows))
	var values []any
	for i, row := range rows {
		fields, err := row.texts()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k.table, err)
		}
		seals[i] = history.Seal(append([]string{k.format}, fields...)...)
		values = append(values, seq+int64(i))
		for _, f := range fields {
			values = append(values, f)
		}
		values = append(values, seals[i])
	}
	if err := insertRows(ctx, s, k.table, "seq, "+k.columns+", seal", values); err != nil {
		return nil, fmt.Errorf("%s: %w", k.table, err)
	}
	return seals, nil
}

// sealed returns the columns of a row with its seal, which has to match what was read of
// them: a record that was edited by hand is refused wherever it is read.
func (k recordKind) sealed(c columns) columns {
	return append(c, col("seal", &storedSeal{kind: k, of: c[:len(c):len(c)]}))
}

// storedSeal compares the seal of a row with the columns that it covers.
type storedSeal struct {
	kind    recordKind
	of      columns
	scanned string
}

func (s *storedSeal) format() (string, error) { return s.scanned, nil } //nolint:unparam // implements textual

func (s *storedSeal) zero() string { return "''" }

// Scan implements sql.Scanner.
func (s *storedSeal) Scan(value any) (err error) {
	s.scanned, err = asText(value)
	return err
}

func (s *storedSeal) parse() error {
	fields := []string{s.kind.format}
	for _, one := range s.of {
		text, err := one.stored()
		if err != nil {
			return err
		}
		fields = append(fields, text)
	}
	if history.Seal(fields...) != s.scanned {
		return fmt.Errorf("a row of %s: %w: it does not match its seal; run toolcrib verify", s.kind.table, proposals.ErrTampered)
	}
	return nil
}
