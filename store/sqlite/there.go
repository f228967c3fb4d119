package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"toolcrib/store/engine"
)

// There implements store.Engine: it returns nil while the database is the file that was opened.
func (f *File) There() error {
	info, err := os.Stat(f.path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(info, f.info) {
		return fmt.Errorf("%s: %w", f.path, engine.ErrGone)
	}
	return err
}
