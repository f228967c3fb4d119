package transfer

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

	"toolcrib/store/pg"
)

// Print writes the statements that create the roles and the schema on a PostgreSQL
// server, with the content of seed, a new SQLite database.
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

// derived are the tables that triggers fill while the statements of Print run.
func derived(t table) bool {
	switch t.name {
	case "counters", "proposal_rules", "pending_exports", "calls_open", "task_days":
		return true
	}
	return false
}

// printRows prints an INSERT statement for every row.
func printRows(ctx context.Context, source reader, print func(string) error) error {
	for _, t := range tables() {
		if derived(t) {
			continue
		}
		columns, err := source.columns(ctx, t)
		if err != nil {
			return err
		}
		err = source.rows(ctx, t, columns, nil, func(row []any) error {
			values := make([]string, len(row))
			for i, value := range row {
				values[i] = literal(value)
			}
			return print("INSERT INTO " + t.name + " (" + quoted(columns) + ") VALUES (" + strings.Join(values, ", ") + ");\n")
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// literal writes a value as PostgreSQL reads it.
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
