// This file computes digests that compare tables, and prints a database as SQL.

package transfer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"
	"strings"

	"toolcrib/internal/lists"
	"toolcrib/store/pg"
)

// digest computes a hash of the rows of a table in the order of their keys. Both engines order texts by their
// bytes.
type digest struct {
	terms bool
	rows  int64
	hash  hash.Hash
}

func newDigest(t table) *digest { return &digest{terms: t.terms(), hash: sha256.New()} }

// add adds a row to the digest. The hash covers the type, the length, and the content of each value.
func (d *digest) add(row []any) error {
	d.rows++
	for i, value := range row {
		if text, ok := value.(string); ok && d.terms && i > 0 { // the digest ignores the order and the duplicates of terms
			value = strings.Join(slices.Compact(slices.Sorted(strings.FieldsSeq(text))), " ")
		}
		var err error
		switch v := value.(type) {
		case nil:
			_, err = io.WriteString(d.hash, "n")
		case int64:
			_, err = fmt.Fprintf(d.hash, "i%d,", v)
		case string:
			_, err = fmt.Fprintf(d.hash, "t%d:%s", len(v), v)
		case []byte:
			_, err = fmt.Fprintf(d.hash, "b%d:%s", len(v), v)
		default:
			err = fmt.Errorf("cannot copy a value of type %T", value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// sum returns the number of rows and the hash.
func (d *digest) sum() string { return fmt.Sprintf("%d %x", d.rows, d.hash.Sum(nil)) }

// digestOf reads a table and returns its digest.
func digestOf(ctx context.Context, from reader, t table, columns []string) (*digest, error) {
	d := newDigest(t)
	err := from.rows(ctx, t, columns, d.add)
	return d, err
}

// Print writes SQL statements for a PostgreSQL server. They create the roles and the schema, and insert the rows
// of the new SQLite database at the path seed.
func Print(ctx context.Context, w io.Writer, seed string) (err error) {
	source, err := openFile(ctx, seed)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, source.close()) }()
	print := func(text string) error {
		_, err := io.WriteString(w, text)
		return err
	}
	if err := print("BEGIN;\n"); err != nil {
		return err
	}
	if err := pg.Script(func() error { return printRows(ctx, source, print) }, print); err != nil {
		return err
	}
	return print("COMMIT;\n")
}

// printRows prints an INSERT statement for each row of source.
func printRows(ctx context.Context, source reader, print func(string) error) error {
	for _, t := range tables() {
		switch t.name {
		case "counters", "proposal_rules", "pending_exports", "calls_open", "task_days":
			continue // triggers fill these tables while the statements run
		}
		columns, err := source.columns(ctx, t)
		if err != nil {
			return err
		}
		err = source.rows(ctx, t, columns, func(row []any) error {
			return print("INSERT INTO " + t.name + " (" + quoted(columns) + ") VALUES (" + strings.Join(lists.Map(row, literal), ", ") + ");\n")
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// literal returns the PostgreSQL literal for a value.
func literal(value any) string {
	switch v := value.(type) {
	case nil:
		return "NULL"
	case string:
		return "'" + strings.ReplaceAll(v, "'", "''") + "'"
	case []byte:
		return `'\x` + hex.EncodeToString(v) + "'"
	}
	return fmt.Sprint(value)
}
