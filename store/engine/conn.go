// This file defines a connection that behaves the same for both engines, and the errors that concern a whole database.

package engine

import (
	"cmp"
	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"reflect"
	"strconv"
	"strings"

	"toolcrib/internal/failpoint"
)

// Conn is a database connection and its prepared statements. It must not be used concurrently.
//
// Statements ignore the cancellation of their context, because database/sql would start two goroutines for each
// statement. Instead, Conn checks the context between rows, and the session checks it before COMMIT.
type Conn struct {
	conn    *sql.Conn
	stmts   map[string]*sql.Stmt
	direct  bool // execute statements without preparing them
	buffers bool // read all rows of a query before the first call of fn
}

// Buffer makes Each read all rows before the first call of fn. A PostgreSQL connection needs this because it runs one
// query at a time, and fn can run another query.
func (c *Conn) Buffer() { c.buffers = true }

// Connect acquires a connection from a pool.
func Connect(ctx context.Context, pool *sql.DB) (*Conn, error) {
	conn, err := pool.Conn(ctx)
	if err != nil {
		return nil, err
	}
	return &Conn{conn: conn, stmts: map[string]*sql.Stmt{}}, nil
}

// Unprepared disables prepared statements. They do not work behind a connection pooler, because each transaction can
// use a different connection to the server.
func (c *Conn) Unprepared() { c.direct = true }

// statement is implemented by *sql.Stmt and unprepared.
type statement interface {
	ExecContext(ctx context.Context, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, args ...any) (*sql.Rows, error)
}

// unprepared executes a query without preparing it.
type unprepared struct {
	conn  *sql.Conn
	query string
}

func (s unprepared) ExecContext(ctx context.Context, args ...any) (sql.Result, error) {
	return s.conn.ExecContext(ctx, s.query, args...)
}

func (s unprepared) QueryContext(ctx context.Context, args ...any) (*sql.Rows, error) {
	return s.conn.QueryContext(ctx, s.query, args...)
}

// Close closes the prepared statements and then the connection. SQLite would keep the file open as long as a statement
// is open.
func (c *Conn) Close() error {
	var errs []error
	for _, stmt := range c.stmts {
		errs = append(errs, stmt.Close())
	}
	return errors.Join(append(errs, c.conn.Close())...)
}

// Raw calls fn with the connection of the driver.
func (c *Conn) Raw(fn func(driver any) error) error { return c.conn.Raw(fn) }

// Statements returns the texts of the prepared statements.
func (c *Conn) Statements() iter.Seq[string] { return maps.Keys(c.stmts) }

func (c *Conn) prepare(ctx context.Context, query string) (statement, error) {
	if c.direct {
		return unprepared{c.conn, query}, nil
	}
	if stmt, ok := c.stmts[query]; ok {
		return stmt, nil
	}
	stmt, err := c.conn.PrepareContext(context.WithoutCancel(ctx), query)
	if err != nil {
		return nil, fmt.Errorf("prepare a statement: %w", err)
	}
	c.stmts[query] = stmt
	return stmt, nil
}

// Exec executes a statement and returns the number of affected rows.
func (c *Conn) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	stmt, err := c.prepare(ctx, query)
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

// OptionalRow scans the first row of a query. It reports whether the query returned a row.
func (c *Conn) OptionalRow(ctx context.Context, query string, args []any, dest ...any) (found bool, err error) {
	err = c.Row(ctx, query, args, dest...)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// Row scans the first row of a query. It returns sql.ErrNoRows if the query returns no row.
func (c *Conn) Row(ctx context.Context, query string, args []any, dest ...any) error {
	err := sql.ErrNoRows
	walked := c.Each(context.WithoutCancel(ctx), query, args, func(row Scanner) error {
		if !errors.Is(err, sql.ErrNoRows) {
			return nil // use only the first row
		}
		err = row.Scan(dest...)
		return err
	})
	return cmp.Or(walked, err)
}

// Scanner scans the columns of a row.
type Scanner = interface{ Scan(dest ...any) error }

// Each runs a query and calls fn for each row.
func (c *Conn) Each(ctx context.Context, query string, args []any, fn func(Scanner) error) error {
	stmt, err := c.prepare(ctx, query)
	if err != nil {
		return err
	}
	rows, err := stmt.QueryContext(context.WithoutCancel(ctx), args...)
	if err != nil {
		return err
	}
	return c.walk(ctx, rows, fn)
}

// EachUncached is like Each but does not cache the prepared statement.
func (c *Conn) EachUncached(ctx context.Context, query string, args []any, fn func(Scanner) error) error {
	rows, err := c.conn.QueryContext(context.WithoutCancel(ctx), query, args...)
	if err != nil {
		return err
	}
	return c.walk(ctx, rows, fn)
}

// walk calls fn for each row and closes rows. If Buffer was called, walk reads all rows before it calls fn.
func (c *Conn) walk(ctx context.Context, rows *sql.Rows, fn func(Scanner) error) error {
	defer rows.Close()
	if !c.buffers {
		for rows.Next() {
			if err := errors.Join(ctx.Err(), fn(rows)); err != nil {
				return err
			}
		}
		return rows.Err()
	}
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	var read []bufferedRow
	for rows.Next() {
		row := make(bufferedRow, len(columns))
		into := make([]any, len(columns))
		for i := range row {
			into[i] = &row[i]
		}
		if err := rows.Scan(into...); err != nil {
			return err
		}
		read = append(read, row)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for _, row := range read {
		if err := errors.Join(ctx.Err(), fn(row)); err != nil {
			return err
		}
	}
	return nil
}

// EachRaw runs a query and calls fn with the values of each row as the driver returns them. It is for callers that read
// millions of rows, because it avoids the conversions of database/sql. The values are valid until fn returns.
func (c *Conn) EachRaw(ctx context.Context, query string, fn func([]sqldriver.Value) error) error {
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
			if err := errors.Join(ctx.Err(), fn(values)); err != nil {
				return err
			}
		}
	})
}

