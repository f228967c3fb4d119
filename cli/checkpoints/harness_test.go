package checkpoints_test

import (
	"context"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"toolcrib/cli/checkpoints"
	"toolcrib/history"
	"toolcrib/signing/checkpoint"
)

// log is a log of events that can be truncated, modified, and read concurrently.
type log struct {
	mu     sync.Mutex
	events []history.Event
	read   int // number of events that were read
}

// add appends events with an act.
func (l *log) add(n int, act string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for range n {
		e := history.Event{Seq: int64(len(l.events) + 1), At: time.Unix(1, 0), Act: act, Data: []byte("{}")}
		if len(l.events) > 0 {
			e.PrevHash = l.events[len(l.events)-1].Hash
		}
		e.Hash = e.Sum()
		l.events = append(l.events, e)
	}
}

func (l *log) EventsAfter(_ context.Context, after int64, limit int) ([]history.Event, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	events := l.events[min(int(after), len(l.events)):]
	events = events[:min(limit, len(events))]
	l.read += len(events)
	return slices.Clone(events), nil
}

func (l *log) CallHash(context.Context, int64) (int64, string, error) { return 0, "", nil }

func git(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "git", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// repository creates a repository. If origin is set, the repository pushes to it.
func repository(t *testing.T, origin string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := filepath.Join(t.TempDir(), "repository")
	git(t, append([]string{"init", "-q", dir}, args...)...)
	if origin != "" {
		git(t, "-C", dir, "remote", "add", "origin", origin)
	}
	return dir
}

func signer(t *testing.T) note.Signer {
	t.Helper()
	file := filepath.Join(t.TempDir(), "key")
	if _, err := checkpoint.NewKey(file); err != nil {
		t.Fatal(err)
	}
	s, err := checkpoint.ReadSigner(file)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func publisher(t *testing.T, l *log, dir string) *checkpoints.Publisher {
	t.Helper()
	return &checkpoints.Publisher{
		Log: l, To: "git:" + dir, Signer: signer(t), State: t.TempDir(), Now: time.Now,
		Target: func(genesis string) checkpoints.Target { return checkpoints.Git{Dir: dir, Genesis: genesis} },
	}
}

// savedState returns the newest checkpoint in a repository and the number of published ones.
func savedState(t *testing.T, l *log, dir string) (c checkpoint.Checkpoint, commits int) {
	t.Helper()
	branch := checkpoints.Git{Dir: dir, Genesis: l.events[0].Hash}.Branch()
	c, err := checkpoint.Read([]byte(git(t, "-C", dir, "cat-file", "blob", branch+":checkpoint")))
	if err != nil {
		t.Fatal(err)
	}
	return c, len(strings.Fields(git(t, "-C", dir, "rev-list", branch)))
}

// extends checks that l extends c.
func extends(t *testing.T, l *log, c checkpoint.Checkpoint) {
	t.Helper()
	checker := checkpoint.NewChecker(c)
	for _, e := range l.events {
		checker.Event(e.Hash)
	}
	if err := checker.Result()[0]; err != nil {
		t.Error(err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
