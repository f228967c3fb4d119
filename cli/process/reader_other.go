//go:build !unix

package process

import "io"

// ReaderLeft always returns false, because this system cannot detect whether a reader left.
func ReaderLeft(io.Writer) bool { return false }
