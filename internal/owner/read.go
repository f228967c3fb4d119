// Package owner reports which user owns a file. It also reads files that other accounts cannot change.
package owner

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrUnsafe means that the content of a file cannot be trusted, for example because other
// accounts can write to the file or its folder.
var ErrUnsafe = errors.New("not safe to rely on")

// ReadFile returns the content of the file with the given name. The file and its folder
// must belong to the administrator or, if allowUser is true, to the user. No other
// account may have write permission, and the file must not have more than limit bytes. If
// a condition is not met, the error wraps ErrUnsafe. ReadFile opens the file only after
// checking that it is a regular file, because opening a pipe would block.
func ReadFile(name string, allowUser bool, limit int64) ([]byte, error) {
	for _, path := range []string{name, filepath.Dir(name)} {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if err := checkSafe(info, allowUser); err != nil {
			return nil, fmt.Errorf("%s: %w: %w", path, ErrUnsafe, err)
		}
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if err := checkSafe(info, allowUser); err != nil || info.IsDir() {
		return nil, fmt.Errorf("%s: %w: %w", name, ErrUnsafe, cmp.Or(err, errors.New("it is a folder")))
	}
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(b)) > limit {
		err = fmt.Errorf("%s: %w: the file is larger than %d bytes", name, ErrUnsafe, limit)
	}
	return b, err
}

// checkSafe returns an error if an account other than the administrator or, if allowUser
// is true, the user can change the file or folder that info describes.
func checkSafe(info fs.FileInfo, allowUser bool) error {
	switch mode := info.Mode(); {
	case !mode.IsRegular() && !mode.IsDir():
		return errors.New("not a regular file")
	case mode.Perm()&0o022 != 0:
		return fmt.Errorf("other accounts can write to it (mode %04o); run chmod go-w on it", mode.Perm())
	}
	account, known := Of(info)
	if known && account != 0 && (!allowUser || account != os.Geteuid()) {
		return fmt.Errorf("it belongs to another account (uid %d)", account)
	}
	return nil
}
