package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Backup writes a copy of the database, from one snapshot, to a new file at path
// with mode 0600. Others may read and write meanwhile. The file is complete and on
// the disk when Backup returns nil, and missing when it returns an error. It
// replaces no file: the error then wraps fs.ErrExist.
func (f *File) Backup(ctx context.Context, path string) (err error) {
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s: %w; name a new file", path, fs.ErrExist)
	}
	dir := filepath.Dir(path)
	temporary, err := os.CreateTemp(dir, ".toolcrib-backup-*") // made with mode 0600
	if err != nil {
		return fmt.Errorf("create the copy: %w", err)
	}
	defer func() {
		if rest := os.Remove(temporary.Name()); rest != nil && !errors.Is(rest, fs.ErrNotExist) {
			err = errors.Join(err, rest)
		}
	}()
	defer func() { err = errors.Join(err, temporary.Close()) }()
	if err := f.copyInto(ctx, temporary.Name()); err != nil {
		return fmt.Errorf("copy to %s: %w", path, f.Describe(err))
	}
	if err := temporary.Sync(); err != nil {
		return err
	}
	// A link, unlike a rename, replaces nothing.
	if err := os.Link(temporary.Name(), path); err != nil {
		return fmt.Errorf("name the copy: %w", err)
	}
	return syncDir(dir)
}

// copyInto has the engine write the snapshot to an empty file
// (https://www.sqlite.org/lang_vacuum.html#vacuuminto). It needs a connection
// of its own: the readers may not write anything.
func (f *File) copyInto(ctx context.Context, name string) error {
	source, err := dsn(f.path, "rw", waits)
	if err != nil {
		return err
	}
	conn, err := sql.Open(Driver, source)
	if err != nil {
		return err
	}
	_, err = conn.ExecContext(ctx, "VACUUM INTO ?", name)
	return errors.Join(err, conn.Close())
}
