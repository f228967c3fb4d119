//go:build unix

package atomicfile

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// keepOwner gives a file the owner and the group of another.
func keepOwner(f *os.File, like os.FileInfo) error {
	want, ok := like.Sys().(*syscall.Stat_t)
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
		at, ok := errors.AsType[*os.PathError](err)
		if ok {
			err = at.Err // the path is that of the temporary file
		}
		return fmt.Errorf("it belongs to user %d and group %d, which the new file would not (%w); write it as that user", want.Uid, want.Gid, err)
	}
	return nil
}
