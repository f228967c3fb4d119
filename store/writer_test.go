package store

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"toolcrib/store/session"

	"github.com/google/uuid"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// reopened returns a new database that was closed and opened again.
func reopened(t *testing.T) *DB {
	t.Helper()
	path := filepath.Join(t.TempDir(), "toolcrib.db")
	opts := Options{Now: time.Now, NewID: func() string { return uuid.Must(uuid.NewV7()).String() }}
	for again := false; ; again = true {
		db, err := Open(t.Context(), path, opts)
		if err != nil {
			t.Fatal(err)
		}
		if again {
			t.Cleanup(func() {
				if err := db.Close(); err != nil {
					t.Error(err)
				}
			})
			return db
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// set returns the value of a pragma of the session.
func set(t *testing.T, s *session.Session, pragma string) string {
	t.Helper()
	var value string
	if err := s.Row(t.Context(), "PRAGMA "+pragma, nil, &value); err != nil {
		t.Fatal(err)
	}
	return value
}

const insertRow = "INSERT INTO owners (customer, user) VALUES ('', 'eve')"

// TestWriteUsesTheReadingConnection checks that the first write of either kind uses the connection that has read,
// with the settings of its kind.
func TestWriteUsesTheReadingConnection(t *testing.T) {
	for name, test := range map[string]struct {
		write func(*session.Pool, context.Context, func(*session.Session) error) error
		set   map[string]string
	}{
		"a write": {(*session.Pool).Update, map[string]string{"synchronous": "2", "temp_store": "2", "cache_size": "-16384"}},
		"a log":   {(*session.Pool).Log, map[string]string{"synchronous": "1"}},
	} {
		t.Run(name, func(t *testing.T) {
			db := reopened(t)
			test.set["query_only"], test.set["journal_mode"], test.set["foreign_keys"], test.set["busy_timeout"] = "0", "wal", "1", "0"
			err := test.write(db.pool, t.Context(), func(s *session.Session) error {
				for pragma, want := range test.set {
					if got := set(t, s, pragma); got != want {
						t.Errorf("%s = %s, not %s", pragma, got, want)
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if n, _ := db.pool.Readers(); n != 0 {
				t.Errorf("%d readers are open beside it", n)
			}
		})
	}
}

func TestReadAfterWriteCannotWrite(t *testing.T) {
	db := reopened(t)
	look := func(s *session.Session) error {
		if got := set(t, s, "query_only"); got != "1" {
			t.Errorf("a reader has query_only = %s", got)
		}
		var refused *sqlite.Error
		if _, err := s.Exec(t.Context(), insertRow); !errors.As(err, &refused) || refused.Code() != sqlite3.SQLITE_READONLY {
			t.Errorf("a reader that wrote got %v", err)
		}
		return nil
	}
	for range 3 {
		if err := db.pool.View(t.Context(), look); err != nil {
			t.Fatal(err)
		}
		if err := db.pool.Update(t.Context(), func(*session.Session) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWriteWhileReadersAreInUse(t *testing.T) {
	db := reopened(t)
	var within func(depth int) error
	within = func(depth int) error {
		if _, most := db.pool.Readers(); depth == most {
			return db.pool.Update(t.Context(), func(s *session.Session) error {
				if _, err := s.Exec(t.Context(), insertRow); err != nil {
					return err
				}
				return errDone
			})
		}
		return db.pool.View(t.Context(), func(*session.Session) error { return within(depth + 1) })
	}
	for range 2 {
		if err := within(0); !errors.Is(err, errDone) {
			t.Fatal(err)
		}
	}
	// A reader that became the writer is replaced by another reader.
	other := reopened(t)
	if err := other.pool.Update(t.Context(), func(*session.Session) error { return nil }); err != nil {
		t.Fatal(err)
	}
	db = other
	if err := within(0); !errors.Is(err, errDone) {
		t.Fatal(err)
	}
}

var errDone = errors.New("done")
