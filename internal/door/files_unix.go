//go:build unix

package door

import "syscall"

// OpenFiles returns how many files the process may have open, 0 when the system
// does not say. Go has raised the soft limit to the hard one at the start.
func OpenFiles() uint64 {
	var l syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l) != nil {
		return 0
	}
	return uint64(l.Cur) //nolint:unconvert,gosec // signed on some systems
}
