//go:build !unix

package server

import (
	"io"
	"os"
	"time"
)

// hangup lists the signal that every command has: there are no others.
func hangup() []os.Signal { return []os.Signal{os.Interrupt} }

// pollable returns in: nothing is cheaper to read here.
func pollable(in io.Reader) (out io.Reader, restore func()) { return in, func() {} }

// gone returns nil: nobody can ask.
func gone(io.Writer) func(time.Duration) bool { return nil }
