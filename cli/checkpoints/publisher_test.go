package checkpoints_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"toolcrib/cli/checkpoints"
	"toolcrib/history"
	"toolcrib/internal/shortrun"
	"toolcrib/signing/checkpoint"
)

// TestPublishReadsEachEventOnce publishes a growing log. Each event must be read once, and the working tree must not change.
func TestPublishReadsEachEventOnce(t *testing.T) {
	t.Parallel()
	dir := repository(t, "")
	must(t, os.WriteFile(filepath.Join(dir, "mine"), []byte("x"), 0o600))
	git(t, "-C", dir, "add", "mine")
	l := &log{}
	l.add(100, "draft")
	p := publisher(t, l, dir)
	for i := range 3 {
		must(t, p.Publish(t.Context(), false))
		c, commits := savedState(t, l, dir)
		if extends(t, l, c); c.Size != int64(len(l.events)) || commits != i+1 {
			t.Errorf("%d events and %d commits, want %d and %d", c.Size, commits, len(l.events), i+1)
		}
		l.add(1, "approve")
	}
	// 100 and two single events, each once; the first and the last known event are read each time
	if l.read > 100+2+3+3 {
		t.Errorf("%d events were read", l.read)
	}
	s, err := p.Status(t.Context())
	if err != nil || s.Size != 102 || s.Decisions != 1 || s.At.IsZero() {
		t.Errorf("status %+v, %v", s, err)
	}
	if said := git(t, "-C", dir, "status", "--porcelain"); said != "A  mine\n" {
		t.Errorf("git status: %q", said)
	}
	before := l.read
	must(t, p.Publish(t.Context(), false))
	must(t, p.Publish(t.Context(), false))
	if _, commits := savedState(t, l, dir); commits != 4 || l.read > before+6 {
		t.Errorf("published again: %d commits", commits)
	}
	must(t, p.Check(t.Context()))
}

// TestOtherHistoryIsNotPublished truncates the log and replaces its end, with and without the saved state. The
// published checkpoint must remain.
func TestOtherHistoryIsNotPublished(t *testing.T) {
	shortrun.NeedsLong(t)
	t.Parallel()
	for name, change := range map[string]func(*log){
		"cut":          func(l *log) { l.events = l.events[:30] },
		"cut and more": func(l *log) { l.events = l.events[:30]; l.add(20, "reject") },
		"as long":      func(l *log) { l.events = l.events[:39]; l.add(1, "reject") },
		"a hash":       func(l *log) { l.events[39].Act = "reject"; l.add(1, "approve") },
	} {
		for _, forget := range []bool{false, true} {
			if forget && name == "a hash" {
				continue // detected even without the saved state
			}
			dir := repository(t, "", "--bare")
			l := &log{}
			l.add(40, "approve")
			p := publisher(t, l, dir)
			must(t, p.Publish(t.Context(), false))
			whole, _ := savedState(t, l, dir)
			l.events = append([]history.Event(nil), l.events...)
			change(l)
			if forget {
				p.State = t.TempDir()
			}
			if err := p.Publish(t.Context(), false); !errors.Is(err, checkpoints.ErrNotExtended) {
				t.Errorf("%s, state forgotten %v: %v", name, forget, err)
			}
			if c, commits := savedState(t, l, dir); c != whole || commits != 1 {
				t.Errorf("%s: %v with %d commits", name, c, commits)
			}
			if name == "a hash" {
				continue // cannot be repaired
			}
			must(t, p.Publish(t.Context(), true))
			c, commits := savedState(t, l, dir)
			if extends(t, l, c); c.Size != int64(len(l.events)) || commits != 2 {
				t.Errorf("%s, started over: %d events, %d commits", name, c.Size, commits)
			}
			l.add(1, "approve")
			must(t, p.Publish(t.Context(), false))
		}
	}
}

// TestCrashBetweenTargetAndState discards the saved state of the last publications, as after a crash between publishing
// and saving.
func TestCrashBetweenTargetAndState(t *testing.T) {
	t.Parallel()
	dir := repository(t, "")
	l := &log{}
	l.add(7, "approve")
	p := publisher(t, l, dir)
	must(t, p.Publish(t.Context(), false))
	state := filepath.Join(p.State, l.events[0].Hash+".json")
	old, err := os.ReadFile(state)
	must(t, err)
	l.add(6, "approve")
	must(t, p.Publish(t.Context(), false))
	must(t, os.WriteFile(state, old, 0o600))
	must(t, p.Publish(t.Context(), false))
	l.add(3, "approve")
	must(t, os.WriteFile(state, old, 0o600))
	must(t, p.Publish(t.Context(), false))
	if c, commits := savedState(t, l, dir); c.Size != 16 || commits != 3 {
		t.Errorf("%d events, %d commits", c.Size, commits)
	}
	// Conversely, the branch was reset.
	git(t, "-C", dir, "update-ref", "refs/heads/"+checkpoints.Git{Dir: dir, Genesis: l.events[0].Hash}.Branch(), checkpoints.Git{Dir: dir, Genesis: l.events[0].Hash}.Branch()+"~2")
	if err := p.Check(t.Context()); !errors.Is(err, checkpoint.ErrShorter) {
		t.Errorf("a branch that was set back: %v", err)
	}
	must(t, p.Publish(t.Context(), false))
	if c, _ := savedState(t, l, dir); c.Size != 16 {
		t.Errorf("%d events", c.Size)
	}
}

