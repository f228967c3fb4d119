package store

import (
	"context"

	"toolcrib/history"
)

// Structure implements history.Ledger: the core and its lock, and what
// the engine finds in its schema, its indexes and its foreign keys.
func (l Ledger) Structure(ctx context.Context, fn func(history.Damage)) error {
	if l.file != nil {
		defer func() { l.free <- l.file }()
		return l.file.structure(ctx, fn)
	}
	return l.use(ctx, func(s *session) error { return s.structure(ctx, fn) })
}

func (s *session) structure(ctx context.Context, fn func(history.Damage)) error {
	if err := s.checkCore(ctx); err != nil {
		fn(history.Damage{Table: "core", Message: err.Error() + "."})
	}
	return s.engine.Structure(ctx, s.Conn, fn)
}
