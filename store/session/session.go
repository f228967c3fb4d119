// Package session runs transactions on the connections to a database. A Session is a connection in a transaction. A
// Pool has one session for writing, one for logging, and a few for reading snapshots. The package declares the
// interface of the engines and does not depend on any tables.
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

// Session is a connection in a transaction, with the caches of the transaction. It must not be used concurrently. Types
// that embed it implement one family of tables each. On a read connection, the engine rejects writes.
type Session struct {
	*engine.Conn
	Engine  Engine
	Hints   engine.Hints
	Witness Witness
	Trust   *proof.Trust // nil if signatures are not required
	kept    map[reflect.Type]any
	begun   map[reflect.Type]any
	written
}

// written records the last rows that the transaction wrote.
type written struct {
	event   int64      // number of its last event, or 0
	chained chainedRow // last row of a hash chain
	acts    []string   // distinct acts of its events
}

// Keep returns the value of type T that a session caches across transactions, initially zero. A rollback discards it,
// because it may include rows that were rolled back.
func Keep[T any](s *Session) *T { return stateOf[T](s.kept) }

// Within returns the value of type T for the current transaction, initially zero.
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

// WroteRow records that the transaction added a row to a hash chain.
func (s *Session) WroteRow(table string, seq int64, hash string) {
	s.chained = chainedRow{table, seq, hash}
}

// WroteEvent records that the transaction added an event.
func (s *Session) WroteEvent(table string, seq int64, hash, act string) {
	s.WroteRow(table, seq, hash)
	if s.event = seq; !slices.Contains(s.acts, act) {
		s.acts = append(s.acts, act)
	}
}

// chainedRow identifies a row of a hash chain.
type chainedRow struct {
	table string // "" for none
	seq   int64
	hash  string
}

// Open opens a session for use. Its events carry the account of db's witness.
func (db *Pool) Open(ctx context.Context, use engine.Use) (*Session, error) {
	conn, err := db.Engine.Conn(ctx, use)
	if err != nil {
		return nil, db.Engine.Describe(err)
	}
	return &Session{Conn: conn, Engine: db.Engine, Hints: engine.Hints(db.Engine.Hints()), Witness: db.Witness, Trust: db.Trust, kept: map[reflect.Type]any{}, begun: map[reflect.Type]any{}}, nil
}

// Exec executes a statement and returns the number of affected rows. It returns review.ErrText for a text that
// PostgreSQL cannot store.
func (s *Session) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	for _, arg := range args { // callers validate texts; this is a second check
		text, _ := engine.TextOf(arg)
		if problem := plaintext.Problem(text); problem != "" {
			return 0, fmt.Errorf("%w: %s %s; nothing was written", review.ErrText, jsondoc.Quote(text), problem)
		}
	}
	return s.Conn.Exec(ctx, query, args...)
}

// Read runs fn in a read-only snapshot and returns its result.
func Read[T any](ctx context.Context, db *Pool, fn func(*Session) (T, error)) (v T, err error) {
	err = db.View(ctx, func(s *Session) error {
		v, err = fn(s)
		return err
	})
	return v, err
}
