//go:build unix

package httpserver

import "syscall"

// OpenFiles returns the number of files that the process may open, or 0 if it is
// unknown. At startup the Go runtime raises the soft limit to the hard limit.
func OpenFiles() uint64 {
	var l syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l) != nil {
		return 0
	}
	return uint64(l.Cur) //nolint:unconvert,gosec // signed on some systems
}
