package store_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"toolcrib/gateway"
	"toolcrib/history"
	"toolcrib/internal/failpoint"
	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/store/calls"
	"toolcrib/store/storetest"
)

// pruneTo returns an order to move calls before a time to a file.
func pruneTo(db *storetest.Database, by proposals.Actor, before time.Time, file string) calls.PruneOrder {
	return calls.PruneOrder{ID: db.NewID(), By: by, Now: db.Clock.Now(), Before: before, File: func(int64, int64) string { return file }}
}

// logCalls logs n calls. The outcome of the first call comes last, and the second has none.
func logCalls(t *testing.T, db *storetest.Database, n int) {
	t.Helper()
	by := gateway.Caller{Actor: scout, Agent: "assistant", User: "ada"}
	ids := make([]string, n)
	for i := range ids {
		ids[i] = db.NewID()
		err := db.Calls().Log(t.Context(), func(tx gateway.LedgerTx) error {
			c := gateway.Call{ID: ids[i], At: db.Clock.Now(), Caller: by, Name: fmt.Sprintf("lend_%d", i), ArgsHash: strings.Repeat("a", 64)}
			if _, err := tx.CountRefused(t.Context(), c, gateway.CodeUnknown, 1000); err != nil {
				return err
			}
			return tx.AddCall(t.Context(), c)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for i := n - 1; i >= 0; i-- {
		if i == 1 {
			continue
		}
		err := db.Calls().Log(t.Context(), func(tx gateway.LedgerTx) error {
			return tx.AddOutcome(t.Context(), ids[i], gateway.Outcome{Code: gateway.CodeUnknown, At: db.Clock.Now()})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// checkFile returns the damage of a file of calls.
func checkFile(t *testing.T, db *storetest.Database, file string) []history.Damage {
	t.Helper()
	prunes, err := db.Calls().Prunes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r, err := history.Verify(t.Context(), calls.File{Path: file, Prunes: prunes}, history.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r.Damage
}

// TestPrune moves calls to a file twice. The database and the files must prove the whole log, a modified file must be
// reported, and new calls must be possible.
func TestPrune(t *testing.T) {
	shortrun.OneGoroutine(t)
	db := storetest.New(t)
	logCalls(t, db, 5)
	db.Clock.Forward(48 * time.Hour)
	logCalls(t, db, 3)
	dir := t.TempDir()
	first, second := filepath.Join(dir, "first.jsonl"), filepath.Join(dir, "second.jsonl")
	cut := db.Clock.Now().Add(-30 * time.Hour)

	if _, err := db.Calls().Prune(t.Context(), pruneTo(db, scout, cut, first)); !errors.Is(err, proposals.ErrAuthority) {
		t.Errorf("an agent: %v", err)
	}
	if _, err := db.Calls().Prune(t.Context(), pruneTo(db, ada, db.Clock.Now().Add(-time.Hour), first)); err == nil {
		t.Error("the calls of the last hour can be moved")
	}
	if _, err := os.Stat(first); err == nil {
		t.Error("a refused prune wrote a file")
	}
	moved, err := db.Calls().Prune(t.Context(), pruneTo(db, ada, cut, first))
	if err != nil || moved.Calls != 5 || moved.Outcomes != 4 || moved.Call.Number != 5 {
		t.Fatalf("moved %+v: %v", moved, err)
	}
	storetest.Sound(t, db.DB)
	if d := checkFile(t, db, first); len(d) > 0 {
		t.Errorf("the file: %+v", d)
	}
	if _, err := db.Calls().Prune(t.Context(), pruneTo(db, ada, cut, second)); err != nil {
		t.Errorf("nothing to move: %v", err)
	}

	db.Clock.Forward(48 * time.Hour)
	logCalls(t, db, 2)
	if _, err := db.Calls().Prune(t.Context(), pruneTo(db, ada, db.Clock.Now().Add(-25*time.Hour), first)); !errors.Is(err, os.ErrExist) {
		t.Errorf("another file with other calls was replaced: %v", err)
	}
	if moved, err = db.Calls().Prune(t.Context(), pruneTo(db, ada, db.Clock.Now().Add(-25*time.Hour), second)); err != nil || moved.Calls != 3 {
		t.Fatalf("moved %+v: %v", moved, err)
	}
	storetest.Sound(t, db.DB)
	var list []gateway.Call
	err = db.Calls().View(t.Context(), func(l gateway.LedgerReader) error {
		list, err = l.Calls(t.Context(), gateway.CallQuery{Limit: 10})
		return err
	})
	if err != nil || len(list) != 2 || list[1].Seq != 9 {
		t.Errorf("left are %+v: %v", list, err)
	}

	text, err := os.ReadFile(second)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]string{
		"a changed call": strings.Replace(string(text), "lend_1", "lend_9", 1),
		"a missing line": strings.Join(append(strings.SplitAfter(string(text), "\n")[:2], strings.SplitAfter(string(text), "\n")[3:]...), ""),
		"a missing end":  strings.Join(strings.SplitAfter(string(text), "\n")[:4], ""),
		"another file":   `{"tools":[]}` + "\n",
	} {
		if err := os.WriteFile(second, []byte(change), 0o600); err != nil {
			t.Fatal(err)
		}
		if d := checkFile(t, db, second); len(d) == 0 {
			t.Errorf("%s is not noticed", name)
		}
	}
}

// TestPruneToTheSameFile lets another prune, and another program, create the file immediately before a prune creates
// it. The first file must remain and contain all deleted calls.
func TestPruneToTheSameFile(t *testing.T) {
	shortrun.OneGoroutine(t)
	db := storetest.New(t)
	logCalls(t, db, 3)
	db.Clock.Forward(48 * time.Hour)
	early := db.Clock.Now().Add(-24 * time.Hour)
	logCalls(t, db, 3)
	db.Clock.Forward(48 * time.Hour)
	logCalls(t, db, 2)
	late := db.Clock.Now().Add(-25 * time.Hour)
	dir := t.TempDir()
	meanwhile := func(fn func()) (disarm func()) {
		reached := false
		return failpoint.ArmFunc("file-checked", func() {
			if !reached {
				reached = true
				fn() // runs the same step again
			}
		})
	}

	theirs := filepath.Join(dir, "theirs")
	disarm := meanwhile(func() {
		if err := os.WriteFile(theirs, []byte("theirs"), 0o600); err != nil {
			t.Error(err)
		}
	})
	_, err := db.Calls().Prune(t.Context(), pruneTo(db, ada, early, theirs))
	disarm()
	if text, failed := os.ReadFile(theirs); !errors.Is(err, os.ErrExist) || string(text) != "theirs" {
		t.Errorf("the file of another program has %.40q (%v): %v", text, failed, err)
	}

	file := filepath.Join(dir, "calls.jsonl")
	disarm = meanwhile(func() {
		if moved, err := db.Calls().Prune(t.Context(), pruneTo(db, ada, late, file)); err != nil || moved.Calls != 6 {
			t.Errorf("the other prune moved %+v: %v", moved, err)
		}
	})
	_, err = db.Calls().Prune(t.Context(), pruneTo(db, ada, early, file))
	disarm()
	if !errors.Is(err, os.ErrExist) {
		t.Errorf("the file of another prune: %v", err)
	}
	if d := checkFile(t, db, file); len(d) > 0 {
		t.Errorf("the file: %+v", d)
	}
	storetest.Sound(t, db.DB)

	logCalls(t, db, 1)
	db.Clock.Forward(48 * time.Hour)
	logCalls(t, db, 1)
	late = db.Clock.Now().Add(-25 * time.Hour)
	disarm = meanwhile(func() {
		if _, err := db.Calls().Prune(t.Context(), pruneTo(db, ada, late, filepath.Join(dir, "first"))); err != nil {
			t.Error(err)
		}
	})
	_, err = db.Calls().Prune(t.Context(), pruneTo(db, ada, late, filepath.Join(dir, "second")))
	disarm()
	if !errors.Is(err, proposals.ErrConflict) || !strings.Contains(err.Error(), "run the command again") {
		t.Errorf("another prune moved the same calls: %v", err)
	}

	db.Clock.Forward(48 * time.Hour)
	logCalls(t, db, 1)
	ctx, interrupt := context.WithCancel(t.Context())
	disarm = failpoint.ArmFunc("file", interrupt)
	_, err = db.Calls().Prune(ctx, pruneTo(db, ada, db.Clock.Now().Add(-25*time.Hour), filepath.Join(dir, "third")))
	disarm()
	if !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 4 {
		t.Errorf("left are %v: %v", entries, err)
	}
}

// TestPruneByHand deletes calls without the program. Calls that no record covers must stay, and no record may cover
// calls that are not in a file in the order of the log.
func TestPruneByHand(t *testing.T) {
	shortrun.OneGoroutine(t)
	db := storetest.New(t)
	logCalls(t, db, 4)
	db.Clock.Forward(48 * time.Hour)
	logCalls(t, db, 2)
	if _, err := db.Calls().Prune(t.Context(), pruneTo(db, ada, db.Clock.Now().Add(-25*time.Hour), filepath.Join(t.TempDir(), "calls.jsonl"))); err != nil {
		t.Fatal(err)
	}
	h := openRawDB(t, db)
	h.changesNothing(
		"DELETE FROM call_outcomes WHERE seq = 4", "DELETE FROM calls WHERE seq = 5", "DELETE FROM call_prunes", "UPDATE call_prunes SET calls = 3",
		strings.NewReplacer("HASH", h.text("SELECT hash FROM calls WHERE seq = 5"), "ID", db.NewID()).Replace(
			`INSERT INTO call_prunes SELECT 2, 'ID', before, 1, 5, 'HASH', 0, last_outcome, outcome_hash, file, file_hash, pruned_by, pruned_at, seal FROM call_prunes`),
	)
	h.unlocked("DELETE FROM call_prunes")
	if len(verify(t, db).Damage) == 0 {
		t.Error("verify does not notice that the record is gone")
	}
}

// TestKilledWhilePruning kills a process at each step of a prune. All calls must then be in the database or in the
// file, both must be valid, and the next prune must move the remaining calls.
func TestKilledWhilePruning(t *testing.T) {
	shortrun.OneGoroutine(t)
	for _, at := range []string{"file 1", "file-written 1", "file-linked 1", "file-renamed 1", "calls-in-file 1", "statement 1", "statement 4", "statement 7", "committed 1"} {
		t.Run(at, func(t *testing.T) {
			db := storetest.New(t)
			logCalls(t, db, 5)
			logCalls(t, db, 1)
			file := filepath.Join(t.TempDir(), "calls.jsonl")
			args := append([]string{db.Path(), "9", file}, strings.Fields(at)...)
			cmd := spawn(t.Context(), "prune", args...)
			cmd.Stderr = os.Stderr
			if err := cmd.Run(); err == nil || cmd.ProcessState.Exited() {
				t.Fatalf("the process ended by itself: %v", err)
			}
			storetest.Sound(t, db.DB)
			db.Clock.Forward(96 * time.Hour)
			moved, err := db.Calls().Prune(t.Context(), pruneTo(db, ada, db.Clock.Now().Add(-25*time.Hour), file))
			if err != nil || moved.Calls != 5 && at != "committed 1" {
				t.Fatalf("moved %+v: %v", moved, err)
			}
			storetest.Sound(t, db.DB)
			if d := checkFile(t, db, file); len(d) > 0 {
				t.Errorf("the file: %+v", d)
			}
		})
	}
}
