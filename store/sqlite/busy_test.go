package sqlite

import (
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"toolcrib/store/engine"
)

// held begins a transaction on the file of f with another connection, and runs the statements in it. release ends it.
func held(t *testing.T, f *File, statements ...string) (release func()) {
	t.Helper()
	other, err := sql.Open(Driver, "file:"+f.path+"?_pragma=busy_timeout(5000)")
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

// opened returns a new file.
func opened(t *testing.T) *File {
	t.Helper()
	f, err := Open(t.Context(), filepath.Join(t.TempDir(), "toolcrib.db"), Options{Readers: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

// TestBusyErrorIsReadable lets the timeout of a writer expire. The error must wrap a sentinel and not contain the text
// of the engine, and the writer must succeed when the lock is free again.
func TestBusyErrorIsReadable(t *testing.T) {
	f := opened(t)
	f.busyTimeout = 0
	w, err := f.Conn(t.Context(), engine.Write)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close() //nolint:errcheck // nothing is written
	for round := range 2 {
		release := held(t, f, "BEGIN IMMEDIATE")
		err := f.Begin(t.Context(), w, engine.Write)
		if !errors.Is(err, engine.ErrBusy) || strings.Contains(err.Error(), "SQLITE") || !strings.Contains(err.Error(), "try again") {
			t.Errorf("round %d: %v", round, err)
		}
		release()
		if err := errors.Join(f.Begin(t.Context(), w, engine.Write), w.Script(t.Context(), "ROLLBACK")); err != nil {
			t.Errorf("round %d, when the others are gone: %v", round, err)
		}
	}
}

// TestWriterGetsTheLockWhenItIsFree lets a writer wait for a lock and then releases the lock.
func TestWriterGetsTheLockWhenItIsFree(t *testing.T) {
	f := opened(t)
	w, err := engine.Connect(t.Context(), f.write)
	if err != nil {
		t.Fatal(err)
	}
	release := held(t, f, "BEGIN IMMEDIATE")
	tries := 0
	err = f.retryBusy(t.Context(), func() error {
		if tries++; tries == 3 {
			release()
		}
		_, err := w.Exec(t.Context(), "BEGIN IMMEDIATE")
		return err
	})
	if tries != 3 || err != nil {
		t.Errorf("%d tries, %v", tries, err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}
