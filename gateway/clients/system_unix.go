//go:build unix

package clients

import "syscall"

// nonblock opens a pipe without waiting for its other end.
const nonblock = syscall.O_NONBLOCK
