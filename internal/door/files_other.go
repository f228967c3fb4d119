//go:build !unix

package door

// OpenFiles returns how many files the process may have open: here nobody
// counts them.
func OpenFiles() uint64 { return 0 }
