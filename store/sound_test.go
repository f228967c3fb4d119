package store_test

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"toolcrib/history"
	"toolcrib/review"
	"toolcrib/store"
	"toolcrib/store/storetest"
)

// piecewise is a ledger that is read by the engine alone.
type piecewise struct{ history.Ledger }

// bothWays asks whether a database is sound, and has the engine look at all of
// it.
func bothWays(ctx context.Context, db *store.DB) (rows map[string]int64, sound bool, report history.Report, err error) {
	err = db.Audit(ctx, func(l history.Ledger) error {
		rows, sound = l.(history.Prover).Sound(ctx, nil)
		var err error
		report, err = history.Verify(ctx, piecewise{l}, nil)
		return err
	})
	return rows, sound, report, err
}

// TestSound reads databases that are sound, and says so at once, with the rows
// that the engine finds.
func TestSound(t *testing.T) {
	for name, db := range map[string]*storetest.Database{"new": storetest.New(t), "full": full(t), "crowd": crowded(t)} {
		rows, sound, report, err := bothWays(t.Context(), db.DB)
		if err != nil || len(report.Damage) > 0 {
			t.Fatalf("%s: %+v, %v", name, report.Damage, err)
		}
		if !sound || !maps.Equal(rows, report.Rows) {
			t.Errorf("%s: sound %t, %v rows; the engine reads %v", name, sound, rows, report.Rows)
		}
	}
}

func crowded(t *testing.T) *storetest.Database {
	t.Helper()
	path := filepath.Join(t.TempDir(), "toolcrib.db")
	if err := (storetest.Crowd{Tools: 300, Waiting: 40, Versions: 200}).Fill(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	return storetest.Open(t, path)
}

// TestNothingSoundIsDamaged changes bytes anywhere in a file: whatever the
// engine finds fault with is not called sound.
func TestNothingSoundIsDamaged(t *testing.T) {
	flips := 60 / stride
	random := rand.New(rand.NewPCG(9, 10))
	sounds, damages := 0, 0
	original := image(t)
	for range flips {
		spoilt := slices.Clone(original)
		at := random.IntN(len(spoilt))
		if random.IntN(2) == 0 { // within what is not sealed: the heads of pages
			at = at/4096*4096 + random.IntN(100)
		}
		spoilt[at] ^= byte(1 + random.IntN(255))
		path := filepath.Join(t.TempDir(), "toolcrib.db")
		if err := os.WriteFile(path, spoilt, 0o600); err != nil {
			t.Fatal(err)
		}
		db, err := store.Open(t.Context(), path, store.Options{Now: storetest.NewClock().Now, NewID: storetest.IDs(0), Inspect: true})
		if err != nil {
			continue
		}
		_, sound, report, err := bothWays(t.Context(), db)
		if sound {
			sounds++
		}
		if err != nil || len(report.Damage) > 0 {
			damages++
			if sound {
				t.Errorf("byte %d: it is called sound, and the engine finds %+v, %v", at, report.Damage, err)
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d of %d changes were damage, %d were called sound", damages, flips, sounds)
}

// TestSoundWithALongLog has more pages in the log than are taken from the engine
// beforehand, so that each is asked for when its turn comes: what is sound is
// called so, and an issue that was changed in the log is not.
func TestSoundWithALongLog(t *testing.T) {
	db := full(t)
	db.Approved(t, db.Desk(t, review.Policy{Severities: storetest.Basics()}), ada, storetest.Prompt("in_the_log"))
	const mebibytes = store.MaxKeptPages*4096>>20 + 4
	if err := db.SQL(t.Context(), fmt.Sprintf(`WITH RECURSIVE one (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM one WHERE n < %d)
		INSERT INTO owners (customer, user, instructions) SELECT 'customer ' || n, 'ada', printf('%%.*c', 1 << 20, 'x') FROM one`, mebibytes)); err != nil {
		t.Fatal(err)
	}
	if log, err := os.Stat(db.Path() + "-wal"); err != nil || log.Size() <= store.MaxKeptPages*4096 {
		t.Fatalf("the log is too short: %v, %v", log, err)
	}
	rows, sound, report, err := bothWays(t.Context(), db.DB)
	if err != nil || !sound || !maps.Equal(rows, report.Rows) || len(report.Damage) > 0 {
		t.Errorf("sound %t, %v; the engine reads %v and finds %+v, %v", sound, rows, report.Rows, report.Damage, err)
	}
	if err := db.SQL(t.Context(), "UPDATE issues SET title = 'other' WHERE number = (SELECT max(number) FROM issues)"); err != nil {
		t.Fatal(err)
	}
	_, sound, report, err = bothWays(t.Context(), db.DB)
	if err != nil || sound || len(report.Damage) == 0 {
		t.Errorf("after a change: sound %t, %+v, %v", sound, report.Damage, err)
	}
}

// TestSoundWhileOthersWrite reads the file by pages while one connection writes
// to its log and another one writes the log back into it: each snapshot is
// sound.
func TestSoundWhileOthersWrite(t *testing.T) {
	db := full(t)
	desk := db.Desk(t, review.Policy{Severities: storetest.Basics()})
	checkpoints, err := sql.Open("sqlite", db.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer checkpoints.Close() //nolint:errcheck // it only moves what is written
	stop := busy(t, db, desk, func(n int) {
		if n%3 == 0 {
			mode := []string{"PASSIVE", "RESTART", "TRUNCATE"}[n/3%3]
			// A checkpoint that has to wait for a reader is none.
			_, _ = checkpoints.ExecContext(t.Context(), "PRAGMA wal_checkpoint("+mode+")")
		}
	})
	for range 20 / min(stride, 10) {
		var sound bool
		err := db.Audit(t.Context(), func(l history.Ledger) error {
			_, sound = l.(history.Prover).Sound(t.Context(), nil)
			return nil
		})
		if err != nil || !sound {
			t.Errorf("sound %t, %v", sound, err)
			break
		}
	}
	stop()
}
