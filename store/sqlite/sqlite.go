// Package sqlite stores toolcrib's data in a SQLite file. It implements session.Engine: connections and their settings,
// locking, the schema, full-text searches, and copies of the file. The packages above sqlite contain all other SQL.
//
// Writes use one connection, in BEGIN IMMEDIATE transactions with synchronous=FULL. Reads use a few query_only
// connections, each with a snapshot of the write-ahead log. Each connection prepares a statement once. A transaction
// waits up to half a minute for a busy file and then fails with engine.ErrBusy.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/fsnotify/fsnotify"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"toolcrib/review"
	"toolcrib/store/engine"
)

// Driver is the name of the database/sql driver.
const Driver = "sqlite"

// File is an open database file. Its methods are safe for concurrent use.
type File struct {
	path        string
	info        fs.FileInfo // describes the file that was opened
	frozen      bool        // whether the file was opened as immutable
	busyTimeout time.Duration
	write       *sql.DB
	log         *sql.DB // for transactions that a power failure can roll back
	read        *sql.DB
	audit       *sql.DB
	// numbered is the last schema number that this process checked or wrote. The check builds the schema in memory. The
	// process uses numbered to avoid a check before each migration.
	numbered atomic.Int64
}

// Options configures Open.
type Options struct {
	Existing bool // do not create the file
	Frozen   bool // open the file as immutable
	Readers  int  // maximum number of read connections
}

// Open opens the file at path. If the file does not exist, Open creates it with mode 0600. The database itself is read
// by the first connection.
func Open(ctx context.Context, path string, opts Options) (*File, error) {
	if err := createFile(path, opts.Existing); err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	f := &File{path: path, info: info, frozen: opts.Frozen, busyTimeout: busyTimeout}
	write, log := writerPragmas(), loggerPragmas()
	if f.frozen {
		write, log = readerPragmas(), readerPragmas()
	}
	var errs [4]error
	f.write, errs[0] = f.openPool(1, write)
	f.log, errs[1] = f.openPool(1, log)
	f.read, errs[2] = f.openPool(opts.Readers+2, readerPragmas()) // one reader can become the writer, and one the logger
	f.audit, errs[3] = f.openPool(opts.Readers+1, append(readerPragmas(), auditCache))
	if err := errors.Join(errs[:]...); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if err := f.refuse(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	return f, nil
}

// Name returns the path of the file.
func (f *File) Name() string { return f.path }

// Frozen reports whether the file was opened as immutable.
func (f *File) Frozen() bool { return f.frozen }

// Conn implements session.Engine.
func (f *File) Conn(ctx context.Context, use engine.Use) (c *engine.Conn, err error) {
	pool := f.write
	switch use {
	case engine.Read:
		return engine.Connect(ctx, f.read)
	case engine.Audit:
		return engine.Connect(ctx, f.audit)
	case engine.Log:
		pool = f.log
	case engine.Write:
	}
	err = f.retryBusy(ctx, func() error {
		c, err = engine.Connect(ctx, pool)
		return err
	})
	return c, err
}

// Begin implements session.Engine.
func (f *File) Begin(ctx context.Context, c *engine.Conn, use engine.Use) error {
	if use == engine.Read || use == engine.Audit {
		_, err := c.Exec(ctx, "BEGIN")
		return err
	}
	return f.retryBusy(ctx, func() error {
		_, err := c.Exec(ctx, "BEGIN IMMEDIATE")
		return err
	})
}

// Commit implements session.Engine. It sends no notification, because other processes watch the file for changes.
func (f *File) Commit(ctx context.Context, c *engine.Conn, _ int64) error {
	_, err := c.Exec(ctx, "COMMIT")
	return err
}

// Promote implements session.Engine. Opening a connection is slow, mainly because SQLite parses the schema. With
// Promote, a command that reads and then writes opens only a single connection. Promote turns off query_only last, so
// the connection remains a reader if a setting fails.
func (f *File) Promote(ctx context.Context, c *engine.Conn, use engine.Use) (bool, error) {
	if f.frozen {
		return false, nil
	}
	pragmas := writerPragmas()
	if use == engine.Log {
		pragmas = loggerPragmas()
	}
	err := f.retryBusy(ctx, func() error {
		return c.Script(ctx, "PRAGMA "+strings.Join(pragmas, "; PRAGMA ")+"; PRAGMA query_only(0)")
	})
	if err != nil {
		return false, errors.Join(err, c.Script(ctx, "PRAGMA "+defaultBusyTimeout)) // restore the settings of a reader
	}
	return true, nil
}

// WhileAudited implements session.Engine. It enlarges the page cache of the connection while fn runs.
func (f *File) WhileAudited(ctx context.Context, c *engine.Conn, fn func() error) error {
	if err := c.Script(ctx, "PRAGMA "+auditCache); err != nil {
		return err
	}
	return errors.Join(fn(), c.Script(ctx, "PRAGMA cache_size(-2000)")) // the engine's default
}

// modeFrozen is the mode that opens a file as immutable, without locks and without its log. Only this mode can open a
// database in a read-only folder (https://www.sqlite.org/wal.html#readonly).
const modeFrozen = "frozen"

// openDB returns a connection pool for path in the given mode: "rw", "ro", or modeFrozen. It opens no connections. A
// connection with mode "ro" does not remove the log. The driver runs busy_timeout before the other pragmas. With
// synchronous=FULL, an acknowledged commit survives a power failure. With synchronous=NORMAL, a commit does not sync
// the write-ahead log.
func openDB(path, mode string, pragmas ...string) (*sql.DB, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	q := url.Values{"mode": {mode}, "_pragma": append([]string{"foreign_keys(1)"}, pragmas...)}
	if mode == modeFrozen {
		q.Set("mode", "ro")
		q.Set("immutable", "1")
	}
	u := url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(abs), RawQuery: q.Encode()}
	return sql.Open(Driver, u.String())
}

