//go:build !unix

package cli

import "io"

// readerLeft cannot be told here.
func readerLeft(io.Writer) bool { return false }
