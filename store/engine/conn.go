package engine

import (
	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"

	"toolcrib/internal/failpoint"
)

// Conn is one connection with its prepared statements. It is used by one
// goroutine at a time.
//
// Statements run without the context's cancellation, which would cost two
// goroutines each; the context is looked at between rows and before COMMIT.
type Conn struct {
	*sql.Conn
	stmts   map[string]*sql.Stmt
	each    func(*sql.Rows, func(Scanner) error) error // nil to hand out rows as they come
	escapes bool                                       // texts are stored escaped
}

// Buffer has Each and Once read all rows before they hand out the first.
func (c *Conn) Buffer() {
	c.each = func(rows *sql.Rows, fn func(Scanner) error) error { return buffered(rows, c.escapes, fn) }
}

// Connect takes a connection from a pool.
func Connect(ctx context.Context, pool *sql.DB) (*Conn, error) {
	conn, err := pool.Conn(ctx)
	if err != nil {
		return nil, err
	}
	return &Conn{Conn: conn, stmts: map[string]*sql.Stmt{}}, nil
}

// Close closes the statements, then the connection: SQLite keeps a file open while
// a statement lives.
func (c *Conn) Close() error {
	var errs []error
	for _, stmt := range c.stmts {
		errs = append(errs, stmt.Close())
	}
	return errors.Join(append(errs, c.Conn.Close())...)
}

// Statements returns the statements that were prepared.
func (c *Conn) Statements() iter.Seq[string] { return maps.Keys(c.stmts) }

func (c *Conn) prepare(ctx context.Context, query string) (*sql.Stmt, error) {
	if stmt, ok := c.stmts[query]; ok {
		return stmt, nil
	}
	stmt, err := c.PrepareContext(context.WithoutCancel(ctx), query)
	if err != nil {
		return nil, fmt.Errorf("prepare %q: %w", query, err)
	}
	c.stmts[query] = stmt
	return stmt, nil
}

// Exec runs a statement and returns how many rows it changed.
func (c *Conn) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	stmt, err := c.prepare(ctx, query) //nolint:sqlclosecheck // the connection keeps it
	if err != nil {
		return 0, err
	}
	failpoint.Here("statement")
	res, err := stmt.ExecContext(context.WithoutCancel(ctx), c.escaped(args)...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// Row runs a query for one row and scans it; sql.ErrNoRows when there is none.
func (c *Conn) Row(ctx context.Context, query string, args []any, dest ...any) error {
	stmt, err := c.prepare(ctx, query) //nolint:sqlclosecheck // the connection keeps it
	if err != nil {
		return err
	}
	if c.each == nil {
		return stmt.QueryRowContext(context.WithoutCancel(ctx), args...).Scan(dest...)
	}
	rows, err := stmt.QueryContext(context.WithoutCancel(ctx), c.escaped(args)...)
	if err != nil {
		return err
	}
	return c.first(rows, dest...)
}

// Scanner is a row that can be read.
type Scanner = interface{ Scan(dest ...any) error }

// Each runs a query and calls fn for every row.
func (c *Conn) Each(ctx context.Context, query string, args []any, fn func(Scanner) error) error {
	stmt, err := c.prepare(ctx, query) //nolint:sqlclosecheck // the connection keeps it
	if err != nil {
		return err
	}
	rows, err := stmt.QueryContext(context.WithoutCancel(ctx), c.escaped(args)...)
	if err != nil {
		return err
	}
	return c.walk(ctx, rows, fn)
}

// Once is Each for a query that is not asked again: its statement is not kept.
func (c *Conn) Once(ctx context.Context, query string, args []any, fn func(Scanner) error) error {
	rows, err := c.QueryContext(context.WithoutCancel(ctx), query, c.escaped(args)...)
	if err != nil {
		return err
	}
	return c.walk(ctx, rows, fn)
}

// walk calls fn for every row and closes them.
func (c *Conn) walk(ctx context.Context, rows *sql.Rows, fn func(Scanner) error) error {
	if c.each != nil {
		return c.each(rows, func(row Scanner) error { return errors.Join(ctx.Err(), fn(row)) })
	}
	defer rows.Close()
	for rows.Next() {
		if err := errors.Join(ctx.Err(), fn(rows)); err != nil {
			return err
		}
	}
	return rows.Err()
}

// Plain runs a query and calls fn with the values of every row as the engine
// gives them, without the conversions of database/sql: for callers that read
// millions. The values are good until fn returns.
func (c *Conn) Plain(ctx context.Context, query string, fn func([]sqldriver.Value) error) error {
	return c.Raw(func(driver any) error {
		conn, ok := driver.(sqldriver.QueryerContext)
		if !ok {
			return fmt.Errorf("%T does not run queries", driver)
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
			if c.escapes {
				unescape(values)
			}
			if err := errors.Join(ctx.Err(), fn(values)); err != nil {
				return err
			}
		}
	})
}

// Script runs statements that are not worth preparing.
func (c *Conn) Script(ctx context.Context, statements string) error {
	failpoint.Here("statement")
	_, err := c.ExecContext(context.WithoutCancel(ctx), statements)
	return err
}

// Strings runs a query for one text a row.
func (c *Conn) Strings(ctx context.Context, query string, args ...any) ([]string, error) {
	var found []string
	err := c.Each(ctx, query, args, func(row Scanner) error {
		var s string
		err := row.Scan(&s)
		found = append(found, s)
		return err
	})
	return found, err
}
