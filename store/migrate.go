package store

import (
	"context"
	"fmt"

	"toolcrib/store/engine"
)

// prepare brings the schema up to date and makes sure that the core is
// the shipped one. A database that is current costs two reads.
func (db *DB) prepare(ctx context.Context) error {
	version, err := viewed(ctx, db, func(s *session) (int, error) { return db.engine.Schema(ctx, s.Conn) })
	if err != nil {
		return err
	}
	if !db.engine.Current(version) {
		if err := db.migrate(ctx); err != nil {
			return err
		}
	}
	return db.view(ctx, func(s *session) error { return s.checkCore(ctx) })
}

// migrate runs the steps that the database lacks. Another process may do the
// same at once: each step looks again inside its transaction.
func (db *DB) migrate(ctx context.Context) error {
	steps, err := db.engine.Steps()
	if err != nil {
		return err
	}
	for _, step := range steps {
		if err := db.take(ctx, step); err != nil {
			return fmt.Errorf("migration %d: %w", step.Number, err)
		}
	}
	return nil
}

// take runs a step unless the database already has it.
func (db *DB) take(ctx context.Context, step engine.Step) error {
	return db.update(ctx, func(s *session) error {
		version, err := db.engine.Schema(ctx, s.Conn)
		if err != nil || version >= step.Number {
			return err
		}
		if step.SQL == "" {
			err = seed(ctx, db, s)
		} else {
			err = s.Script(ctx, step.SQL)
		}
		if err != nil {
			return err
		}
		return db.engine.Took(ctx, s.Conn, step)
	})
}
