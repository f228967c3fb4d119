//go:build unix

package clients

import "syscall"

// nonblock is the flag for opening a named pipe without waiting for a writer.
const nonblock = syscall.O_NONBLOCK
