package owner

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrUnsafe is wrapped when somebody else could have written a file.
var ErrUnsafe = errors.New("not safe to rely on")

// ReadFile reads a file of at most a number of bytes that only the administrator,
// or where own is set the user, can have written. It looks before it opens: a pipe
// would keep it waiting.
func ReadFile(name string, own bool, most int64) ([]byte, error) {
	for _, path := range []string{name, filepath.Dir(name)} {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if err := safe(info, own); err != nil {
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
	if err := safe(info, own); err != nil || info.IsDir() {
		return nil, fmt.Errorf("%s: %w: it is a folder, or changed while it was read", name, ErrUnsafe)
	}
	b, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(b)) > most {
		err = fmt.Errorf("%s: %w: it has more than %d bytes", name, ErrUnsafe, most)
	}
	return b, err
}

// safe returns nil for a file that no other account can change.
func safe(info fs.FileInfo, own bool) error {
	switch mode := info.Mode(); {
	case !mode.IsRegular() && !mode.IsDir():
		return errors.New("it is not a file")
	case mode.Perm()&0o022 != 0:
		return fmt.Errorf("others may write to it (mode %04o); take that away with chmod go-w", mode.Perm())
	}
	account, known := Of(info)
	if known && account != 0 && (!own || account != os.Geteuid()) {
		return fmt.Errorf("it belongs to another account (%d)", account)
	}
	return nil
}
