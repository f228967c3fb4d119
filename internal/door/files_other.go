//go:build !unix

package door

// openFiles returns how many files the process may have open: here nobody
// counts them.
func openFiles() uint64 { return 0 }