// openPool returns a pool for the file with at most limit connections.
func (f *File) openPool(limit int, pragmas []string) (*sql.DB, error) {
	mode := "rw"
	if f.frozen {
		mode = modeFrozen
	}
	pool, err := openDB(f.path, mode, pragmas...)
	if err == nil {
		pool.SetMaxOpenConns(limit)
	}
	return pool, err
}

// writerPragmas returns the settings of the write connection.
func writerPragmas() []string {
	return []string{noBusyTimeout, "journal_mode(WAL)", "synchronous(FULL)", "temp_store(MEMORY)", "cache_size(-16384)"}
}

// loggerPragmas returns the settings of the connection for transactions that a power failure can roll back.
func loggerPragmas() []string {
	return []string{noBusyTimeout, "journal_mode(WAL)", "synchronous(NORMAL)"}
}

// readerPragmas returns the settings of read connections.
func readerPragmas() []string { return []string{defaultBusyTimeout, "query_only(1)"} }

// auditCache sets the size, in KB, of the page cache of a connection that reads the whole database for verification.
// Verification reads pages several times. Memory mapping would save a sixth of the time, but each connection would add
// the size of the file to the memory of the process.
const auditCache = "cache_size(-24576)"

// Close closes all connections.
func (f *File) Close() error {
	var errs []error
	for _, pool := range []*sql.DB{f.audit, f.read, f.log, f.write} {
		if pool != nil {
			errs = append(errs, pool.Close())
		}
	}
	return errors.Join(errs...)
}

