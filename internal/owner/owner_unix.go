//go:build unix

package owner

import (
	"io/fs"
	"syscall"
)

// Of returns the user id of the owner of a file. The result found is false if info does not contain
// the owner.
func Of(info fs.FileInfo) (account int, found bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(stat.Uid), true
}
