package sshdoor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
)

// Reasons why the context of a command ended before its client went away.
var (
	ErrTime   = errors.New("the command takes too long for this server")
	ErrOutput = errors.New("the command prints too much for this server")
)

// limitCommand returns the context of a command, which ends when its time is over or
// its output too long.
func (s *Server) limitCommand(ctx context.Context, session *Session) (context.Context, context.CancelFunc) {
	limited, stop := context.WithCancelCause(ctx)
	limited, cancel := context.WithTimeoutCause(limited, s.limits.Command, fmt.Errorf("%w; the limit is %s", ErrTime, s.limits.Command))
	left := new(atomic.Int64)
	left.Store(s.limits.Output)
	over := func() { stop(fmt.Errorf("%w; the limit is %d MiB", ErrOutput, s.limits.Output>>20)) }
	session.Out = &countedWriter{session.Out, left, over}
	return limited, func() {
		cancel()
		stop(nil)
	}
}

// countedWriter writes until what is left is used up.
type countedWriter struct {
	to   io.Writer
	left *atomic.Int64
	over func()
}

// Write implements io.Writer.
func (w *countedWriter) Write(p []byte) (int, error) {
	if w.left.Add(-int64(len(p))) < 0 {
		w.over()
		return 0, ErrOutput
	}
	return w.to.Write(p)
}
