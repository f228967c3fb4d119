//go:build !unix

package process

import "io"

// ReaderLeft cannot be told here.
func ReaderLeft(io.Writer) bool { return false }
