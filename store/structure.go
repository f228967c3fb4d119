package store

import (
	"context"

	"toolcrib/history"
)

// Structure implements history.Ledger: the core and its lock, the schema, what
// the engine finds in the file, and foreign keys. The engine's quick check would
// take half the time and miss an index that disagrees with its table, which
// changes what lists show and which rejections are found.
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
	if err := s.schemaDrift(ctx, fn); err != nil {
		return err
	}
	answers, err := s.check(ctx, "integrity_check")
	for _, answer := range answers {
		fn(history.Damage{Table: "sqlite_schema", Key: "file", Message: "The integrity check of SQLite reports: " + answer + "."})
	}
	if err != nil {
		return err
	}
	return s.danglingKeys(ctx, func(table, message string) { fn(history.Damage{Table: table, Message: message + "."}) })
}
