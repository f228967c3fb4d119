//go:build !linux

package process

import "os"

// Pipe returns a pipe. A pager reads ahead of its screen as far as its buffer reaches.
func Pipe() (r, w *os.File, err error) { return os.Pipe() }
