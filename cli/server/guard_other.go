//go:build !unix

package server

import (
	"io"
	"os"
	"time"
)

// hangupSignals returns os.Interrupt, which every command handles anyway, because this system has no hangup signal.
func hangupSignals() []os.Signal { return []os.Signal{os.Interrupt} }

// pollable returns in unchanged.
func pollable(in io.Reader) (out io.Reader, restore func()) { return in, func() {} }

// closedReader returns nil, because the system cannot detect that the reader of a pipe is gone.
func closedReader(io.Writer) func(time.Duration) bool { return nil }
