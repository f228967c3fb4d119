package transfer

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"toolcrib/store/engine"
	"toolcrib/store/pg"
)

// server is a database on a PostgreSQL server.
type server struct {
	conn *pgx.Conn
	held pgx.Tx // of a second connection, which keeps others from copying; nil for a source and a complete copy
}

func connect(ctx context.Context, url string) (server, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return server{}, err // it does not contain the password
	}
	// A statement may stand in for several; none is run often enough to be kept.
	config.DefaultQueryExecMode = pgx.QueryExecModeDescribeExec
	conn, err := pgx.ConnectConfig(ctx, config)
	return server{conn: conn}, err
}

// openServer opens a snapshot of a database.
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

// beginServer prepares a database for a copy.
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

// escaped returns the values of a row as the server stores them.
func escaped(row []any) []any { return texts(row, engine.EscapeText) }

// unescaped returns the values of a row that the server stores.
func unescaped(row []any) []any { return texts(row, engine.UnescapeText) }

// texts changes the texts of a row.
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
