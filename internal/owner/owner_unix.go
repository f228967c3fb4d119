//go:build unix

// Package owner reports which user owns a file.
package owner

import (
	"io/fs"
	"syscall"
)

// Of returns the user id of a file's owner, and whether it is known.
func Of(info fs.FileInfo) (account int, known bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(stat.Uid), true
}
