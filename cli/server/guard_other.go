//go:build !unix

package server

import (
	"io"
	"os"
	"time"
)

// hangup returns the signals that every command handles.
func hangup() []os.Signal { return []os.Signal{os.Interrupt} }

// pollable returns in unchanged.
func pollable(in io.Reader) (out io.Reader, restore func()) { return in, func() {} }

// gone returns nil, because the system cannot detect it.
func gone(io.Writer) func(time.Duration) bool { return nil }
