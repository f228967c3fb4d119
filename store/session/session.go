// Package session opens connections to a database and runs transactions on them. A Session is one connection in a
// transaction; a Pool has one for writing, one for logging, and a few that read snapshots. The package declares the
// interface of an engine, and is independent of the tables.
package session

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"toolcrib/internal/plaintext"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
	"toolcrib/review/proof"
	"toolcrib/store/engine"
)

// Session is one connection, used by one goroutine at a time, with the caches of its transaction. The types that are
// built on it contain one family of tables each; on a connection for reading, the engine refuses writes.
type Session struct {
	*engine.Conn
	Engine  Engine
	Hints   engine.Hints
	Witness Witness
	Trust   *proof.Trust // nil where every version counts
	kept    map[reflect.Type]any
	begun   map[reflect.Type]any
	written
}

// written has the last rows that the transaction of a session wrote.
type written struct {
	event   int64      // the number of its last event, 0 before there is one
	chained chainedRow // the last row of a chain
	acts    []string   // of its events, each once
}

// Keep returns the T that a session caches across transactions, initially zero. A rollback discards it, because it may
// include rows that were rolled back.
func Keep[T any](s *Session) *T { return stateOf[T](s.kept) }

// Within returns the T of a session's current transaction, initially zero.
func Within[T any](s *Session) *T { return stateOf[T](s.begun) }

func stateOf[T any](all map[reflect.Type]any) *T {
	of := reflect.TypeFor[T]()
	if known, ok := all[of].(*T); ok {
		return known
	}
	v := new(T)
	all[of] = v
	return v
}

// WroteRow notes the last row of a chain that the transaction wrote.
func (s *Session) WroteRow(table string, seq int64, hash string) {
	s.chained = chainedRow{table, seq, hash}
}

// WroteEvent notes an event that the transaction wrote.
func (s *Session) WroteEvent(table string, seq int64, hash, act string) {
	s.WroteRow(table, seq, hash)
	if s.event = seq; !slices.Contains(s.acts, act) {
		s.acts = append(s.acts, act)
	}
}

// chainedRow is a row of a table that is one chain.
type chainedRow struct {
	table string // "" for none
	seq   int64
	hash  string
}

// Open opens a session that writes its events with the witness of db: a
// reader can become the writer.
func (db *Pool) Open(ctx context.Context, use engine.Use) (*Session, error) {
	conn, err := db.Engine.Conn(ctx, use)
	if err != nil {
		return nil, db.Engine.Describe(err)
	}
	return &Session{Conn: conn, Engine: db.Engine, Hints: engine.Hints(db.Engine.Hints()), Witness: db.Witness, Trust: db.Trust, kept: map[reflect.Type]any{}, begun: map[reflect.Type]any{}}, nil
}

// Exec runs a statement and returns the number of changed rows. The error is review.ErrText for a text that not every
// engine can store.
func (s *Session) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	for _, arg := range args { // callers validate their texts; this is a second check
		text, _ := engine.TextOf(arg)
		if problem := plaintext.Problem(text); problem != "" {
			return 0, fmt.Errorf("%w: %s %s; nothing was written", review.ErrText, jsondoc.Quote(text), problem)
		}
	}
	return s.Conn.Exec(ctx, query, args...)
}

// Read returns the result of fn in a snapshot.
func Read[T any](ctx context.Context, db *Pool, fn func(*Session) (T, error)) (v T, err error) {
	err = db.View(ctx, func(s *Session) error {
		v, err = fn(s)
		return err
	})
	return v, err
}
