package store_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/review"
	"toolcrib/store"
	"toolcrib/store/storetest"
)

func options() store.Options {
	return store.Options{Now: storetest.NewClock().Now, NewID: storetest.IDs(0)}
}

// TestPaths opens files with names that have a special meaning in a URI.
func TestPaths(t *testing.T) {
	storetest.NeedsFile(t)
	shortrun.OneGoroutine(t)
	for i, name := range []string{
		"plain.db", "a b.db", "a?b.db", "a?mode=memory&x=.db", "a#b.db", "100%.db", "a%20b.db", "%2e.db", "Müller ÄÖÜ.db", "場面.db", "a'b\"c.db", "a\\b.db", "file:x.db", ":memory:", "-x.db", "a;b&c=d.db",
		"line\nbreak.db", strings.Repeat("x", 200) + ".db",
	} {
		if i%min(stride, 4) != 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "in "+name, name)
			if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			db := storetest.Open(t, path)
			listedQueue(t, db, 3)
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			if info, err := os.Stat(path); err != nil || info.Size() == 0 {
				t.Errorf("the file is not where it was asked for: %v", err)
			}
			entries, err := os.ReadDir(filepath.Dir(path))
			if err != nil || len(entries) != 1 {
				t.Errorf("beside the file there is %v, %v", entries, err)
			}
			again := storetest.Open(t, path)
			if got := len(list(t, again, review.Query{}).Proposals); got != 3 {
				t.Errorf("%d proposals are there; want 3", got)
			}
		})
	}
	t.Chdir(t.TempDir())
	storetest.Open(t, "relative.db")
	if _, err := os.Stat("relative.db"); err != nil {
		t.Error(err)
	}
}

// refusesFile checks that opening a file fails, does not change it, and leaves no other files.
func refusesFile(t *testing.T, path string, want error) {
	t.Helper()
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(t.Context(), path, options())
	if err == nil {
		err = errors.Join(errors.New("it was opened"), db.Close())
	}
	if !errors.Is(err, want) || !strings.Contains(err.Error(), path) {
		t.Errorf("%s: %v; want %v", filepath.Base(path), err, want)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("%s was written to (%v)", filepath.Base(path), err)
	}
	for _, beside := range []string{"-wal", "-shm", "-journal"} {
		if _, err := os.Stat(path + beside); err == nil {
			t.Errorf("%s%s was left behind", filepath.Base(path), beside)
		}
	}
}

// TestNotADatabase opens files of other programs. Opening must fail and not change them.
func TestNotADatabase(t *testing.T) {
	storetest.NeedsFile(t)
	shortrun.OneGoroutine(t)
	dir := t.TempDir()
	write := func(name string, b []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	byHand := func(name, statements string) string {
		path := filepath.Join(dir, name)
		if err := storetest.ExecRaw(t.Context(), path, statements); err != nil {
			t.Fatal(err)
		}
		return path
	}
	ours := image(t)
	newer := write("newer.db", ours)
	if err := storetest.ExecRaw(t.Context(), newer, "PRAGMA user_version = 9999"); err != nil {
		t.Fatal(err)
	}
	numbered := write("numbered.db", ours) // as commit 90663e4 created its files (G8)
	if err := storetest.ExecRaw(t.Context(), numbered, "PRAGMA user_version = 20"); err != nil {
		t.Fatal(err)
	}
	renumbered := write("renumbered.db", ours)
	if err := storetest.ExecRaw(t.Context(), renumbered, "ALTER TABLE proposals RENAME COLUMN title TO label; PRAGMA user_version = 6"); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]error{
		newer: store.ErrNewer, numbered: store.ErrNumbering, renumbered: store.ErrNumbering,
		byHand("foreign.db", "CREATE TABLE notes (text)"):                        store.ErrForeign,
		byHand("empty schema.db", "PRAGMA user_version = 7"):                     store.ErrForeign,
		byHand("marked.db", "PRAGMA application_id = 7"):                         store.ErrForeign,
		byHand("wal.db", "PRAGMA journal_mode = WAL; CREATE TABLE notes (text)"): store.ErrForeign,
		write("text.db", []byte(strings.Repeat("no database ", 1000))):           store.ErrForeign,
		write("short.db", []byte("x")):                                           store.ErrForeign,
		write("cut.db", ours[:len(ours)/2]):                                      store.ErrDamaged,
		write("header.db", append([]byte("SQLite format 4\x00"), ours[16:]...)):  store.ErrForeign,
	} {
		refusesFile(t, path, want)
	}
	if _, err := store.Open(t.Context(), dir, options()); err == nil {
		t.Error("a folder was opened")
	}
	if _, err := store.Open(t.Context(), filepath.Join(newer, "x.db"), options()); err == nil {
		t.Error("a file in a file was opened")
	}
}