// TestManyPublishAtOnce publishes a log to one remote concurrently, from several processes, some of which have their
// own repository.
func TestManyPublishAtOnce(t *testing.T) {
	shortrun.NeedsLong(t)
	t.Parallel()
	origin := repository(t, "", "--bare")
	shared := repository(t, origin)
	l := &log{}
	l.add(5, "approve")
	var all sync.WaitGroup
	errs := make(chan error, 100)
	for i := range 3 {
		dir := shared
		if i == 2 {
			dir = repository(t, origin)
		}
		p := publisher(t, l, dir)
		all.Go(func() {
			for range 2 {
				l.add(1, "approve")
				if err := p.Publish(t.Context(), false); err != nil {
					errs <- err
				}
			}
		})
	}
	all.Wait()
	close(errs)
	for err := range errs {
		t.Logf("retried at the next decision: %v", err) // a burst may exceed the number of attempts
	}
	last := publisher(t, l, shared)
	must(t, last.Publish(t.Context(), false))
	c, commits := savedState(t, l, origin)
	if extends(t, l, c); c.Size != int64(len(l.events)) {
		t.Errorf("%d of %d events", c.Size, len(l.events))
	}
	// All published checkpoints belong to this log.
	branch := checkpoints.Git{Dir: origin, Genesis: l.events[0].Hash}.Branch()
	for _, commit := range strings.Fields(git(t, "-C", origin, "rev-list", branch)) {
		old, err := checkpoint.Read([]byte(git(t, "-C", origin, "cat-file", "blob", commit+":checkpoint")))
		must(t, err)
		extends(t, l, old)
	}
	git(t, "-C", origin, "fsck", "--strict")
	t.Logf("%d commits", commits)
}

// TestTargetsThatFail checks the errors for targets that cannot be used.
func TestTargetsThatFail(t *testing.T) {
	t.Parallel()
	inside := repository(t, "")
	must(t, os.Mkdir(filepath.Join(inside, "sub"), 0o700))
	l := &log{}
	l.add(3, "approve")
	for name, dir := range map[string]string{
		"no folder":              filepath.Join(t.TempDir(), "none"),
		"no repository":          t.TempDir(),
		"a folder of another":    filepath.Join(inside, "sub"),
		"a remote that is gone":  repository(t, filepath.Join(t.TempDir(), "gone")),
		"a remote that refuses ": repository(t, "ext::false"),
	} {
		p := publisher(t, l, dir)
		if err := p.Publish(t.Context(), false); err == nil || strings.Contains(err.Error(), "%!") {
			t.Errorf("%s: %v", name, err)
		} else {
			t.Logf("%s: %v", name, err)
		}
		if s, err := p.Status(t.Context()); err != nil || s.Size != 0 || s.Decisions != 3 {
			t.Errorf("%s: status %+v, %v", name, s, err)
		}
	}
	p := publisher(t, l, "")
	file := filepath.Join(t.TempDir(), "kept")
	p.Target = func(string) checkpoints.Target {
		return checkpoints.Command{Args: []string{"sh", "-c", "echo not yet >&2; exit 3"}}
	}
	if err := p.Publish(t.Context(), false); err == nil || !strings.Contains(err.Error(), "not yet") {
		t.Errorf("a program that fails: %v", err)
	}
	p.Target = func(string) checkpoints.Target {
		return checkpoints.Command{Args: []string{"sh", "-c", "cat >> " + file}}
	}
	must(t, p.Publish(t.Context(), false))
	must(t, p.Publish(t.Context(), false))
	text, err := os.ReadFile(file)
	must(t, err)
	if strings.Count(string(text), "toolcrib/") != 1 {
		t.Errorf("the program got %s", text)
	}
	l.events = l.events[:2]
	if err := p.Publish(t.Context(), false); !errors.Is(err, checkpoints.ErrNotExtended) {
		t.Errorf("a shorter log, to a program: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	l.add(3, "approve")
	if err := p.Publish(ctx, true); err == nil {
		t.Error(fmt.Errorf("published after the time was over"))
	}
}
