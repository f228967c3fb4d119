//go:build !unix

package server

import (
	"io"
	"os"
	"time"
)

// hangup returns the signal that every command handles.
func hangup() []os.Signal { return []os.Signal{os.Interrupt} }

// pollable returns in unchanged.
func pollable(in io.Reader) (out io.Reader, restore func()) { return in, func() {} }

// gone returns nil: the system cannot report it.
func gone(io.Writer) func(time.Duration) bool { return nil }
