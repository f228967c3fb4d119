// This file defines the database with all its tables.

package store

import (
	"context"
	"fmt"
	"io/fs"
	"runtime"
	"sync"
	"time"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/review/proof"
	"toolcrib/store/assistant"
	"toolcrib/store/calls"
	"toolcrib/store/catalog"
	"toolcrib/store/pg"
	"toolcrib/store/queue"
	"toolcrib/store/records"
	"toolcrib/store/session"
	"toolcrib/store/verification"
	"toolcrib/store/workspaces"
)

// DB is an open database. It is safe for concurrent use.
type DB struct {
	pool *session.Pool
	catalog.Lists
	records.AuditLog
	calls.CallLog
	catalog.Imports
	catalog.History
	assistant.Data
	verification.Audits

	seeding catalog.Seeding
	waiting waiting

	mu     sync.Mutex
	closed bool
}

// Options configures a database. Now and NewID provide the times and ids of shipped definitions.
type Options struct {
	Now   func() time.Time
	NewID func() string
	// Inspect allows a database with modified core tools, to report the damage.
	Inspect bool
	// Account is the account that runs the process. It is part of each event.
	Account history.Account
	// Users are the users that the account may act as, such as "user:mara", or nil for all.
	Users []string
	// Existing prevents the creation of a file.
	Existing bool
	// DryRun rolls back all write transactions.
	DryRun bool
	// Empty creates a new file with only the core, without the assistant, its tools, and the shipped allow-lists. It
	// does not affect an existing file.
	Empty bool
	// Committed, if not nil, is called after each commit with the acts of the appended events. It must not block.
	Committed func(acts []string)
	// Trust determines which versions are valid, or is nil if signatures are not required.
	Trust *proof.Trust
}

// use returns the database of an engine. Its schema may be outdated.
func use(e session.Engine, opts Options) *DB {
	var idle time.Duration
	if _, server := e.(*pg.Server); server {
		idle = idleAfter
	}
	c := session.New(e, session.Options{Witness: session.Witness{Account: opts.Account, Users: opts.Users}, Trust: opts.Trust, Committed: opts.Committed, DryRun: opts.DryRun, Idle: idle})
	return &DB{
		pool: c, Lists: catalog.Lists{Pool: c}, AuditLog: records.AuditLog{Pool: c}, CallLog: calls.CallLog{Pool: c}, Imports: catalog.Imports{Pool: c}, History: catalog.History{Pool: c},
		Data: assistant.Data{Pool: c}, Audits: verification.Audits{Pool: c}, seeding: catalog.Seeding{Now: opts.Now, NewID: opts.NewID, CoreAlone: opts.Empty},
	}
}

// Frozen reports whether the database was opened as immutable, because its folder is read-only. Concurrent changes by
// another process may then be partly visible.
func (db *DB) Frozen() bool { return db.pool.Engine.Frozen() }

// Path returns the path of the file, or the name of the database on a server.
func (db *DB) Path() string { return db.pool.Engine.Name() }

// CheckExists returns an error if the database was removed or replaced after it was opened.
func (db *DB) CheckExists() error { return db.pool.Engine.CheckExists() }

// Backup writes a copy of the database, from one snapshot, to a new file at path. The error wraps fs.ErrExist if the
// file exists.
func (db *DB) Backup(ctx context.Context, path string) error { return db.pool.Engine.Backup(ctx, path) }

// Close waits for a running write and closes the database.
func (db *DB) Close() error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed {
		return nil
	}
	db.closed = true
	db.waiting.end()
	return db.pool.Close()
}

// OpenToOthers returns a warning if mode allows other accounts to read or write a database file, and "" otherwise or on
// Windows, which does not use such modes.
func OpenToOthers(mode fs.FileMode) string {
	if runtime.GOOS == "windows" || mode.Perm()&0o077 == 0 {
		return ""
	}
	return fmt.Sprintf("the database file has mode %04o, so other accounts of this machine may use it; run chmod 600 on it", mode.Perm())
}

// reviewReader returns the review service's read interface to s.
func reviewReader(s *session.Session) review.Reader {
	return review.Reader{
		ProposalReader: queue.Proposals{Session: s}, RecordReader: queue.NewRecords(s), RegistryReader: catalog.Registry{Session: s},
		SignatureReader: records.Signatures{Session: s},
	}
}

// View implements review.Store.
func (db *DB) View(ctx context.Context, fn func(review.Reader) error) error {
	return db.pool.View(ctx, func(s *session.Session) error { return fn(reviewReader(s)) })
}

// Update implements review.Store. It runs fn again if the transaction conflicts with another.
func (db *DB) Update(ctx context.Context, fn func(review.Tx) error) error {
	return db.pool.Update(ctx, func(s *session.Session) error {
		return fn(review.Tx{
			Reader: reviewReader(s), ProposalWriter: queue.Proposals{Session: s}, RecordWriter: queue.NewRecords(s), RegistryWriter: catalog.Registry{Session: s},
			SignatureWriter: records.Signatures{Session: s},
		})
	})
}

// Tokens returns the store for access tokens.
func (db *DB) Tokens() calls.Tokens { return calls.Tokens{Pool: db.pool} }

// Calls returns the store for the gateway.
func (db *DB) Calls() calls.Ledger { return calls.Ledger{Pool: db.pool} }

// Workspaces returns the store for workspaces.
func (db *DB) Workspaces() workspaces.Store { return workspaces.Store{Pool: db.pool} }

// Remember implements review.Store. It does not wait for the disk, because reading must be fast, and if the record is
// lost, the user only has to open the review again.
func (db *DB) Remember(ctx context.Context, user proposals.Actor, shown []review.Shown) error {
	return db.pool.Log(ctx, func(s *session.Session) error { return queue.Remember(ctx, s, user, shown) })
}

// Content returns the bytes of a binary file by SHA-256. ok is false if they are not stored.
func (db *DB) Content(ctx context.Context, sha256 string) (data []byte, ok bool, err error) {
	err = db.View(ctx, func(r review.Reader) error {
		data, ok, err = r.Content(ctx, sha256)
		return err
	})
	return data, ok, err
}

// NewestEvent returns the time of the newest event, or the zero time if there are no events.
func (db *DB) NewestEvent(ctx context.Context) (time.Time, error) {
	return session.Read(ctx, db.pool, func(s *session.Session) (time.Time, error) {
		var at string
		if found, err := s.OptionalRow(ctx, "SELECT at FROM events ORDER BY seq DESC LIMIT 1", nil, &at); err != nil || !found {
			return time.Time{}, err
		}
		return history.ParseTimestamp(at)
	})
}

// Head returns the sequence number of the newest event and the state of the registry, which increases with each
// approval.
func (db *DB) Head(ctx context.Context) (event, state int64, err error) {
	err = db.pool.View(ctx, func(s *session.Session) error {
		if err := s.Row(ctx, "SELECT coalesce(max(seq), 0) FROM events", nil, &event); err != nil {
			return err
		}
		state, err = catalog.Registry{Session: s}.State(ctx)
		return err
	})
	return event, state, err
}
