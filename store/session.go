package store

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

// session is one connection as the store uses it, by one goroutine at a time, with
// what its transaction remembers. The types built on it have the tables, a family
// each; on a reading connection the engine itself refuses the writes.
type session struct {
	*engine.Conn
	engine  Engine
	hints   engine.Hints
	witness witness
	trust   *proof.Trust // nil where every version counts
	kept    map[reflect.Type]any
	begun   map[reflect.Type]any
	written
}

// written tells what the transaction of a session wrote.
type written struct {
	event   int64      // the number of its last event, 0 before there is one
	chained chainedRow // the last row of a chain
	acts    []string   // of its events, each once
}

// keep returns the T that a session keeps from one transaction to the next, a zero one
// when there is none yet. A rollback ends it: it may include rows that were rolled back.
func keep[T any](s *session) *T { return stateOf[T](s.kept) }

// within returns the T of the current transaction of a session, a zero one when there is
// none yet.
func within[T any](s *session) *T { return stateOf[T](s.begun) }

func stateOf[T any](all map[reflect.Type]any) *T {
	of := reflect.TypeFor[T]()
	if known, ok := all[of].(*T); ok {
		return known
	}
	v := new(T)
	all[of] = v
	return v
}

// wroteRow notes the last row of a chain that the transaction wrote.
func (s *session) wroteRow(table string, seq int64, hash string) {
	s.chained = chainedRow{table, seq, hash}
}

// wroteEvent notes an event that the transaction wrote.
func (s *session) wroteEvent(table string, seq int64, hash, act string) {
	s.wroteRow(table, seq, hash)
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

// newSession opens a session that writes its events with the witness of db: a
// reader can become the writer.
func (db *connections) newSession(ctx context.Context, use engine.Use) (*session, error) {
	conn, err := db.engine.Conn(ctx, use)
	if err != nil {
		return nil, db.engine.Describe(err)
	}
	return &session{Conn: conn, engine: db.engine, hints: engine.Hints(db.engine.Hints()), witness: db.witness, trust: db.trust, kept: map[reflect.Type]any{}, begun: map[reflect.Type]any{}}, nil
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

// viewed returns what fn reads in a snapshot.
func viewed[T any](ctx context.Context, db *connections, fn func(*session) (T, error)) (v T, err error) {
	err = db.view(ctx, func(s *session) error {
		v, err = fn(s)
		return err
	})
	return v, err
}
