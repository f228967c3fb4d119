package store

import (
	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"io"

	"toolcrib/history"
	"toolcrib/internal/failpoint"
	"toolcrib/review"
)

// session is one connection with its prepared statements. It is used by one
// goroutine at a time. It implements review.Tx; on a reading connection the
// engine itself refuses the writes.
//
// Statements run without the context's cancellation, which would cost two
// goroutines each; the context is looked at between rows and before COMMIT.
type session struct {
	conn     *sql.Conn
	hints    hints
	stmts    map[string]*sql.Stmt
	witness  witness
	trust    *review.Trust  // nil where every version counts
	proven   *review.Proofs // in the transaction, nil before it is asked for
	sketches sketches
	last     history.Event    // the last one of the transaction that writes; zero before there is one
	acts     []string         // of the events of the transaction that writes, each once
	added    map[string]int64 // the versions that were written last: the numbers of their rows, by hash
}

func newSession(ctx context.Context, db *sql.DB) (*session, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	return &session{conn: conn, hints: true, stmts: map[string]*sql.Stmt{}}, nil
}

// newSession opens a session that writes its events with the witness of db: a
// reader can become the writer.
func (db *DB) newSession(ctx context.Context, pool *sql.DB) (*session, error) {
	s, err := newSession(ctx, pool)
	if err == nil {
		s.witness, s.trust = db.witness, db.trust
	}
	return s, err
}

// close closes the statements, then the connection: the engine keeps the file
// open while a statement lives.
func (s *session) close() error {
	var errs []error
	for _, stmt := range s.stmts {
		errs = append(errs, stmt.Close())
	}
	errs = append(errs, s.conn.Close())
	return errors.Join(errs...)
}

func (s *session) prepare(ctx context.Context, query string) (*sql.Stmt, error) {
	if stmt, ok := s.stmts[query]; ok {
		return stmt, nil
	}
	stmt, err := s.conn.PrepareContext(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("prepare %q: %w", query, err)
	}
	s.stmts[query] = stmt
	return stmt, nil
}

// exec runs a statement and returns how many rows it changed.
func (s *session) exec(ctx context.Context, query string, args ...any) (int64, error) {
	stmt, err := s.prepare(ctx, query) //nolint:sqlclosecheck // the session keeps it
	if err != nil {
		return 0, err
	}
	failpoint.Here("statement")
	res, err := stmt.ExecContext(context.WithoutCancel(ctx), args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// row runs a query for one row and scans it; sql.ErrNoRows when there is none.
func (s *session) row(ctx context.Context, query string, args []any, dest ...any) error {
	stmt, err := s.prepare(ctx, query) //nolint:sqlclosecheck // the session keeps it
	if err != nil {
		return err
	}
	return stmt.QueryRowContext(context.WithoutCancel(ctx), args...).Scan(dest...)
}

// scanner is a row that can be read.
type scanner = interface{ Scan(dest ...any) error }

// each runs a query and calls fn for every row.
func (s *session) each(ctx context.Context, query string, args []any, fn func(scanner) error) error {
	stmt, err := s.prepare(ctx, query) //nolint:sqlclosecheck // the session keeps it
	if err != nil {
		return err
	}
	rows, err := stmt.QueryContext(context.WithoutCancel(ctx), args...)
	if err != nil {
		return err
	}
	return walk(ctx, rows, fn)
}

// once is each for a query that is not asked again: its statement is not kept.
func (s *session) once(ctx context.Context, query string, args []any, fn func(scanner) error) error {
	rows, err := s.conn.QueryContext(context.WithoutCancel(ctx), query, args...)
	if err != nil {
		return err
	}
	return walk(ctx, rows, fn)
}

// walk calls fn for every row and closes them.
func walk(ctx context.Context, rows *sql.Rows, fn func(scanner) error) error {
	defer rows.Close()
	for rows.Next() {
		if err := errors.Join(ctx.Err(), fn(rows)); err != nil {
			return err
		}
	}
	return rows.Err()
}

// plain runs a query and calls fn with the values of every row as the engine
// gives them, without the conversions of database/sql: for callers that read
// millions. The values are good until fn returns.
func (s *session) plain(ctx context.Context, query string, fn func([]sqldriver.Value) error) error {
	return s.conn.Raw(func(c any) error {
		conn, ok := c.(sqldriver.QueryerContext)
		if !ok {
			return fmt.Errorf("%T does not run queries", c)
		}
		rows, err := conn.QueryContext(context.WithoutCancel(ctx), query, nil)
		if err != nil {
			return err
		}
		defer rows.Close() //nolint:errcheck // nothing was written
		values := make([]sqldriver.Value, len(rows.Columns()))
		for {
			switch err := rows.Next(values); {
			case errors.Is(err, io.EOF):
				return nil
			case err != nil:
				return err
			}
			if err := errors.Join(ctx.Err(), fn(values)); err != nil {
				return err
			}
		}
	})
}

// all runs a query and collects what scan makes of every row.
func all[T any](ctx context.Context, s *session, scan func(scanner) (T, error), query string, args ...any) ([]T, error) {
	var out []T
	err := s.each(ctx, query, args, func(row scanner) error {
		v, err := scan(row)
		if err != nil {
			return err
		}
		out = append(out, v)
		return nil
	})
	return out, err
}

// first returns the first of what was found. format names what there should be.
func first[T any](found []T, err error, format string, args ...any) (T, error) {
	if err == nil && len(found) == 0 {
		err = notFound(format, args...)
	}
	if err != nil {
		var none T
		return none, err
	}
	return found[0], nil
}
