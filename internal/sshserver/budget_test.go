package sshserver_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"toolcrib/internal/sshserver"
)

// TestOutputIsLimited checks that too much output ends a command, except on a
// terminal.
func TestOutputIsLimited(t *testing.T) {
	var why atomic.Value
	d := open(t, func(ctx context.Context, s *sshserver.Session) int {
		for range 1 << 10 {
			if _, err := io.WriteString(s.Out, strings.Repeat("x", 1<<10)); err != nil {
				why.Store(context.Cause(ctx))
				return 3
			}
		}
		return 0
	}, func(l *sshserver.Limits) { l.Output = 64 << 10 })
	var out bytes.Buffer
	s := d.session(d.dial())
	s.Stdout = &out
	if err := s.Run("x"); err == nil || out.Len() != 64<<10 {
		t.Errorf("%d bytes, %v", out.Len(), err)
	}
	if err, _ := why.Load().(error); !errors.Is(err, sshserver.ErrOutput) {
		t.Errorf("%v", err)
	}
	s = d.session(d.dial())
	s.Stdout = &out
	if err := s.RequestPty("xterm", 24, 80, nil); err != nil {
		t.Fatal(err)
	}
	if err := s.Run("x"); err != nil {
		t.Errorf("with a terminal: %v", err)
	}
}

// TestCommandsTakeTurns checks that a principal's commands beyond the limit run
// after the others, and that each ends at its time limit.
func TestCommandsTakeTurns(t *testing.T) {
	var running, most atomic.Int64
	d := open(t, func(ctx context.Context, _ *sshserver.Session) int {
		n := running.Add(1)
		defer running.Add(-1)
		for {
			m := most.Load()
			if n <= m || most.CompareAndSwap(m, n) {
				break
			}
		}
		<-ctx.Done()
		if !errors.Is(context.Cause(ctx), sshserver.ErrTime) {
			return 4
		}
		return 3
	}, func(l *sshserver.Limits) { l.Commands, l.Command = 2, 300*time.Millisecond })
	ended := make(chan error, 6)
	for range cap(ended) {
		client := d.dial()
		go func() { ended <- d.session(client).Run("x") }()
	}
	for range cap(ended) {
		<-ended //nolint:errcheck // the time limit ends them
	}
	if got := most.Load(); got < 1 || got > 2 {
		t.Errorf("%d commands ran at once", got)
	}
}

// TestWaitingForTheClientTakesNoTurn checks that a command which waits for input,
// with or without a terminal, lets others of the principal run, and that
// interactive commands take no turn.
func TestWaitingForTheClientTakesNoTurn(t *testing.T) {
	var working, most atomic.Int64
	started := make(chan string, 20)
	letGo := make(chan struct{})
	d := open(t, func(_ context.Context, s *sshserver.Session) int {
		if s.Command == "read" {
			started <- s.Command
			_, _ = io.ReadAll(s.In)
			return 0
		}
		if s.Command == "work" {
			n := working.Add(1)
			defer working.Add(-1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
		}
		started <- s.Command
		<-letGo
		return 0
	}, func(l *sshserver.Limits) { l.Commands = 1 })
	var inputs []io.Closer
	ended := make(chan error, 20)
	run := func(command string, terminal bool) {
		s := d.session(d.dial())
		in, err := s.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		inputs = append(inputs, in)
		if terminal {
			if err := s.RequestPty("xterm", 24, 80, nil); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Start(command); err != nil {
			t.Fatal(err)
		}
		go func() { ended <- s.Wait() }()
	}
	await := func(want string) {
		t.Helper()
		if got := <-started; got != want {
			t.Fatalf("started %q, want %q", got, want)
		}
	}
	run("read", false)
	await("read")
	for range 3 {
		run("browse", true)
		await("browse")
	}
	for i := range 4 {
		run("work", i%2 == 0)
	}
	await("work") // one of the two
	close(letGo)
	for range 3 {
		await("work")
	}
	for _, in := range inputs {
		_ = in.Close()
	}
	for range inputs {
		if err := <-ended; err != nil {
			t.Errorf("a session: %v", err)
		}
	}
	if most.Load() != 1 {
		t.Errorf("%d commands ran at once", most.Load())
	}
}
