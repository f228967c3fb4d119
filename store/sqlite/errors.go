package sqlite

import (
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"toolcrib/review"
	"toolcrib/store/engine"
)

// Describe implements store.Engine: it gives an error its meaning, by its result
// code. Everything else passes through.
func (f *File) Describe(err error) error {
	var e *sqlite.Error
	if !errors.As(err, &e) || errors.Is(err, engine.ErrRefused) || errors.Is(err, engine.ErrBusy) || errors.Is(err, engine.ErrDamaged) {
		return err
	}
	switch e.Code() & 0xff { // the primary result code
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL: // the last when a reader lost too many races
		return fmt.Errorf("%w: other processes are using it; nothing was written, try again", engine.ErrBusy)
	case sqlite3.SQLITE_CORRUPT:
		return fmt.Errorf("%w; keep the file and restore a backup: %w", engine.ErrDamaged, err)
	case sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("%w: %w", engine.ErrForeign, err)
	case sqlite3.SQLITE_CONSTRAINT:
		return fmt.Errorf("%w: %w", engine.ErrRefused, err)
	case sqlite3.SQLITE_FULL:
		return fmt.Errorf("the disk is full; nothing was written: %w", err)
	case sqlite3.SQLITE_IOERR:
		return fmt.Errorf("cannot read or write the database file; check the disk and the file size limit (ulimit -f): %w", err)
	case sqlite3.SQLITE_READONLY:
		return fmt.Errorf("%w; check the permissions of the file and its folder: %w", review.ErrReadOnly, err)
	}
	return err
}

// UnwritableFolder reports whether err means that the engine cannot put its log
// and lock files beside the database.
func UnwritableFolder(err error) bool {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return false
	}
	return e.Code() == sqlite3.SQLITE_READONLY_DIRECTORY || e.Code() == sqlite3.SQLITE_READONLY_CANTINIT ||
		e.Code()&0xff == sqlite3.SQLITE_CANTOPEN
}
