package sqlite

import (
	"context"
	"errors"
	"fmt"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"toolcrib/review"
	"toolcrib/store/engine"
)

// busyTimeout is the time that an operation waits for other users of the file before it fails with engine.ErrBusy.
const busyTimeout = 30 * time.Second

// Readers use the engine's busy handler: they wait only while a log is recovered or checkpointed. Writers poll. The
// engine's handler would poll at growing intervals of up to a tenth of a second, so the newest of many writers would
// get the lock, and the oldest might wait forever (https://www.sqlite.org/src/file/src/main.c,
// sqliteDefaultBusyCallback).
const (
	waits = "busy_timeout(30000)"
	asks  = "busy_timeout(0)"
)

// askEvery is the polling interval of writers. It is constant, so that all waiting writers have the same chance to get
// the lock.
const askEvery = 4 * time.Millisecond

// retryBusy repeats try until the database is not busy, the timeout expires, or ctx is done.
func (f *File) retryBusy(ctx context.Context, try func() error) error {
	over := time.NewTimer(f.busyTimeout)
	defer over.Stop()
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := f.Describe(try())
		if !errors.Is(err, engine.ErrBusy) {
			return err
		}
		select {
		case <-time.After(askEvery):
		case <-over.C:
			return err
		case <-ctx.Done():
		}
	}
}

// Describe implements session.Engine. It converts errors by their result code.
func (f *File) Describe(err error) error {
	var e *sqlite.Error
	if !errors.As(err, &e) || errors.Is(err, engine.ErrRefused) || errors.Is(err, engine.ErrBusy) || errors.Is(err, engine.ErrDamaged) {
		return err
	}
	switch e.Code() & 0xff { // the primary result code
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL: // SQLITE_PROTOCOL: a reader lost too many races for the log
		return fmt.Errorf("%w: other processes are using it; nothing was written, try again", engine.ErrBusy)
	case sqlite3.SQLITE_CORRUPT:
		return fmt.Errorf("%w; keep the file and restore a backup: %w", engine.ErrDamaged, err)
	case sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("%w; restore a backup there, or name another file with --db: %w", engine.ErrForeign, err)
	case sqlite3.SQLITE_CONSTRAINT:
		return fmt.Errorf("%w: %w", engine.ErrRefused, err)
	case sqlite3.SQLITE_FULL:
		return fmt.Errorf("the disk is full; nothing was written: %w", err)
	case sqlite3.SQLITE_IOERR:
		return fmt.Errorf("cannot read or write the database file; check the disk and the file size limit (ulimit -f): %w", err)
	case sqlite3.SQLITE_CANTOPEN:
		return fmt.Errorf("%w; check the permissions of the file and its folder", err)
	case sqlite3.SQLITE_READONLY:
		return fmt.Errorf("%w; check the permissions of the file and its folder: %w", review.ErrReadOnly, err)
	}
	return err
}

// UnwritableFolder reports whether err means that the engine cannot create its log and lock files next to the database.
func UnwritableFolder(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	return ok && (e.Code() == sqlite3.SQLITE_READONLY_DIRECTORY || e.Code() == sqlite3.SQLITE_READONLY_CANTINIT ||
		e.Code()&0xff == sqlite3.SQLITE_CANTOPEN)
}
