package pages_test

import (
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"toolcrib/shortrun"
	"toolcrib/store/pages"
)

// TestReadsWhatTheEngineReads compares every row and entry with what the engine
// says, at every size of pages, and finds a use for each page.
func TestReadsWhatTheEngineReads(t *testing.T) {
	shortrun.OneGoroutine(t)
	for _, size := range []int{512, 1024, 4096, 1 << 16} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			path, trees := build(t, size, 1500)
			f, err := open(t, image(t, path))
			if err != nil {
				t.Fatal(err)
			}
			for name, want := range trees {
				got, err := read(f, want.root, want.rowid)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if !slices.Equal(got, want.content) {
					t.Errorf("%s: %d rows are not those %d that the engine has", name, len(got), len(want.content))
				}
			}
			if _, err := read(f, 1, true); err != nil {
				t.Errorf("the schema: %v", err)
			}
			if err := f.Freelist(); err != nil {
				t.Error(err)
			}
			if page := f.Unclaimed(); page != 0 {
				t.Errorf("page %d has no use", page)
			}
		})
	}
}

// soundBy reports whether every tree and the free list are read to their end,
// and each page has one use.
func soundBy(f *pages.File, trees map[string]tree) bool {
	for _, want := range trees {
		if _, err := read(f, want.root, want.rowid); err != nil {
			return false
		}
	}
	_, err := read(f, 1, true)
	return err == nil && f.Freelist() == nil && f.Unclaimed() == 0
}

// TestSeesWhatTheEngineSees changes bytes of the structure: what the engine's
// own check finds there is found here, too.
func TestSeesWhatTheEngineSees(t *testing.T) {
	shortrun.OneGoroutine(t)
	path, trees := build(t, 512, 400)
	original := image(t, path)
	random := rand.New(rand.NewPCG(7, 8))
	found, missed := 0, 0
	for range 500 {
		spoilt := slices.Clone(original)
		page := random.IntN(len(spoilt)/512) * 512
		at := page + random.IntN(60) // headers, pointers, and the beginnings of chains
		spoilt[at] ^= byte(1 + random.IntN(255))
		if at < 100 {
			continue // the engine reads the header its own way
		}
		damaged := engineFinds(t, spoilt)
		f, err := open(t, spoilt)
		sound := err == nil && soundBy(f, trees)
		switch {
		case damaged && sound:
			missed++
			t.Errorf("byte %d: the engine finds damage", at)
		case damaged:
			found++
		}
	}
	t.Logf("%d of the changes were damage to the engine, %d of them were missed", found, missed)
	if found < 50 {
		t.Errorf("only %d changes were damage", found)
	}
}

func engineFinds(t *testing.T, image []byte) bool {
	t.Helper()
	path := filepath.Join(t.TempDir(), "spoilt.db")
	if err := os.WriteFile(path, image, 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // it is thrown away
	var answer string
	// Only the pages are looked at: what rows and indexes say of each other is
	// not for this package.
	err = db.QueryRowContext(t.Context(), `SELECT coalesce(max(integrity_check), 'ok') FROM pragma_integrity_check
		WHERE integrity_check LIKE '%Tree%' OR integrity_check LIKE 'Freelist%' OR integrity_check LIKE 'Page%'`).Scan(&answer)
	return err != nil || answer != "ok"
}

// TestLogged finds the pages of a log, and bears with what is none.
func TestLogged(t *testing.T) {
	path, _ := build(t, 4096, 50)
	db, err := sql.Open("sqlite", path+"?_pragma=journal_mode(WAL)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // it is thrown away
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(t.Context(), "UPDATE plain SET b = b + 1 WHERE n = (SELECT min(n) FROM plain)"); err != nil {
		t.Fatal(err)
	}
	log, err := os.Open(path + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	logged, err := pages.Logged(log, 4096)
	if err != nil || len(logged) == 0 {
		t.Errorf("%v, %v", logged, err)
	}
	if _, err := pages.Logged(log, 1024); !errors.Is(err, pages.ErrUnsound) {
		t.Errorf("with other pages: %v", err)
	}
	empty, err := os.Create(filepath.Join(t.TempDir(), "empty"))
	if err != nil {
		t.Fatal(err)
	}
	defer empty.Close()
	if logged, err := pages.Logged(empty, 4096); err != nil || len(logged) > 0 {
		t.Errorf("an empty log: %v, %v", logged, err)
	}
}

// FuzzFile reads whatever it is given as a database: it ends, and never panics.
func FuzzFile(f *testing.F) {
	path, _ := build(f, 512, 12)
	f.Add(image(f, path))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 1<<20 {
			t.Skip()
		}
		file, err := open(t, b)
		if err != nil {
			return
		}
		for root := uint32(1); root <= uint32(len(b)/512) && root < 8; root++ {
			for _, rowid := range []bool{true, false} {
				if lines, err := read(file, root, rowid); err == nil && len(lines) > len(b) {
					t.Errorf("%d rows of %d bytes", len(lines), len(b))
				}
			}
		}
		_ = file.Freelist() // an error is an answer
		_ = file.Unclaimed()
	})
}
