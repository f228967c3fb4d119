//go:build !unix

package httpserver

// OpenFiles returns 0: the number of files that the process may open is unknown.
func OpenFiles() uint64 { return 0 }
