package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// createFile makes sure that the file exists, so that the engine never
// creates it with wider rights: 0600, in folders of 0700 where they are
// missing. The log files take over the mode of the database. A file that is too
// small for a database is refused: the engine would take it for an empty one.
func createFile(path string) error {
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return fmt.Errorf("%s: %w: it is no file; name one with --db", path, ErrForeign)
	case err == nil && info.Mode().IsRegular() && info.Size() > 0 && info.Size() < smallestDatabase:
		return fmt.Errorf("%s: %w: it has %d bytes and another content", path, ErrForeign, info.Size())
	case err == nil || !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if target, err := os.Readlink(path); err == nil {
		return fmt.Errorf("%s is a link to %s, which is not there; make that first, or name another file with --db", path, target)
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("create the folder of the database: %w", err)
	}
	// Whoever loses a race for the file must not open it here: closing it again
	// would take away the locks that the engine holds in this process.
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("create the database: %w", err)
	}
	if err := f.Close(); err != nil {
		return err
	}
	return syncDir(dir)
}

// unread reports whether there is a log beside the database with what was not
// written back to it, or may be one.
func unread(path string) bool {
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
