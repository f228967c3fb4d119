package store_test

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"toolcrib/internal/proctest"
	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/store/storetest"
)

// race starts n processes with a task, releases them when all are ready, and returns the number of occurrences of each
// exit code. The processes use the series of ids after the given one.
func race(t *testing.T, n, series int, task, path string, args ...string) map[int]int {
	t.Helper()
	codes := map[int]int{}
	var mu sync.Mutex
	var ready, done sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		cmd := spawn(t.Context(), task, append([]string{path, strconv.Itoa(series + i + 1)}, args...)...)
		var complaints strings.Builder
		cmd.Stderr = &complaints
		p := proctest.Start(t, cmd)
		ready.Add(1)
		done.Go(func() {
			_, _ = p.Out.ReadString('\n') // also returns if the child fails
			ready.Done()
			<-start
			err := errors.Join(p.In.Close(), p.Wait())
			if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			code := p.ProcessState.ExitCode()
			codes[code]++
			if code != exitDone && code != exitConflict {
				t.Errorf("process %d ended with %d: %s", i+1, code, &complaints)
			}
		})
	}
	ready.Wait()
	close(start)
	done.Wait()
	return codes
}

// TestOneOfManyProcessesApproves lets sixteen processes approve the same proposal concurrently. One must create the
// version, and the others must report that they were too late.
func TestOneOfManyProcessesApproves(t *testing.T) {
	shortrun.OneGoroutine(t)
	const racers = 16
	db := storetest.New(t)
	desk := db.Desk(t, review.Policy{Severities: storetest.BasicSeverities()})
	for round := range 2 / shortrun.Every(2) {
		draft := storetest.Prompt("tool_" + strconv.Itoa(round))
		made, err := desk.Drafting.Propose(t.Context(), scout, []proposals.Draft{draft}, true)
		if err != nil {
			t.Fatal(err)
		}
		codes := race(t, racers, round*racers, "approve", db.Path(), string(made[0].ID))
		if codes[exitDone] != 1 || codes[exitConflict] != racers-1 {
			t.Errorf("exit codes and how often: %v", codes)
		}
		if versions, err := db.Versions(t.Context(), draft.Subject, 0, 10); err != nil || len(versions) != 1 {
			t.Errorf("there are %d versions, %v", len(versions), err)
		}
	}
	if report := verify(t, db); len(report.Damage) > 0 {
		t.Errorf("damage: %+v", report.Damage)
	}
}

// TestConcurrentProcessesCreateOneDatabase opens the same new file concurrently in several processes. The migrations
// must run once.
func TestConcurrentProcessesCreateOneDatabase(t *testing.T) {
	shortrun.NeedsLong(t)
	storetest.NeedsFile(t)
	shortrun.OneGoroutine(t)
	path := filepath.Join(t.TempDir(), "toolcrib.db")
	if codes := race(t, 8, 0, "open", path); codes[exitDone] != 8 {
		t.Errorf("exit codes and how often: %v", codes)
	}
	report := verify(t, storetest.Open(t, path))
	if len(report.Damage) > 0 || report.Rows["versions"] != report.Rows["events"] {
		t.Errorf("rows %v, damage %+v", report.Rows, report.Damage)
	}
}
