package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"toolcrib/store/engine"
)

// createFile makes sure that the file exists, so that the engine never
// creates it with wider rights than 0600. The log files take over the mode of
// the database. A file that is too small for a database is refused: the engine
// would take it for an empty one. No folder is made: the name of a folder that
// is not there is more likely mistyped than meant.
func createFile(path string, existing bool) error {
	info, err := os.Stat(path)
	switch {
	case existing && (errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode().IsRegular() && info.Size() == 0):
		return fmt.Errorf("%w at %s", engine.ErrNoDatabase, path)
	case err == nil && !info.Mode().IsRegular():
		return fmt.Errorf("%s: %w: it is not a file; name one with --db", path, engine.ErrForeign)
	case err == nil && info.Mode().IsRegular() && info.Size() > 0 && info.Size() < smallestDatabase:
		return fmt.Errorf("%s: %w: it has %d bytes and an unknown format", path, engine.ErrForeign, info.Size())
	case err == nil || !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if target, err := os.Readlink(path); err == nil {
		return fmt.Errorf("%s is a link to %s, which does not exist; create it, or name another file with --db", path, target)
	}
	dir := filepath.Dir(path)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("create the database %s: the folder %s does not exist; create it, or name another file with --db", path, dir)
	}
	// Whoever loses a race for the file must not open it here: closing it again
	// would take away the locks that the engine holds in this process.
	made, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("create the database: %w", err)
	}
	if err := made.Close(); err != nil {
		return err
	}
	return syncDir(dir)
}

// Unread reports whether there may be a log beside the database with changes not
// yet written back to it.
func Unread(path string) bool {
	info, err := os.Stat(path + "-wal")
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	return info.Size() > 0
}

// smallestDatabase is the size in bytes of the smallest page a database can
// have (https://www.sqlite.org/fileformat2.html#page_size).
const smallestDatabase = 512

// syncDir makes a new name in a folder survive a power cut.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return nil
}
