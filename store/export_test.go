package store

import (
	"context"
	"errors"
	"slices"
	"testing"

	"toolcrib/internal/lists"
	"toolcrib/store/engine"
	"toolcrib/store/queue"
	"toolcrib/store/session"
	"toolcrib/store/sqlite"
)

// ScanLimit is the number of proposals up to which a filter of less than three characters scans the list.
const ScanLimit = queue.ScanLimit

// Steps returns the numbers of the migrations in order.
func Steps() []int {
	return lists.Map(new(sqlite.File).Steps(0), func(step engine.Step) int { return step.Number })
}

// Interrupted is like Open for a new database, but stops after the first steps of the migration, as if the process had
// been killed.
func Interrupted(ctx context.Context, path string, opts Options, steps int) error {
	file, err := sqlite.Open(ctx, path, sqlite.Options{Readers: 1})
	if err != nil {
		return err
	}
	db := use(file, opts)
	for _, step := range file.Steps(0)[:steps] {
		err = errors.Join(err, db.migrateStep(ctx, step))
	}
	return errors.Join(err, db.Close())
}

// Statements returns the number of prepared statements that a reading connection caches.
func Statements(t *testing.T, db *DB) (n int) {
	t.Helper()
	err := db.pool.View(t.Context(), func(s *session.Session) error {
		n = len(slices.Collect(s.Statements()))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Exec runs a statement on the writing connection.
func Exec(t testing.TB, db *DB, statement string) {
	t.Helper()
	err := db.pool.Update(t.Context(), func(s *session.Session) error {
		_, err := s.Exec(t.Context(), statement)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
