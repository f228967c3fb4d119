package transfer

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"toolcrib/store/engine"
	"toolcrib/store/sqlite"
)

// file is a database in a file of SQLite's.
type file struct {
	conn *engine.Conn
	end  func() error
	copy *sqlite.Copy // nil for a source
}

// openFile opens a snapshot of a database.
func openFile(ctx context.Context, path string) (_ reader, err error) {
	db, err := sqlite.Open(ctx, path, sqlite.Options{Existing: true, Readers: 1})
	if err != nil {
		return nil, err
	}
	conn, err := db.Conn(ctx, engine.Read)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	f := file{conn: conn, end: func() error { return errors.Join(conn.Close(), db.Close()) }}
	version, err := db.Schema(ctx, conn)
	if err == nil && !db.Current(version) {
		err = fmt.Errorf("%s has schema %d; open it with this toolcrib first", path, version)
	}
	if err == nil {
		err = f.readTerms(ctx)
	}
	if err == nil {
		err = conn.Script(ctx, "BEGIN")
	}
	if err != nil {
		return nil, closing(f, err)
	}
	return f, nil
}

// beginFile prepares a file for a copy.
func beginFile(ctx context.Context, path, genesis string) (writer, engine.CopyState, error) {
	c, state, err := sqlite.BeginCopy(ctx, path, genesis)
	if err != nil {
		return nil, 0, err
	}
	f := file{conn: c.Conn, end: c.Close, copy: c}
	if err := f.readTerms(ctx); err != nil {
		return nil, 0, closing(f, err)
	}
	return f, state, nil
}

// readTerms makes the terms of the assistant's search indexes readable: SQLite keeps
// the index alone, without the text it was made from.
func (f file) readTerms(ctx context.Context) error {
	script := "PRAGMA query_only(0);"
	for _, t := range tables() {
		if t.terms() {
			script += fmt.Sprintf("CREATE VIRTUAL TABLE temp.%[1]s_terms USING fts5vocab('main', '%[1]s', 'instance');", t.name)
		}
	}
	return f.conn.Script(ctx, script)
}

func (f file) columns(ctx context.Context, t table) ([]string, error) {
	if t.terms() {
		return []string{"rowid", "terms"}, nil
	}
	names, err := f.conn.Strings(ctx, "SELECT name FROM pragma_table_xinfo($1) WHERE hidden = 0 ORDER BY cid", t.name)
	return slices.DeleteFunc(names, t.derived), err
}

func (f file) rows(ctx context.Context, t table, columns []string, after []any, fn func([]any) error) error {
	from := t.name
	if t.terms() {
		from = "(SELECT doc AS rowid, group_concat(term, ' ') AS terms FROM temp." + t.name + "_terms GROUP BY doc)"
	}
	rows, err := f.conn.QueryContext(ctx, t.selectRows(from, columns, after != nil), after...)
	if err != nil {
		return err
	}
	defer rows.Close()
	return eachRow(rows, len(columns), fn)
}

// eachRow calls fn with the values of every row.
func eachRow(rows *sql.Rows, width int, fn func([]any) error) error {
	for rows.Next() {
		values, into := make([]any, width), make([]any, width)
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return err
		}
		if err := fn(values); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (f file) last(ctx context.Context, t table) (key []any, err error) {
	rows, err := f.conn.QueryContext(ctx, t.selectLast())
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	err = eachRow(rows, len(t.key), func(values []any) error {
		key = values
		return nil
	})
	return key, err
}

func (f file) add(ctx context.Context, t table, columns []string, rows [][]any) error {
	return f.copy.Add(ctx, t.insertRow(columns), rows)
}

func (f file) finish(ctx context.Context) error { return f.copy.Finish(ctx) }
func (f file) abandon(context.Context) error    { return f.copy.Abandon() }
func (f file) close() error                     { return f.end() }
