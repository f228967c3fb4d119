//go:build unix

package clients

import "syscall"

// nonblock has a pipe opened without waiting for somebody at its other end.
const nonblock = syscall.O_NONBLOCK
