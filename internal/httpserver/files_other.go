//go:build !unix

package httpserver

// OpenFiles returns 0, because the number of files that the process can open is unknown
// on this system.
func OpenFiles() uint64 { return 0 }
