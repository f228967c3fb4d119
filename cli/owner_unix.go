//go:build unix

package cli

import (
	"os"
	"syscall"
)

// owner returns the account that a file belongs to.
func owner(name string) (account int, known bool) {
	info, err := os.Stat(name)
	if err != nil {
		return 0, false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(stat.Uid), true
}
