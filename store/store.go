package store

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	"toolcrib/history"
	"toolcrib/review"
)

// DB is an open database. It is safe for concurrent use.
type DB struct {
	engine    Engine
	witness   witness
	trust     *review.Trust
	now       func() time.Time
	newID     func() string
	committed func(acts []string)
	empty     bool          // a new database gets the core alone
	writer    chan *session // holds the one writer when nobody uses it; nil until it is opened
	logger    chan *session // the same for what a power cut may take back
	idle      chan *session // readers that nobody uses
	slots     chan struct{} // one per reader that may exist

	waiting waiting

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
	// Account is the account that runs the process. Every event has it.
	Account history.Account
	// Users are the users that this account may act as, such as "user:mara"; nil
	// for all.
	Users []string
	// Existing opens a file that is there, and makes none.
	Existing bool
	// Empty makes a new file with the core alone, without the assistant, its
	// tools, and the shipped lists. A file that is there stays as it is.
	Empty bool
	// Committed gets the acts of the events that a transaction appended, after the
	// commit; it must not wait. It may be nil.
	Committed func(acts []string)
	// Trust decides which versions are read as live; nil for all.
	Trust *review.Trust
}

// maxReaders bounds the reading connections.
const maxReaders = 4

func readers() int { return min(max(runtime.NumCPU(), 1), maxReaders) }

// use returns the database of an engine, whose schema may not be current.
func use(e Engine, opts Options) *DB {
	db := &DB{
		engine: e, witness: witness{opts.Account, opts.Users}, trust: opts.Trust,
		now: opts.Now, newID: opts.NewID, committed: opts.Committed, empty: opts.Empty,
		writer: make(chan *session, 1), logger: make(chan *session, 1),
		idle: make(chan *session, readers()), slots: make(chan struct{}, readers()),
	}
	db.writer <- nil
	db.logger <- nil
	return db
}

// Frozen reports whether the database was opened as one that nobody
// changes, because its folder may not be written: what another process changes
// meanwhile may be seen, or half seen, or not.
func (db *DB) Frozen() bool { return db.engine.Frozen() }

// Path returns the name of the database: of a file, its path.
func (db *DB) Path() string { return db.engine.Name() }

// There returns nil while the database is the one that was opened.
func (db *DB) There() error { return db.engine.There() }

// Backup writes a copy of the database, from one snapshot, to a new file at path.
// It replaces no file: the error then wraps fs.ErrExist.
func (db *DB) Backup(ctx context.Context, path string) error { return db.engine.Backup(ctx, path) }

// Close waits for a running write and closes the database.
func (db *DB) Close() error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed {
		return nil
	}
	db.closed = true
	db.waiting.end()
	var errs []error
	for _, idle := range []chan *session{db.writer, db.logger} {
		if w := <-idle; w != nil {
			errs = append(errs, w.Close())
		}
	}
	for range cap(db.slots) {
		select {
		case db.slots <- struct{}{}: // a reader that was never opened
		case s := <-db.idle:
			errs = append(errs, s.Close())
		}
	}
	return errors.Join(append(errs, db.engine.Close())...)
}
