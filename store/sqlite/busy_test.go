package sqlite

import (
	"database/sql"
	"path/filepath"
	"testing"

	"toolcrib/store/engine"
)

// held lets another connection begin a transaction on the file of db and do as
// it is told in it, until release.
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

// TestWriterGetsTheLockWhenItIsFree lets a writer wait while the lock is held, and
// then lets go of it.
func TestWriterGetsTheLockWhenItIsFree(t *testing.T) {
	f, err := Open(t.Context(), filepath.Join(t.TempDir(), "toolcrib.db"), Options{Readers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // nothing is written any more
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
