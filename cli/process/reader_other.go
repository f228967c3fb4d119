//go:build !unix

package process

import "io"

// ReaderLeft always returns false, because this system cannot detect it.
func ReaderLeft(io.Writer) bool { return false }
