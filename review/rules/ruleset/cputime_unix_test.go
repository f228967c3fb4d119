//go:build unix

package ruleset

import "syscall"

// cpuTime is the processor time the test has used, in nanoseconds: wall time
// says little on a machine that others use.
func cpuTime() int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return u.Utime.Nano() + u.Stime.Nano()
}
