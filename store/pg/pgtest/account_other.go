//go:build !unix

package pgtest

import "syscall"

// unprivileged returns ErrMissing, because the supervisor is a shell script.
func unprivileged() (*account, error) { return nil, ErrMissing }

func ownSession(*account) *syscall.SysProcAttr { return nil }
