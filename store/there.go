package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// ErrGone says that the file of an open database is not at its path any more.
// What is read of it is not what others read there.
var ErrGone = errors.New("the database was removed or replaced")

// There returns nil while the database is the file that was opened.
func (db *DB) There() error {
	info, err := os.Stat(db.path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(info, db.file) {
		return fmt.Errorf("%s: %w", db.path, ErrGone)
	}
	return err
}
