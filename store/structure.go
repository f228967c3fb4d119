package store

import (
	"context"

	"toolcrib/history"
)

// Structure implements history.Ledger: the core and its lock, and what
// the engine finds in its schema, its indexes and its foreign keys.
func (l Ledger) Structure(ctx context.Context, deep bool, fn func(history.Damage)) error {
	if l.file != nil {
		defer func() { l.free <- l.file }()
		return l.structure(ctx, l.file, deep, fn)
	}
	return l.use(ctx, func(s *session) error { return l.structure(ctx, s, deep, fn) })
}

func (l Ledger) structure(ctx context.Context, s *session, deep bool, fn func(history.Damage)) error {
	if err := s.checkCore(ctx); err != nil {
		l.blame(err)
		fn(history.Damage{Table: "core", Message: err.Error() + "."})
	}
	err := l.engine.Structure(ctx, s.Conn, deep, fn)
	l.blame(err)
	return err
}
