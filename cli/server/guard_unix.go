//go:build unix

package server

import (
	"errors"
	"io"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// hangupSignals returns the signals that shut down a guard and its server properly, in addition to the signals that
// every command handles.
func hangupSignals() []os.Signal { return []os.Signal{syscall.SIGHUP} }

// pollable returns a reader for r. If r is a pipe or a socket, a blocked read of this reader occupies a goroutine
// instead of a thread, which saves a tenth of the time of a guarded call. Calling restore resets r to its original
// mode. If r is not a pipe or a socket, pollable returns r itself.
func pollable(r io.Reader) (reader io.Reader, restore func()) {
	none := func() {}
	f, ok := r.(*os.File)
	if !ok {
		return r, none
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&(os.ModeNamedPipe|os.ModeSocket) == 0 {
		return r, none
	}
	fd, err := unix.Dup(int(f.Fd())) //nolint:gosec // a file descriptor is small
	if err != nil {
		return r, none
	}
	unix.CloseOnExec(fd)
	if err := unix.SetNonblock(fd, true); err != nil {
		_ = unix.Close(fd)
		return r, none
	}
	return os.NewFile(uintptr(fd), f.Name()), func() { //nolint:gosec // a file descriptor is small
		_ = unix.SetNonblock(int(f.Fd()), false) //nolint:gosec // a file descriptor is small
	}
}

// closedReader returns a function that waits until no process reads from w, a pipe or a socket. The function returns
// true if the last reader has closed w, and false after the given time. It blocks a thread while it waits. closedReader
// returns nil if w is not a file.
func closedReader(w io.Writer) func(wait time.Duration) bool {
	f, ok := w.(*os.File)
	if !ok {
		return nil
	}
	raw, err := f.SyscallConn()
	if err != nil {
		return nil
	}
	return func(wait time.Duration) bool {
		closed, end := false, time.Now().Add(wait)
		err := raw.Control(func(fd uintptr) { // File.Fd would make the pipe blocking
			fds := []unix.PollFd{{Fd: int32(fd)}} //nolint:gosec // a file descriptor is small
			for {
				n, err := unix.Poll(fds, int(max(time.Until(end), 0).Milliseconds()))
				if errors.Is(err, unix.EINTR) {
					continue
				}
				closed = err == nil && n > 0
				return
			}
		})
		return err != nil || closed
	}
}
