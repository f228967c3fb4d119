package store

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"toolcrib/shortrun"
	"toolcrib/store/audit"
)

// TestReadByPages names the tables that the engine has to check, which takes
// longer: a constraint or an index that audit does not know makes a table one of
// them, or keeps every database from being read by pages. Then audit has to
// learn it.
func TestReadByPages(t *testing.T) {
	shortrun.OneGoroutine(t)
	path := t.TempDir() + "/toolcrib.db"
	ids := 0
	newID := func() string { ids++; return fmt.Sprintf("01990000-0000-7000-8000-%012d", ids) }
	db, err := Open(t.Context(), path, Options{Now: time.Now, NewID: newID})
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	err = db.view(t.Context(), func(s *session) error {
		tables, err := audit.Describe(t.Context(), s.each)
		left = audit.New(tables, seals()).Left()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("left to the engine: %q", left)
	for _, s := range seals() {
		if slices.Contains(left, s.Table) {
			t.Errorf("%s is left to the engine", s.Table)
		}
	}
	for _, table := range []string{"proposals", "issues", "live", "names"} {
		if slices.Contains(left, table) {
			t.Errorf("%s is left to the engine", table)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
