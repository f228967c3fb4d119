//go:build !unix

package server

import (
	"io"
	"os"
	"time"
)

// hangupSignals returns os.Interrupt, which every command handles anyway, because this system has no hangup signal.
func hangupSignals() []os.Signal { return []os.Signal{os.Interrupt} }

// pollable returns r unchanged.
func pollable(r io.Reader) (reader io.Reader, restore func()) { return r, func() {} }

// closedReader returns nil, because the system cannot detect that the reader of a pipe has closed it.
func closedReader(io.Writer) func(time.Duration) bool { return nil }
