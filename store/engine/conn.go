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

// Conn is one connection with its prepared statements. It is used by one
// goroutine at a time.
//
// Statements ignore the cancellation of the context, which would cost two goroutines
// each; the context is checked between rows and before COMMIT.
type Conn struct {
	conn    *sql.Conn
	stmts   map[string]*sql.Stmt
	direct  bool                                       // prepare no statements
	each    func(*sql.Rows, func(Scanner) error) error // nil to hand out rows as they come
	escapes bool                                       // texts are stored escaped
}

// Buffer makes Each and Once read all rows before they call fn for the first.
func (c *Conn) Buffer() {
	c.each = func(rows *sql.Rows, fn func(Scanner) error) error { return buffered(rows, c.escapes, fn) }
}

// Connect takes a connection from a pool.
func Connect(ctx context.Context, pool *sql.DB) (*Conn, error) {
	conn, err := pool.Conn(ctx)
	if err != nil {
		return nil, err
	}
	return &Conn{conn: conn, stmts: map[string]*sql.Stmt{}}, nil
}

// Unprepared makes statements run without preparation: behind a pooler, each transaction may
// get another connection of the server.
func (c *Conn) Unprepared() { c.direct = true }

// statement is a statement that can be run, prepared or not.
type statement interface {
	ExecContext(ctx context.Context, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, args ...any) (*sql.Rows, error)
}

// unprepared runs a statement without preparing it first.
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

// Close closes the statements, then the connection: SQLite keeps a file open while
// a statement lives.
func (c *Conn) Close() error {
	var errs []error
	for _, stmt := range c.stmts {
		errs = append(errs, stmt.Close())
	}
	return errors.Join(append(errs, c.conn.Close())...)
}

// Raw calls fn with the connection of the driver.
func (c *Conn) Raw(fn func(driver any) error) error { return c.conn.Raw(fn) }

// Statements returns the statements that were prepared.
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

// Exec runs a statement and returns how many rows it changed.
func (c *Conn) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	stmt, err := c.prepare(ctx, query)
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

// Maybe scans the single row of a query, and reports whether it exists.
func (c *Conn) Maybe(ctx context.Context, query string, args []any, dest ...any) (found bool, err error) {
	err = c.Row(ctx, query, args, dest...)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// Row scans the single row of a query. It returns sql.ErrNoRows if there is none.
func (c *Conn) Row(ctx context.Context, query string, args []any, dest ...any) error {
	err := sql.ErrNoRows
	walked := c.Each(context.WithoutCancel(ctx), query, args, func(row Scanner) error {
		if !errors.Is(err, sql.ErrNoRows) {
			return nil // only the first counts
		}
		err = row.Scan(dest...)
		return err
	})
	return cmp.Or(walked, err)
}

// Scanner is a row that can be read.
type Scanner = interface{ Scan(dest ...any) error }

// Each runs a query and calls fn for every row.
func (c *Conn) Each(ctx context.Context, query string, args []any, fn func(Scanner) error) error {
	stmt, err := c.prepare(ctx, query)
	if err != nil {
		return err
	}
	rows, err := stmt.QueryContext(context.WithoutCancel(ctx), c.escaped(args)...)
	if err != nil {
		return err
	}
	return c.walk(ctx, rows, fn)
}

// Once is Each for a query that is used once: its statement is not cached.
func (c *Conn) Once(ctx context.Context, query string, args []any, fn func(Scanner) error) error {
	rows, err := c.conn.QueryContext(context.WithoutCancel(ctx), query, c.escaped(args)...)
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
	_, err := c.conn.ExecContext(context.WithoutCancel(ctx), statements)
	return err
}

// Strings returns the rows of a query with a single text column.
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

// Use is the purpose of a connection: reading, writing, or logging.
type Use int

// The uses of connections.
const (
	Read  Use = iota // snapshots; the engine refuses writes
	Write            // transactions that are on the disk when COMMIT returns
	Log              // transactions that a power cut may take back
	Audit            // snapshots that are read from one end to the other
)

// Source is the FROM clause of a selection of proposals, in which the table is p,
// the column with p.seq, and the WHERE condition.
type Source struct {
	From  string
	Seq   string
	Where Clause
}

// Step is one step of a schema.
type Step struct {
	Number int
	SQL    string // "" for the seed
}

// Check is a query that returns the keys of damaged rows of a table, and the
// sentence that describes the damage.
type Check struct {
	Table, Query, Message string
}

// Checks parses checks. Each is a statement below a line "-- check TABLE: MESSAGE", which comments may follow.
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

// buffered reads all rows and then calls fn for each, because a connection to
// PostgreSQL runs one query at a time, and fn may run another. escaped reports whether
// the texts of the rows are escaped.
func buffered(rows *sql.Rows, escaped bool, fn func(Scanner) error) error {
	defer rows.Close()
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
		if escaped {
			unescape(row)
		}
		read = append(read, row)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for _, row := range read {
		if err := fn(row); err != nil {
			return err
		}
	}
	return nil
}

// unescape unescapes the texts of a row.
func unescape[T any](row []T) {
	for i := range row {
		if s, ok := any(row[i]).(string); ok {
			if text, ok := any(UnescapeText(s)).(T); ok {
				row[i] = text
			}
		}
	}
}

// bufferedRow has the values of a row.
type bufferedRow []any

// Scan implements Scanner for the types that rows of toolcrib are read into.
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
