//go:build !unix

package server

import (
	"io"
	"os"
	"time"
)

// hangupSignals returns the signals that every command handles.
func hangupSignals() []os.Signal { return []os.Signal{os.Interrupt} }

// pollable returns in unchanged.
func pollable(in io.Reader) (out io.Reader, restore func()) { return in, func() {} }

// closedReader returns nil, because the system cannot detect it.
func closedReader(io.Writer) func(time.Duration) bool { return nil }
