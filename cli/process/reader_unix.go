//go:build unix

package process

import (
	"io"
	"os"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// readerTakes is the maximum time to wait until the reader of a pipe has read all data. readerLeaves is the time to
// wait after that for the reader to close the pipe. A reader that does not close the pipe during this time is still
// reading. readerStep is the polling interval.
const (
	readerStep   = 5 * time.Millisecond
	readerTakes  = time.Second
	readerLeaves = 50 * time.Millisecond
)

// ReaderLeft reports whether w is a pipe that its reader, such as head, closed before the end of the output. It also
// returns true for the null device, which replaces a closed standard output.
func ReaderLeft(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	if err != nil {
		return false
	}
	if info.Mode()&os.ModeNamedPipe == 0 {
		null, err := os.Stat(os.DevNull)
		return err == nil && os.SameFile(info, null)
	}
	raw, err := file.SyscallConn()
	if err != nil {
		return false
	}
	left := false
	err = raw.Control(func(fd uintptr) { left = leaves(int(fd)) })
	return err == nil && left
}

func leaves(fd int) bool {
	fionread := uint(0x4004667f) // request for the number of bytes in a pipe, on all BSDs including macOS; x/sys defines it only for some systems
	if runtime.GOOS == "linux" {
		fionread = 0x541b
	}
	var taken time.Duration // time since the pipe became empty
	for waited := time.Duration(0); waited < readerTakes && taken < readerLeaves; waited += readerStep {
		fds := []unix.PollFd{{Fd: int32(fd)}} //nolint:gosec // a descriptor is a small number
		if _, err := unix.Poll(fds, int(readerStep.Milliseconds())); err != nil && err != unix.EINTR {
			return false
		}
		if fds[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0 {
			return true
		}
		waiting, err := unix.IoctlGetInt(fd, fionread)
		if err != nil {
			return false
		}
		if waiting == 0 {
			taken += readerStep
		}
	}
	return false
}
