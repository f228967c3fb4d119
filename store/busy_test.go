package store

import (
	"context"
	"database/sql"
	"errors"
	"runtime"
	"testing"
	"time"

	"toolcrib/store/session"
	"toolcrib/store/sqlite"
)

// held begins a transaction on the file of db with another connection, and runs the statements in it. release ends it.
func held(t *testing.T, db *DB, statements ...string) (release func()) {
	t.Helper()
	other, err := sql.Open(sqlite.Driver, "file:"+db.Path()+"?_pragma=busy_timeout(180000)")
	if err != nil {
		t.Fatal(err)
	}
	other.SetMaxOpenConns(1)
	for _, statement := range statements {
		if _, err := other.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	return func() {
		if err := other.Close(); err != nil {
			t.Error(err)
		}
	}
}

// writeRow writes without the desk, which is enough to check whether a write succeeds.
func writeRow(ctx context.Context, db *DB) error {
	return db.pool.Update(ctx, func(s *session.Session) error {
		_, err := s.Exec(ctx, insertRow)
		return errors.Join(err, errDone)
	})
}

// TestWaitingCanBeInterrupted cancels a waiting writer, which must return the error of the context.
func TestWaitingCanBeInterrupted(t *testing.T) {
	db := reopened(t)
	defer held(t, db, "BEGIN IMMEDIATE")()
	ctx, cancel := context.WithCancel(t.Context())
	waited := make(chan error)
	go func() { waited <- writeRow(ctx, db) }()
	for !db.Blocked() {
		runtime.Gosched()
	}
	cancel()
	if err := <-waited; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if db.Blocked() {
		t.Error("nothing waits any more")
	}
}

// TestReaderCannotWrite interrupts a connection while it becomes the writer. Later users of the connection must wait
// like readers and must not be able to write.
func TestReaderCannotWrite(t *testing.T) {
	db := reopened(t)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	held(t, db, "PRAGMA journal_mode(DELETE)")()
	db, err := Open(t.Context(), db.Path(), Options{Now: time.Now, NewID: func() string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // the writes report what matters
	if err := db.pool.View(t.Context(), func(*session.Session) error { return nil }); err != nil {
		t.Fatal(err)
	}
	release := held(t, db, "BEGIN", "SELECT * FROM sqlite_schema")
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := writeRow(ctx, db); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("it became a writer beside another who reads: %v", err)
	}
	_, most := db.pool.Readers()
	for range most + 1 {
		err := db.pool.View(t.Context(), func(s *session.Session) error {
			for pragma, want := range map[string]string{"query_only": "1", "busy_timeout": "30000"} {
				if got := set(t, s, pragma); got != want {
					t.Errorf("a reader has %s = %s", pragma, got)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	release()
	if err := writeRow(t.Context(), db); !errors.Is(err, errDone) {
		t.Error(err)
	}
}
