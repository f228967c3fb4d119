//go:build unix

package atomicfile

import (
	"fmt"
	"os"
	"syscall"
)

// keepOwner sets the owner and the group of f to those of the original file.
func keepOwner(f *os.File, original os.FileInfo) error {
	want, ok := original.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	have, ok := info.Sys().(*syscall.Stat_t)
	if ok && have.Uid == want.Uid && have.Gid == want.Gid {
		return nil
	}
	if err := f.Chown(int(want.Uid), int(want.Gid)); err != nil {
		return fmt.Errorf("cannot preserve the owner of the file (user %d, group %d): %w; run this command as that user", want.Uid, want.Gid, cause(err))
	}
	return nil
}
