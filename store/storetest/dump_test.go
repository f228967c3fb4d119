package storetest_test

import (
	"testing"

	"toolcrib/store/storetest"
)

// recorder is a test that records errors instead of failing.
type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Errorf(string, ...any) { r.failed = true }

// TestUnchanged checks that Unchanged reports a changed row, and neither a change that is undone nor a checkpoint.
func TestUnchanged(t *testing.T) {
	for _, c := range []struct {
		name, sql string
		changes   bool
	}{
		{"nothing", "SELECT 1", false},
		{"a row", "INSERT INTO projects (owner, name, name_key) VALUES (1, 'n', 'n')", true},
		{"undone", "BEGIN; CREATE TABLE x (y); ROLLBACK", false},
		{"a checkpoint", "PRAGMA wal_checkpoint(TRUNCATE)", false},
		{"free pages", "CREATE TABLE x (y); DROP TABLE x", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			storetest.NeedsFile(t)
			db := storetest.New(t)
			r := &recorder{TB: t}
			db.Unchanged(r, func() {
				if err := db.SQL(t.Context(), c.sql); err != nil {
					t.Fatal(err)
				}
			})
			if got := r.failed; got != c.changes {
				t.Errorf("reported a change: %v", got)
			}
		})
	}
}
