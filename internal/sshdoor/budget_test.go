package sshdoor_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"toolcrib/internal/sshdoor"
)

// TestOutputIsLimited ends a command that prints without measure, and none that has a
// terminal.
func TestOutputIsLimited(t *testing.T) {
	var why atomic.Value
	d := open(t, func(ctx context.Context, s *sshdoor.Session) int {
		for range 1 << 10 {
			if _, err := io.WriteString(s.Out, strings.Repeat("x", 1<<10)); err != nil {
				why.Store(context.Cause(ctx))
				return 3
			}
		}
		return 0
	}, func(l *sshdoor.Limits) { l.Output = 64 << 10 })
	var out bytes.Buffer
	s := d.session(d.dial())
	s.Stdout = &out
	if err := s.Run("x"); err == nil || out.Len() != 64<<10 {
		t.Errorf("%d bytes, %v", out.Len(), err)
	}
	if err, _ := why.Load().(error); !errors.Is(err, sshdoor.ErrOutput) {
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

// TestCommandsTakeTurns runs as many commands of a principal at once as may be, and
// the others after them; each ends when its time is over.
func TestCommandsTakeTurns(t *testing.T) {
	var running, most atomic.Int64
	d := open(t, func(ctx context.Context, _ *sshdoor.Session) int {
		n := running.Add(1)
		defer running.Add(-1)
		for {
			m := most.Load()
			if n <= m || most.CompareAndSwap(m, n) {
				break
			}
		}
		<-ctx.Done()
		if !errors.Is(context.Cause(ctx), sshdoor.ErrTime) {
			return 4
		}
		return 3
	}, func(l *sshdoor.Limits) { l.Commands, l.Command = 2, 300*time.Millisecond })
	ended := make(chan error, 6)
	for range cap(ended) {
		client := d.dial()
		go func() { ended <- d.session(client).Run("x") }()
	}
	for range cap(ended) {
		<-ended //nolint:errcheck // their time ends them
	}
	if got := most.Load(); got < 1 || got > 2 {
		t.Errorf("%d ran at once", got)
	}
}
