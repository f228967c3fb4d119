package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"sync"
	"time"

	"toolcrib/history"
	"toolcrib/internal/failpoint"
	"toolcrib/review"
)

// DB is an open database. It is safe for concurrent use.
type DB struct {
	path        string
	file        fs.FileInfo // of the database when it was opened
	frozen      bool        // opened as a file that nobody changes
	witness     witness
	trust       *review.Trust
	now         func() time.Time
	newID       func() string
	committed   func(acts []string)
	busyTimeout time.Duration
	empty       bool // a new file gets the core alone
	write       *sql.DB
	log         *sql.DB // writes what a power cut may take back
	read        *sql.DB
	writer      chan *session // holds the one writer when nobody uses it; nil until it is opened
	logger      chan *session // the same for log
	idle        chan *session // readers that nobody uses
	slots       chan struct{} // one per reader that may exist

	mu     sync.Mutex
	closed bool
}

// Options are the services that a database needs. Now and NewID stamp what a
// migration ships.
type Options struct {
	Now   func() time.Time
	NewID func() string
	// Inspect opens a database whose core tools were tampered with too, to
	// show the damage.
	Inspect bool
	// Account runs the process. Every event tells which it was.
	Account history.Account
	// Users are the users that this account may act as, such as "user:mara"; nil
	// for all.
	Users []string
	// Existing opens a file that is there, and makes none.
	Existing bool
	// Empty makes a new file with the core alone, without the assistant, its
	// tools, and the shipped lists. A file that is there stays as it is.
	Empty bool
	// Committed is told the acts of the events that a transaction appended, once
	// it is committed; it must not wait. nil is told nothing.
	Committed func(acts []string)
	// Trust decides which versions are read as live; nil for all.
	Trust *review.Trust
}

// maxReaders bounds the reading connections.
const maxReaders = 4

// Open opens the database file at path, migrating it as needed and creating it,
// with mode 0600, unless opts say otherwise. Its folder has to be there. It
// returns an error that wraps review.ErrTampered when a core tool is not what the program ships, and
// ErrNewer when the file was written by a newer toolcrib.
func Open(ctx context.Context, path string, opts Options) (*DB, error) {
	db, err := open(ctx, path, opts, false)
	if unwritableFolder(err) && !unread(path) {
		return open(ctx, path, opts, true)
	}
	return db, err
}

func open(ctx context.Context, path string, opts Options, frozen bool) (*DB, error) {
	db, err := connect(path, opts, frozen)
	if err != nil {
		return nil, err
	}
	err = db.prepareFile(ctx)
	if errors.Is(err, review.ErrTampered) && opts.Inspect {
		err = nil
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), db.Close())
	}
	return db, nil
}

// connect makes the file if there is none. It is looked into when the first
// session is opened.
func connect(path string, opts Options, frozen bool) (*DB, error) {
	if err := errors.Join(registerNear(), createFile(path, opts.Existing)); err != nil {
		return nil, err
	}
	file, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	readers := min(max(runtime.NumCPU(), 1), maxReaders)
	db := &DB{
		path: path, file: file, frozen: frozen, witness: witness{opts.Account, opts.Users}, trust: opts.Trust,
		now: opts.Now, newID: opts.NewID, committed: opts.Committed, busyTimeout: busyTimeout, empty: opts.Empty,
		writer: make(chan *session, 1), logger: make(chan *session, 1),
		idle: make(chan *session, readers), slots: make(chan struct{}, readers),
	}
	if err := db.openPools(readers); err != nil {
		return nil, err
	}
	db.writer <- nil
	db.logger <- nil
	return db, nil
}

// Frozen reports whether the database was opened as a file that nobody
// changes, because its folder may not be written: what another process changes
// meanwhile may be seen, or half seen, or not.
func (db *DB) Frozen() bool { return db.frozen }

// Path returns the file the database lives in.
func (db *DB) Path() string { return db.path }

// Close waits for a running write and closes the database.
func (db *DB) Close() error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed {
		return nil
	}
	db.closed = true
	var errs []error
	for _, idle := range []chan *session{db.writer, db.logger} {
		if w := <-idle; w != nil {
			errs = append(errs, w.close())
		}
	}
	for range cap(db.slots) {
		select {
		case db.slots <- struct{}{}: // a reader that was never opened
		case s := <-db.idle:
			errs = append(errs, s.close())
		}
	}
	return errors.Join(append(errs, db.closePools())...)
}

// View implements review.Store.
func (db *DB) View(ctx context.Context, fn func(review.Reader) error) error {
	return db.view(ctx, func(s *session) error { return fn(s) })
}

// Update implements review.Store.
func (db *DB) Update(ctx context.Context, fn func(review.Tx) error) error {
	return db.update(ctx, func(s *session) error { return fn(s) })
}

func (db *DB) view(ctx context.Context, fn func(*session) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s, err := db.reader(ctx)
	if err != nil {
		return err
	}
	defer func() { db.idle <- s }()
	if _, err := s.exec(ctx, "BEGIN"); err != nil {
		return describe(err)
	}
	return s.within(ctx, fn)
}

// reader takes an idle reader or opens one more.
func (db *DB) reader(ctx context.Context) (*session, error) {
	select {
	case s := <-db.idle:
		return s, nil
	default:
	}
	select {
	case s := <-db.idle:
		return s, nil
	case db.slots <- struct{}{}:
		s, err := db.newSession(ctx, db.read)
		if err != nil {
			<-db.slots
			return nil, describe(err)
		}
		return s, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (db *DB) update(ctx context.Context, fn func(*session) error) error {
	return db.writeWith(ctx, db.write, db.writer, fn)
}

// writeWith runs fn in a write transaction of the one session of pool, which
// idle holds when nobody uses it.
func (db *DB) writeWith(ctx context.Context, pool *sql.DB, idle chan *session, fn func(*session) error) error {
	var w *session
	select {
	case w = <-idle:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { idle <- w }()
	if w == nil {
		s, err := db.firstWriter(ctx, pool)
		if err != nil {
			return err
		}
		w = s
	}
	w.witness = db.witness.in(ctx)
	err := db.retryBusy(ctx, func() error {
		_, err := w.exec(ctx, "BEGIN IMMEDIATE")
		return err
	})
	if err != nil {
		return err
	}
	err = w.within(ctx, fn)
	if err == nil && len(w.acts) > 0 && db.committed != nil {
		db.committed(w.acts)
	}
	return err
}

// within runs fn in the transaction that has begun, and ends it: with COMMIT,
// or with ROLLBACK when fn fails or panics. Once COMMIT has begun it is too late
// to cancel.
func (s *session) within(ctx context.Context, fn func(*session) error) error {
	s.last, s.acts, s.proven = history.Event{}, nil, nil
	done := false
	defer func() {
		if !done {
			s.sketches = sketches{}        // what was rolled back may be in them
			_, _ = s.exec(ctx, "ROLLBACK") // what failed before is the error to report
		}
	}()
	if err := fn(s); err != nil {
		return describe(err)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if _, err := s.exec(ctx, "COMMIT"); err != nil {
		return describe(err)
	}
	done = true
	failpoint.Here("committed")
	return nil
}
