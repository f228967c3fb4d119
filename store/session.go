package store

import (
	"context"
	"fmt"

	"toolcrib/history"
	"toolcrib/internal/plaintext"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
	"toolcrib/store/engine"
)

// session is one connection as the store uses it, by one goroutine at a time. It
// implements review.Tx; on a reading connection the engine itself refuses the
// writes.
type session struct {
	*engine.Conn
	engine   Engine
	hints    hints
	witness  witness
	trust    *review.Trust   // nil where every version counts
	proven   *review.Proofs  // in the transaction, nil before it is asked for
	profiled []registry.Live // the live agents and allow-lists, in the transaction, nil before they are asked for
	decoded  decoded
	sketches sketches
	ends     *ends            // in the transaction, nil before they are asked for
	last     history.Event    // the last one of the transaction that writes; zero before there is one
	chained  chainedRow       // the last row of a chain that the transaction wrote
	acts     []string         // of the events of the transaction that writes, each once
	added    map[string]int64 // the versions that were written last: the numbers of their rows, by hash
}

// chainedRow is a row of a table that is one chain.
type chainedRow struct {
	table string // "" for none
	seq   int64
	hash  string
}

// newSession opens a session that writes its events with the witness of db: a
// reader can become the writer.
func (db *DB) newSession(ctx context.Context, use engine.Use) (*session, error) {
	conn, err := db.engine.Conn(ctx, use)
	if err != nil {
		return nil, db.engine.Describe(err)
	}
	return &session{Conn: conn, engine: db.engine, hints: hints(db.engine.Hints()), witness: db.witness, trust: db.trust}, nil
}

// Exec runs a statement and returns how many rows it changed. It is review.ErrText to
// write a text that not every engine can keep.
func (s *session) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	if err := storable(args); err != nil {
		return 0, err
	}
	return s.Conn.Exec(ctx, query, args...)
}

// storable returns review.ErrText for arguments of a statement that not every engine
// can keep. Whoever lets a text in checks it and names it; this is for what was
// forgotten.
func storable(args []any) error {
	for _, arg := range args {
		text, _ := engine.TextOf(arg)
		if problem := plaintext.Problem(text); problem != "" {
			return fmt.Errorf("%w: %s %s; nothing was written", review.ErrText, jsondoc.Quote(text), problem)
		}
	}
	return nil
}

// scanner is a row that can be read.
type scanner = engine.Scanner

// all runs a query and collects what scan makes of every row.
func all[T any](ctx context.Context, s *session, scan func(scanner) (T, error), query string, args ...any) ([]T, error) {
	var out []T
	err := s.Each(ctx, query, args, func(row scanner) error {
		v, err := scan(row)
		if err != nil {
			return err
		}
		out = append(out, v)
		return nil
	})
	return out, err
}

// scanValue scans a row of one column.
func scanValue[T any](row scanner) (v T, err error) {
	err = row.Scan(&v)
	return v, err
}

// viewed returns what fn reads in a snapshot.
func viewed[T any](ctx context.Context, db *DB, fn func(*session) (T, error)) (v T, err error) {
	err = db.view(ctx, func(s *session) error {
		v, err = fn(s)
		return err
	})
	return v, err
}

// first returns the first element of found. format describes the missing element.
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
