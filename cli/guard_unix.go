//go:build unix

package cli

import (
	"io"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// hangup lists the signals beside those of every command that end a guard and its
// server in order.
func hangup() []os.Signal { return []os.Signal{syscall.SIGHUP} }

// gone reports whether nobody reads a pipe or socket any more.
func gone(out io.Writer) bool {
	f, ok := out.(*os.File)
	if !ok {
		return false
	}
	fds := []unix.PollFd{{Fd: int32(f.Fd())}} //nolint:gosec // a file descriptor is small
	n, err := unix.Poll(fds, 0)
	return err == nil && n > 0 && fds[0].Revents&(unix.POLLERR|unix.POLLHUP|unix.POLLNVAL) != 0
}
