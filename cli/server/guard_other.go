//go:build !unix

package server

import (
	"io"
	"os"
	"time"
)

// hangupSignals returns os.Interrupt, because this system has no hangup signal. An empty list would select all signals.
func hangupSignals() []os.Signal { return []os.Signal{os.Interrupt} }

// pollable returns r unchanged.
func pollable(r io.Reader) (reader io.Reader, restore func()) { return r, func() {} }

// closedReader returns nil, because this system cannot report that the reader of a pipe has closed the pipe.
func closedReader(io.Writer) func(time.Duration) bool { return nil }
