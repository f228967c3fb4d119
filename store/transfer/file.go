package transfer

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"toolcrib/store/engine"
	"toolcrib/store/pg"
	"toolcrib/store/sqlite"
)

// file is a database in a SQLite file.
type file struct {
	conn *engine.Conn
	end  func() error
	copy *sqlite.Copy // nil for a source
}

// openFile opens a snapshot of a database file.
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

// beginFile prepares a file as the target of a copy.
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

// readTerms makes the terms in the assistant's search indexes readable. SQLite stores only the index, without the
// original text.
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
	return f.conn.EachUncached(ctx, t.selectRows(from, columns, after != nil), after, valuesOf(len(columns), fn))
}

// valuesOf returns a function that scans a row and calls fn with its values.
func valuesOf(width int, fn func([]any) error) func(engine.Scanner) error {
	return func(row engine.Scanner) error {
		values, into := make([]any, width), make([]any, width)
		for i := range values {
			into[i] = &values[i]
		}
		if err := row.Scan(into...); err != nil {
			return err
		}
		return fn(values)
	}
}

func (f file) last(ctx context.Context, t table) (key []any, err error) {
	err = f.conn.EachUncached(ctx, t.selectLast(), nil, valuesOf(len(t.key), func(values []any) error {
		key = values
		return nil
	}))
	return key, err
}

func (f file) add(ctx context.Context, t table, columns []string, rows [][]any) error {
	return f.copy.Add(ctx, t.insertRow(columns), rows)
}

func (f file) finish(ctx context.Context) error { return f.copy.Finish(ctx) }
func (f file) abandon(context.Context) error    { return f.copy.Abandon() }
func (f file) close() error                     { return f.end() }

// contended explains an error if it means that another process is copying into the same target. That process holds a
// lock on the file, or on the copy on a server.
func contended(err error) error {
	held := []string{"55P03", "42P01", "40P01"} // it holds or has finished the copy, or both processes start it
	e := new(pgconn.PgError)
	if errors.As(err, &e) && slices.Contains(held, e.Code) || errors.Is((&sqlite.File{}).Describe(err), engine.ErrBusy) {
		return fmt.Errorf("%w: another process copies into the same target; let it end, then run the command again: %w", engine.ErrBusy, err)
	}
	return err
}

// closing closes a reader after an error.
func closing(r reader, err error) error { return errors.Join(err, r.close()) }

// server is a database on a PostgreSQL server.
type server struct {
	conn *pgx.Conn
	held pgx.Tx // transaction of a second connection that prevents other processes from copying; nil for a source and a complete copy
}

func connect(ctx context.Context, url string) (server, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return server{}, err // it does not contain the password
	}
	// A statement may run on several databases, but never often enough to be worth caching.
	config.DefaultQueryExecMode = pgx.QueryExecModeDescribeExec
	conn, err := pgx.ConnectConfig(ctx, config)
	return server{conn: conn}, err
}

// openServer opens a snapshot of a database on a server.
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

// beginServer prepares a database on a server as the target of a copy.
func beginServer(ctx context.Context, url, genesis string) (t writer, state engine.CopyState, err error) {
	s, err := connect(ctx, url)
	if err != nil {
		return nil, 0, err
	}
	if state, err = pg.BeginCopy(ctx, s.conn, genesis); err != nil {
		return nil, 0, closing(s, err)
	}
	if state == engine.CopyComplete {
		return s, state, nil
	}
	holder, err := connect(ctx, url)
	if err != nil {
		return nil, 0, closing(s, err)
	}
	if s.held, err = pg.HoldCopy(ctx, holder.conn); err != nil {
		return nil, 0, closing(holder, closing(s, err))
	}
	return s, state, nil
}

func (s server) columns(ctx context.Context, t table) ([]string, error) {
	rows, err := s.conn.Query(ctx, `SELECT CAST(column_name AS text) FROM information_schema.columns
		WHERE table_schema = $1 AND table_name = $2 AND is_generated = 'NEVER' ORDER BY ordinal_position`, pg.Schema, t.name)
	if err != nil {
		return nil, err
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("no table %s is visible to this login; have it granted a role of toolcrib, or run toolcrib migrate", t.name)
	}
	return slices.DeleteFunc(names, t.derived), err
}

func (s server) rows(ctx context.Context, t table, columns []string, after []any, fn func([]any) error) error {
	rows, err := s.conn.Query(ctx, t.selectRows(t.name, columns, after != nil), escaped(after)...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		values, err := rows.Values()
		if err != nil {
			return err
		}
		if err := fn(unescaped(values)); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (s server) last(ctx context.Context, t table) ([]any, error) {
	rows, err := s.conn.Query(ctx, t.selectLast())
	if err != nil {
		return nil, err
	}
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) ([]any, error) { return row.Values() })
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return unescaped(found[0]), nil
}

func (s server) add(ctx context.Context, t table, columns []string, rows [][]any) error {
	for i := range rows {
		rows[i] = escaped(rows[i])
	}
	_, err := s.conn.CopyFrom(ctx, pgx.Identifier{t.name}, columns, pgx.CopyFromRows(rows))
	return err
}

// escaped returns the values of a row with texts escaped for storage.
func escaped(row []any) []any { return texts(row, engine.EscapeText) }

// unescaped returns the values of a stored row with texts unescaped.
func unescaped(row []any) []any { return texts(row, engine.UnescapeText) }

// texts applies change to the texts in a row.
func texts(row []any, change func(string) string) []any {
	for i, value := range row {
		if s, ok := value.(string); ok {
			row[i] = change(s)
		}
	}
	return row
}

func (s server) finish(ctx context.Context) error  { return pg.FinishCopy(ctx, s.held) }
func (s server) abandon(ctx context.Context) error { return pg.AbandonCopy(ctx, s.held) }

func (s server) close() error {
	err := s.conn.Close(context.Background())
	if s.held != nil {
		err = errors.Join(err, s.held.Conn().Close(context.Background()))
	}
	return err
}
