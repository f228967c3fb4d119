//go:build unix

package httpserver

import "syscall"

// OpenFiles returns the number of files that the process can open, or 0 if the number is
// unknown. The Go runtime raises the soft limit to the hard limit at startup.
func OpenFiles() uint64 {
	var l syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l) != nil {
		return 0
	}
	return uint64(l.Cur) //nolint:unconvert,gosec // signed on some systems
}