// Script executes one or more statements, separated by semicolons, without preparing them.
func (c *Conn) Script(ctx context.Context, statements string) error {
	failpoint.Here("statement")
	_, err := c.conn.ExecContext(context.WithoutCancel(ctx), statements)
	return err
}

// Strings runs a query that has a single text column. It returns the values of this column.
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

// Use is the purpose of a connection.
type Use int

// Purposes of connections.
const (
	Read  Use = iota // read-only snapshots
	Write            // durable transactions: COMMIT returns after a sync to disk
	Log              // transactions that a power failure can roll back
	Audit            // read-only snapshots for reads of the whole database
)

// Source is the part of a query that selects proposals. From is the FROM clause; the alias of the table proposals is
// p. Seq is a column that equals p.seq and determines the order. Where is the condition.
type Source struct {
	From  string
	Seq   string
	Where Clause
}

// Step is a migration of the schema.
type Step struct {
	Number int
	SQL    string // "" for the step that seeds shipped definitions
}

// Check is a query that returns the keys of damaged rows in Table. Message describes the damage.
type Check struct {
	Table, Query, Message string
}

// Checks parses a list of checks. Each check is a line "-- check TABLE: MESSAGE", optional comment lines, and a
// statement.
func Checks(text string) []Check {
	var list []Check
	for _, block := range strings.Split("\n"+text, "\n-- check ")[1:] {
		head, query, _ := strings.Cut(block, "\n")
		table, message, _ := strings.Cut(head, ": ")
		query, _, _ = strings.Cut(query, ";\n")
		list = append(list, Check{table, query, message})
	}
	return list
}

// bufferedRow contains the values of one row.
type bufferedRow []any

// Scan implements Scanner. It supports only the destination types that toolcrib uses.
func (r bufferedRow) Scan(dest ...any) error {
	if len(dest) != len(r) {
		return fmt.Errorf("expected %d destinations, not %d", len(r), len(dest))
	}
	for i, d := range dest {
		if err := assign(d, r[i]); err != nil {
			return fmt.Errorf("column %d: %w", i+1, err)
		}
	}
	return nil
}

func assign(dest, value any) error {
	switch d := dest.(type) {
	case sql.Scanner:
		return d.Scan(value)
	case *any:
		*d = value
		return nil
	}
	to := reflect.ValueOf(dest).Elem()
	if b, ok := value.([]byte); ok && to.Kind() == reflect.Slice {
		to.SetBytes(b)
		return nil
	}
	if b, ok := value.(bool); ok && to.Kind() == reflect.Bool {
		to.SetBool(b)
		return nil
	}
	var text string
	switch v := value.(type) {
	case string:
		text = v
	case []byte:
		text = string(v)
	case int64:
		text = strconv.FormatInt(v, 10)
	default:
		return fmt.Errorf("%T does not fit into %T", value, dest)
	}
	switch to.Kind() {
	case reflect.String:
		to.SetString(text)
	case reflect.Slice:
		to.SetBytes([]byte(text))
	case reflect.Bool:
		b, err := strconv.ParseBool(text)
		to.SetBool(b)
		return err
	case reflect.Int, reflect.Int64:
		n, err := strconv.ParseInt(text, 10, 64)
		to.SetInt(n)
		return err
	default:
		return fmt.Errorf("%T does not fit into %T", value, dest)
	}
	return nil
}

// Errors that concern the database as a whole.
var (
	// ErrNewer means that a newer version of toolcrib wrote the database.
	ErrNewer = errors.New("the database is newer than this program")
	// ErrNumbering means that the migrations with which the database was created differ from the migrations of this
	// program.
	ErrNumbering = errors.New("the database has an unknown schema")
	// ErrForeign means that the database does not belong to toolcrib.
	ErrForeign = errors.New("not a toolcrib database")
	// ErrNoDatabase means that the database does not exist and must not be created.
	ErrNoDatabase = errors.New("no database")
	// ErrBusy means that another process locked the database for too long.
	ErrBusy = errors.New("the database is busy")
	// ErrDamaged means that the database cannot be read.
	ErrDamaged = errors.New("the database is damaged")
	// ErrRefused means that a trigger or constraint rejected a write.
	ErrRefused = errors.New("refused by the database")
	// ErrGone means that the file of an open database was removed or replaced. Other processes then use a different
	// file.
	ErrGone = errors.New("the database was removed or replaced")
	// ErrAgain means that the engine rolled back a transaction because of a concurrent one. A retry
	// may succeed.
	ErrAgain = errors.New("another transaction intervened")
	// ErrLost means that the server is unreachable or the connection was lost. A transaction that
	// had not started its COMMIT was rolled back.
	ErrLost = errors.New("no connection to the database server; check that it runs, and try again")
)