// TestNewerWithALog opens a database with a newer schema and a write-ahead log, as after a crash. Opening must fail and
// keep both files.
func TestNewerWithALog(t *testing.T) {
	storetest.NeedsFile(t)
	db := storetest.New(t)
	listedQueue(t, db, 5)
	if err := db.SQL(t.Context(), "PRAGMA user_version = 9999"); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "newer.db")
	files := map[string][]byte{}
	for _, beside := range []string{"", "-wal"} {
		b, err := os.ReadFile(db.Path() + beside)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path+beside, b, 0o600); err != nil {
			t.Fatal(err)
		}
		files[beside] = b
	}
	if _, err := store.Open(t.Context(), path, options()); !errors.Is(err, store.ErrNewer) {
		t.Errorf("got %v", err)
	}
	for beside, before := range files {
		if after, err := os.ReadFile(path + beside); err != nil || !bytes.Equal(before, after) {
			t.Errorf("newer.db%s: %d bytes became %d (%v)", beside, len(before), len(after), err)
		}
	}
}

// TestEmptyFile creates a database in an empty file, such as mktemp creates.
func TestEmptyFile(t *testing.T) {
	storetest.NeedsFile(t)
	shortrun.OneGoroutine(t)
	path := filepath.Join(t.TempDir(), "empty.db")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if report := verify(t, storetest.Open(t, path)); len(report.Damage) > 0 {
		t.Errorf("damage: %+v", report.Damage)
	}
}

// TestInterruptedMigration resumes the migration of a killed process.
func TestInterruptedMigration(t *testing.T) {
	shortrun.NeedsLong(t)
	storetest.NeedsFile(t)
	shortrun.OneGoroutine(t)
	whole := storetest.Dump(t, storetest.Open(t, filepath.Join(t.TempDir(), "whole.db")).Path())
	numbers := store.Steps()
	for steps := range len(numbers) + 1 {
		path := filepath.Join(t.TempDir(), "toolcrib.db")
		if err := store.Interrupted(t.Context(), path, options(), steps); err != nil {
			t.Fatal(err)
		}
		db := storetest.Open(t, path)
		if report := verify(t, db); len(report.Damage) > 0 {
			t.Errorf("after %d steps: %+v", steps, report.Damage)
		}
		if lines := storetest.Difference(whole, db.Dump(t)); len(lines) > 0 {
			t.Errorf("after %d steps the database differs in %d lines: %.300s", steps, len(lines), lines[0])
		}
	}
}

// TestConcurrentFirstOpen opens the same new file several times concurrently.
func TestConcurrentFirstOpen(t *testing.T) {
	storetest.NeedsFile(t)
	path := filepath.Join(t.TempDir(), "toolcrib.db")
	var done sync.WaitGroup
	for i := range 8 {
		done.Go(func() {
			db, err := store.Open(context.Background(), path, store.Options{Now: storetest.NewClock().Now, NewID: storetest.IDs(uint16(i))})
			if err == nil {
				err = db.Close()
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	done.Wait()
	if report := verify(t, storetest.Open(t, path)); len(report.Damage) > 0 || report.Rows["versions"] != report.Rows["events"] {
		t.Errorf("rows %v, damage %+v", report.Rows, report.Damage)
	}
}