// createFile creates the file at path if it does not exist. The log files inherit the mode of the file, so no file ever
// has a wider mode than 0600. createFile rejects a file that is too small for a database, because the engine would
// treat it as empty. It does not create folders, because a missing folder is probably a typing error.
func createFile(path string, existing bool) error {
	info, err := os.Stat(path)
	switch {
	case existing && (errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode().IsRegular() && info.Size() == 0):
		return fmt.Errorf("%w at %s", engine.ErrNoDatabase, path)
	case err == nil && !info.Mode().IsRegular():
		return fmt.Errorf("%s: %w: the path is not a file; choose a file with --db", path, engine.ErrForeign)
	case err == nil && info.Mode().IsRegular() && info.Size() > 0 && info.Size() < smallestDatabase:
		return fmt.Errorf("%s: %w: the file has %d bytes and an unknown format", path, engine.ErrForeign, info.Size())
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w; check the permissions of the folder", err)
	case err == nil || !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if target, err := os.Readlink(path); err == nil {
		return fmt.Errorf("%s is a link to %s, which does not exist; create this file, or choose another file with --db", path, target)
	}
	dir := filepath.Dir(path)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("create the database %s: the folder %s does not exist; create the folder, or choose another file with --db", path, dir)
	}
	// Do not open the file here if another process has just created it. Closing the file would release the locks of
	// the engine in this process.
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

// HasUncheckpointedLog reports whether the log of the database at path can contain changes that are not in the database
// file.
func HasUncheckpointedLog(path string) bool {
	info, err := os.Stat(path + "-wal")
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	return info.Size() > 0
}

// smallestDatabase is the smallest page size, and therefore the smallest size of a database, in bytes
// (https://www.sqlite.org/fileformat2.html#page_size).
const smallestDatabase = 512

// syncDir syncs the folder at path. New names in the folder then survive a power failure.
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

// CheckExists implements session.Engine. It returns an error unless the path still refers to the file that was opened.
func (f *File) CheckExists() error {
	info, err := os.Stat(f.path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(info, f.info) {
		return fmt.Errorf("%s: %w", f.path, engine.ErrGone)
	}
	return err
}

// busyTimeout is the time that an operation waits for other processes before it fails with engine.ErrBusy.
const busyTimeout = 30 * time.Second

// Readers use the engine's busy handler. They wait only while a log is recovered or checkpointed. Writers poll with
// retryBusy, because the intervals of the engine's handler grow up to a tenth of a second. With that handler, the
// newest of many writers would get the lock, and the oldest could wait forever
// (https://www.sqlite.org/src/file/src/main.c, sqliteDefaultBusyCallback).
const (
	defaultBusyTimeout = "busy_timeout(30000)"
	noBusyTimeout      = "busy_timeout(0)"
)

// lockPollInterval is the polling interval of writers. A constant interval gives all waiting writers the same chance to
// acquire the lock.
const lockPollInterval = 4 * time.Millisecond

// retryBusy calls the function try until the database is not busy, f.busyTimeout expires, or ctx ends.
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
		case <-time.After(lockPollInterval):
		case <-over.C:
			return err
		case <-ctx.Done():
		}
	}
}

// Describe implements session.Engine. It converts an error of SQLite according to its result code.
func (f *File) Describe(err error) error {
	var e *sqlite.Error
	if !errors.As(err, &e) || errors.Is(err, engine.ErrRefused) || errors.Is(err, engine.ErrBusy) || errors.Is(err, engine.ErrDamaged) {
		return err
	}
	switch e.Code() & 0xff { // the primary result code
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL: // SQLITE_PROTOCOL: a reader lost too many races for the log
		return fmt.Errorf("%w: other processes are using the database; nothing was written, so try again", engine.ErrBusy)
	case sqlite3.SQLITE_CORRUPT:
		return fmt.Errorf("%w; keep the damaged file, and restore a backup: %w", engine.ErrDamaged, err)
	case sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("%w; restore a backup at this path, or choose another file with --db: %w", engine.ErrForeign, err)
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

// UnwritableFolder reports whether err means that the engine cannot create its log and lock files beside the database.
func UnwritableFolder(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	return ok && (e.Code() == sqlite3.SQLITE_READONLY_DIRECTORY || e.Code() == sqlite3.SQLITE_READONLY_CANTINIT ||
		e.Code()&0xff == sqlite3.SQLITE_CANTOPEN)
}

// listenEvery is the minimum time between two notifications. It reduces a burst of writes to a few notifications.
const listenEvery = 200 * time.Millisecond

// Listen watches the file until ctx ends. It calls heard(0) when it starts to watch, and again whenever a process may
// have committed a transaction. It returns an error if the operating system cannot watch the file.
func (f *File) Listen(ctx context.Context, heard func(event int64)) error {
	changes, err := fsnotify.NewWatcher()
	if err != nil {
		return err
	}
	defer changes.Close() //nolint:errcheck // Close has nothing to write
	if err := changes.Add(filepath.Dir(f.path)); err != nil {
		return err
	}
	heard(0)
	var pause <-chan time.Time // nil if the next notification can be sent at once
	for pending := false; ; {
		select {
		case <-ctx.Done():
			return nil
		case err := <-changes.Errors:
			return err
		case e := <-changes.Events:
			name := filepath.Base(e.Name)
			pending = pending || name == filepath.Base(f.path) || name == filepath.Base(f.path)+"-wal"
		case <-pause:
			pause = nil
		}
		if pending && pause == nil {
			heard(0)
			pending, pause = false, time.After(listenEvery)
		}
	}
}
