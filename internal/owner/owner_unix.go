//go:build unix

// Package owner tells whose a file is.
package owner

import (
	"io/fs"
	"syscall"
)

// Of returns the account that a file belongs to.
func Of(info fs.FileInfo) (account int, known bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(stat.Uid), true
}
