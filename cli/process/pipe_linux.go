package process

import (
	"os"

	"golang.org/x/sys/unix"
)

// Pipe returns a pipe in packet mode, in which each read returns the data of a single write. A pager therefore reads
// only about as much as it displays. Writes of more than PIPE_BUF (4,096) bytes are split.
func Pipe() (r, w *os.File, err error) {
	var ends [2]int
	if unix.Pipe2(ends[:], unix.O_CLOEXEC|unix.O_DIRECT) != nil { // some emulations of Linux do not support packet mode
		return os.Pipe()
	}
	return os.NewFile(uintptr(ends[0]), "|0"), os.NewFile(uintptr(ends[1]), "|1"), nil
}
