package store

import (
	"database/sql"
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"toolcrib/review"
)

// driver is the name under which the engine registers itself.
const driver = "sqlite"

// Errors of the file as a whole.
var (
	// ErrNewer is wrapped when the file was written by a newer toolcrib.
	ErrNewer = errors.New("the database is newer than this program")
	// ErrForeign is wrapped when the file is no database of toolcrib.
	ErrForeign = errors.New("not a toolcrib database")
	// ErrNoDatabase is wrapped when there is no file and none is to be made.
	ErrNoDatabase = errors.New("no database")
	// ErrBusy is wrapped when another process held the database for too long.
	ErrBusy = errors.New("the database is busy")
	// ErrDamaged is wrapped when the file cannot be read as a database.
	ErrDamaged = errors.New("the database is damaged")
	// ErrRefused is wrapped when a trigger or constraint refused a write.
	ErrRefused = errors.New("refused by the database")
)

// busy reports whether err says that somebody else holds the lock.
func busy(err error) bool { return errors.Is(err, ErrBusy) }

// describe gives an error of the engine its meaning, by its result code.
// Everything else passes through.
func describe(err error) error {
	var e *sqlite.Error
	if !errors.As(err, &e) || errors.Is(err, ErrRefused) || errors.Is(err, ErrBusy) || errors.Is(err, ErrDamaged) {
		return err
	}
	switch e.Code() & 0xff { // the primary result code
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL: // the last when a reader lost too many races
		return fmt.Errorf("%w: other processes are using it; nothing was written, try again", ErrBusy)
	case sqlite3.SQLITE_CORRUPT:
		return fmt.Errorf("%w; keep the file and restore a backup: %w", ErrDamaged, err)
	case sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("%w: %w", ErrForeign, err)
	case sqlite3.SQLITE_CONSTRAINT:
		return fmt.Errorf("%w: %w", ErrRefused, err)
	case sqlite3.SQLITE_FULL:
		return fmt.Errorf("the disk is full; nothing was written: %w", err)
	case sqlite3.SQLITE_IOERR:
		return fmt.Errorf("cannot read or write the database file; check the disk and the file size limit (ulimit -f): %w", err)
	case sqlite3.SQLITE_READONLY:
		return fmt.Errorf("%w; check the permissions of the file and its folder: %w", review.ErrReadOnly, err)
	}
	return err
}

// unwritableFolder reports whether err says that the engine cannot put its
// log and lock files beside the database.
func unwritableFolder(err error) bool {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return false
	}
	return e.Code() == sqlite3.SQLITE_READONLY_DIRECTORY || e.Code() == sqlite3.SQLITE_READONLY_CANTINIT ||
		e.Code()&0xff == sqlite3.SQLITE_CANTOPEN
}

// missing turns an empty result into review.ErrNotFound with a name.
func missing(err error, format string, args ...any) error {
	if errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), review.ErrNotFound)
	}
	return err
}

// changedOne makes of a row count what a compare-and-set has to say.
func changedOne(n int64, err error, what string) error {
	switch {
	case err != nil:
		return err
	case n != 1:
		return fmt.Errorf("%s: %w: another process changed it first; look again", what, review.ErrConflict)
	}
	return nil
}
