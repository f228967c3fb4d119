//go:build !unix

package process

import "io"

// ReaderLeft always returns false, because this system cannot report whether the reader closed the pipe.
func ReaderLeft(io.Writer) bool { return false }
