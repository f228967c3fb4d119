//go:build !linux

package process

import "os"

// Pipe returns a pipe. On this system, a pager reads ahead until its buffer is full.
func Pipe() (r, w *os.File, err error) { return os.Pipe() }
