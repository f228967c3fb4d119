package transfer_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/store/pg/pgtest"
)

// TestKilledCopies kills the process before several batches, in both directions. The next copy must be complete, and
// nothing of the killed ones may be left.
func TestKilledCopies(t *testing.T) {
	shortrun.NeedsLong(t)
	shortrun.OneGoroutine(t)
	t.Parallel()
	c := pgtest.Shared(t)
	d := source(t)
	to, back := address(t, c), filepath.Join(t.TempDir(), "back.db")
	for _, hop := range [][2]string{{d.Path(), to}, {to, back}} {
		for _, batch := range []int{1, 5, 10} {
			cmd := exec.CommandContext(t.Context(), os.Args[0], hop[0], hop[1])
			cmd.Env = append(os.Environ(), childVariable+"="+strconv.Itoa(batch))
			if out, err := cmd.CombinedOutput(); err == nil || cmd.ProcessState.ExitCode() != -1 {
				t.Fatalf("batch %d: %v: %s", batch, err, out)
			}
		}
		if report := copied(t, hop[0], hop[1]); report.Already {
			t.Errorf("%+v", report)
		}
	}
	verify(t, back)
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(back), ".toolcrib-*")); err != nil || left != nil {
		t.Errorf("%v is left (%v)", left, err)
	}
}

// TestTwoCopiesAtOnce repeatedly copies a database to the same new database with two concurrent processes. At least one
// of them must complete the copy. A process that fails must report the reason, and nothing may be mixed.
func TestTwoCopiesAtOnce(t *testing.T) {
	if os.Getenv("TOOLCRIB_CRASH") == "" {
		t.Skip("it takes long; make crash runs it")
	}
	shortrun.OneGoroutine(t)
	t.Parallel()
	c := pgtest.Shared(t)
	d := source(t)
	dir := t.TempDir()
	for round := range 10 {
		to := filepath.Join(dir, fmt.Sprintf("both_%d.db", round))
		if round%2 == 0 {
			to = address(t, c)
		}
		var ended [2]error
		var said [2][]byte
		var both sync.WaitGroup
		for i := range ended {
			both.Go(func() {
				const never = 1 << 30
				cmd := exec.CommandContext(t.Context(), os.Args[0], d.Path(), to)
				cmd.Env = append(os.Environ(), childVariable+"="+strconv.Itoa(never))
				said[i], ended[i] = cmd.CombinedOutput()
			})
		}
		both.Wait()
		if ended[0] != nil && ended[1] != nil {
			t.Errorf("%s: neither ended the copy: %q", to, said)
		}
		for i := range ended {
			if ended[i] != nil && !strings.Contains(string(said[i]), "another process copies into the same target") {
				t.Errorf("%s: %s", to, said[i])
			}
		}
		if report := copied(t, d.Path(), to); !report.Already {
			t.Errorf("%s: %+v", to, report)
		}
		back := filepath.Join(dir, fmt.Sprintf("back_%d.db", round))
		copied(t, to, back)
		verify(t, back)
	}
}
