// Package session opens connections to a database and runs transactions on them. A Session
// is one connection in a transaction; a Pool has one that writes, one that logs, and a few
// that read snapshots. It declares what it needs of an engine, and knows no table.
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

// Session is one connection as the store uses it, by one goroutine at a time, with
// what its transaction remembers. The types built on it have the tables, a family
// each; on a reading connection the engine itself refuses the writes.
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

// Keep returns the T that a session keeps from one transaction to the next, a zero one
// when there is none yet. A rollback ends it: it may include rows that were rolled back.
func Keep[T any](s *Session) *T { return stateOf[T](s.kept) }

// Within returns the T of the current transaction of a session, a zero one when there is
// none yet.
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

// Exec runs a statement and returns how many rows it changed. It is review.ErrText to
// write a text that not every engine can keep.
func (s *Session) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	for _, arg := range args { // who lets a text in checks it and names it; this is for what was forgotten
		text, _ := engine.TextOf(arg)
		if problem := plaintext.Problem(text); problem != "" {
			return 0, fmt.Errorf("%w: %s %s; nothing was written", review.ErrText, jsondoc.Quote(text), problem)
		}
	}
	return s.Conn.Exec(ctx, query, args...)
}

// Read returns what fn reads in a snapshot.
func Read[T any](ctx context.Context, db *Pool, fn func(*Session) (T, error)) (v T, err error) {
	err = db.View(ctx, func(s *Session) error {
		v, err = fn(s)
		return err
	})
	return v, err
}
