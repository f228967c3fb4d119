// This file opens databases of both engines as the source or the target of a copy.

package transfer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"toolcrib/store/engine"
	"toolcrib/store/pg"
	"toolcrib/store/sqlite"
)

// file is a database in a SQLite file that is copied or receives a copy.
type file struct {
	conn *engine.Conn
	end  func() error
	copy *sqlite.Copy // nil if the file is the source
}

// openFile opens a snapshot of the SQLite file at path as the source of a copy.
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
	if err == nil && version < sqlite.SchemaVersion() {
		err = fmt.Errorf("%s has the older schema %d; first open the database with this version of toolcrib, for example with toolcrib list", path, version)
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

// beginFile prepares the SQLite file at path as the target of a copy. If the file already exists, complete is true.
func beginFile(ctx context.Context, path string) (_ writer, complete bool, err error) {
	c, complete, err := sqlite.BeginCopy(ctx, path)
	if err != nil {
		return nil, false, err
	}
	f := file{conn: c.Conn, end: c.Close, copy: c}
	if err := f.readTerms(ctx); err != nil {
		return nil, false, closing(f, err)
	}
	return f, complete, nil
}

// readTerms creates temporary tables through which the terms in the assistant's search indexes can be read. SQLite
// stores only the index and not the indexed text.
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

func (f file) rows(ctx context.Context, t table, columns []string, fn func([]any) error) error {
	from := t.name
	if t.terms() {
		from = "(SELECT doc AS rowid, group_concat(term, ' ') AS terms FROM temp." + t.name + "_terms GROUP BY doc)"
	}
	return f.conn.EachUncached(ctx, t.selectRows(from, columns), nil, func(row engine.Scanner) error {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := row.Scan(into...); err != nil {
			return err
		}
		return fn(values)
	})
}

func (f file) newest(ctx context.Context) (event int64, hash string, err error) {
	err = f.conn.Row(ctx, newestEvent, nil, &event, &hash)
	return event, hash, err
}

func (f file) add(ctx context.Context, t table, columns []string, rows [][]any) error {
	statement := "INSERT INTO " + t.name + " (" + quoted(columns) + ") VALUES (" + engine.Placeholders(1, len(columns)) + ")"
	for _, row := range rows {
		if _, err := f.conn.Exec(ctx, statement, row...); err != nil {
			return err
		}
	}
	return nil
}

func (f file) finish(ctx context.Context) error { return f.copy.Finish(ctx) }
func (f file) close() error                     { return f.end() }

// explained adds an explanation to two kinds of errors. First, another process can be copying into the same target;
// both processes then create the schema or the file. Second, PostgreSQL cannot store some texts that earlier
// versions wrote.
func explained(err error) error {
	e := new(pgconn.PgError)
	switch {
	case errors.As(err, &e) && e.Code == "22021":
		return fmt.Errorf("an earlier version wrote a text with invalid UTF-8 or a NUL character, which PostgreSQL cannot store; run toolcrib verify to list the rows, or copy the database to a file, which preserves such texts: %w", err)
	case slices.Contains([]string{"42P06", "42P07", "23505", "40P01"}, e.Code), errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%w: another process is copying into the same target; wait until it ends, then run the command again: %w", engine.ErrBusy, err)
	}
	return err
}

// closing closes r and returns err, joined with the error of close.
func closing(r reader, err error) error { return errors.Join(err, r.close()) }

// server is a database on a PostgreSQL server that is copied or receives a copy.
type server struct {
	conn *pgx.Conn
	tx   pgx.Tx // transaction of the copy; nil if the database is the source or already complete
}

func connect(ctx context.Context, url string) (server, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return server{}, err // the error does not contain the password
	}
	// The connection does not cache prepared statements, because no statement runs often enough.
	config.DefaultQueryExecMode = pgx.QueryExecModeDescribeExec
	conn, err := pgx.ConnectConfig(ctx, config)
	return server{conn: conn}, err
}

// openServer opens a snapshot of the database at url as the source of a copy.
func openServer(ctx context.Context, url string) (reader, error) {
	s, err := connect(ctx, url)
	if err != nil {
		return nil, err
	}
	if err := pg.CheckSchema(ctx, s.conn); err != nil {
		return nil, closing(s, err)
	}
	for _, statement := range []string{"SET search_path = " + pg.Schema, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"} {
		if _, err := s.conn.Exec(ctx, statement); err != nil {
			return nil, closing(s, err)
		}
	}
	return s, nil
}

// beginServer prepares the database at url as the target of a copy. If the database already has the current schema,
// complete is true.
func beginServer(ctx context.Context, url string) (_ writer, complete bool, err error) {
	s, err := connect(ctx, url)
	if err != nil {
		return nil, false, err
	}
	if s.tx, err = pg.BeginCopy(ctx, s.conn); err != nil {
		return nil, false, closing(s, err)
	}
	return s, s.tx == nil, nil
}

func (s server) columns(ctx context.Context, t table) ([]string, error) {
	rows, err := s.conn.Query(ctx, `SELECT CAST(column_name AS text) FROM information_schema.columns
		WHERE table_schema = $1 AND table_name = $2 AND is_generated = 'NEVER' ORDER BY ordinal_position`, pg.Schema, t.name)
	if err != nil {
		return nil, err
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("the table %s is missing or not visible to this login; run toolcrib migrate, or grant a toolcrib role to the login", t.name)
	}
	return slices.DeleteFunc(names, t.derived), err
}

func (s server) rows(ctx context.Context, t table, columns []string, fn func([]any) error) error {
	rows, err := s.conn.Query(ctx, t.selectRows(t.name, columns))
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		values, err := rows.Values()
		if err != nil {
			return err
		}
		if err := fn(values); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (s server) newest(ctx context.Context) (event int64, hash string, err error) {
	err = s.conn.QueryRow(ctx, newestEvent).Scan(&event, &hash)
	return event, hash, err
}

func (s server) add(ctx context.Context, t table, columns []string, rows [][]any) error {
	_, err := s.conn.CopyFrom(ctx, pgx.Identifier{t.name}, columns, pgx.CopyFromRows(rows))
	return err
}

func (s server) finish(ctx context.Context) error { return pg.FinishCopy(ctx, s.tx) }

func (s server) close() error { return s.conn.Close(context.Background()) }
