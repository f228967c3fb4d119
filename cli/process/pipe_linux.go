package process

import (
	"os"

	"golang.org/x/sys/unix"
)

// Pipe returns a pipe whose every read returns the data of one write, so that a pager reads no further ahead than its
// screen. A write of more than PIPE_BUF (4,096) bytes is split.
func Pipe() (r, w *os.File, err error) {
	var ends [2]int
	if unix.Pipe2(ends[:], unix.O_CLOEXEC|unix.O_DIRECT) != nil { // some emulations of Linux have none
		return os.Pipe()
	}
	return os.NewFile(uintptr(ends[0]), "|0"), os.NewFile(uintptr(ends[1]), "|1"), nil
}
