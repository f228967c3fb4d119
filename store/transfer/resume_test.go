package transfer_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/store/pg/pgtest"
	"toolcrib/store/storetest"
	"toolcrib/store/transfer"
)

// TestResumesAfterKills kills the process after each batch, in both directions, and resumes the copy in another
// process.
func TestResumesAfterKills(t *testing.T) {
	shortrun.NeedsLong(t)
	shortrun.OneGoroutine(t)
	t.Parallel()
	c := pgtest.Shared(t)
	d := source(t)
	to, back := address(t, c), filepath.Join(t.TempDir(), "back.db")
	for _, hop := range [][2]string{{d.Path(), to}, {to, back}} {
		kills := 0
		for ; kills < 100; kills++ {
			cmd := exec.CommandContext(t.Context(), os.Args[0], hop[0], hop[1])
			cmd.Env = append(os.Environ(), childVariable+"="+strconv.Itoa(1+kills%2))
			out, err := cmd.CombinedOutput()
			if err == nil {
				break
			}
			if strings.Contains(string(out), "the database is busy") {
				kills-- // the server has not yet ended the session of the process killed before
				continue
			}
			if cmd.ProcessState.ExitCode() != -1 {
				t.Fatalf("%v: %s", err, out)
			}
		}
		if kills < 5 {
			t.Errorf("%s to %s was killed %d times only", hop[0], hop[1], kills)
		}
	}
	verify(t, back)
	if again := copied(t, d.Path(), back); !again.Already {
		t.Errorf("%+v", again)
	}
}

// TestSourceChangesMeanwhile interrupts a copy, changes the source, and resumes the copy.
func TestSourceChangesMeanwhile(t *testing.T) {
	shortrun.NeedsLong(t)
	t.Parallel()
	c := pgtest.Shared(t)
	d := source(t)
	stop := errors.New("stop")
	for _, to := range []string{address(t, c), filepath.Join(t.TempDir(), "copy.db")} {
		_, err := transfer.Copy(t.Context(), d.Path(), to, transfer.Options{Progress: func(table string, _ int64) error {
			if table == "versions" {
				return stop
			}
			return nil
		}})
		if !errors.Is(err, stop) {
			t.Fatal(err)
		}
		desk := d.Desk(t, review.Policy{Severities: storetest.BasicSeverities()})
		d.Approved(t, desk, proposals.Actor{Kind: proposals.User, Name: "mara"}, storetest.Action("late_"+strconv.Itoa(len(to))))
		if err := d.SQL(t.Context(), "UPDATE memories SET content = content || '!'"); err != nil {
			t.Fatal(err)
		}
		copied(t, d.Path(), to)
		if again := copied(t, d.Path(), to); !again.Already {
			t.Errorf("%+v", again)
		}
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
		if report := copied(t, d.Path(), to); !report.Already || report.Copied != 0 {
			t.Errorf("%s: %+v", to, report)
		}
		back := filepath.Join(dir, fmt.Sprintf("back_%d.db", round))
		copied(t, to, back)
		verify(t, back)
	}
}
