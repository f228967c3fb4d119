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

// DB is an open database. Its methods are safe for concurrent use.
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

// Options configures Open and Migrate. Now and NewID provide the times and ids of shipped definitions.
type Options struct {
	Now   func() time.Time
	NewID func() string
	// Inspect lets Open succeed although core tools were modified. Commands can then report the damage.
	Inspect bool
	// Account is the operating system account that runs the process. Each event records the account.
	Account history.Account
	// Users lists the users, such as "user:mara", that the account is allowed to act as. If it is nil, the account can
	// act as every user.
	Users []string
	// Existing prevents Open from creating a file.
	Existing bool
	// DryRun rolls back all write transactions.
	DryRun bool
	// Empty restricts the content of a new file to the core tools: no assistant, no assistant tools, and no
	// allow-lists. Empty does not affect an existing file.
	Empty bool
	// Committed, if not nil, is called after each commit that appended events. The argument contains the acts of these
	// events. It must not block.
	Committed func(acts []string)
	// Trust determines which versions have valid signatures. It is nil if signatures are not required.
	Trust *proof.Trust
}

// use returns a DB for the engine e. It does not check the schema.
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

// Frozen reports whether a file was opened as immutable because its folder is read-only. In that case, readers can see
// a part of a change that another process is making.
func (db *DB) Frozen() bool { return db.pool.Engine.Frozen() }

// Path returns the path of the file, or the name of the database on a server.
func (db *DB) Path() string { return db.pool.Engine.Name() }

// CheckExists returns an error if the database was removed or replaced after Open.
func (db *DB) CheckExists() error { return db.pool.Engine.CheckExists() }

// Backup copies a snapshot of the database to a new file at path. The error wraps fs.ErrExist if the file already
// exists.
func (db *DB) Backup(ctx context.Context, path string) error { return db.pool.Engine.Backup(ctx, path) }

// Close waits for a running write transaction and closes the database.
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

// OpenToOthers returns a warning if mode, the mode of a database file, allows other accounts to read or write the file.
// Otherwise, it returns "". It always returns "" on Windows, where these modes have no effect.
func OpenToOthers(mode fs.FileMode) string {
	if runtime.GOOS == "windows" || mode.Perm()&0o077 == 0 {
		return ""
	}
	return fmt.Sprintf("the database file has mode %04o, so other accounts of this machine may use it; run chmod 600 on it", mode.Perm())
}

// reviewReader returns the interfaces for the reads of the review service in the transaction of s.
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

// Update implements review.Store. It runs fn again if the transaction conflicts with another transaction.
func (db *DB) Update(ctx context.Context, fn func(review.Tx) error) error {
	return db.pool.Update(ctx, func(s *session.Session) error {
		return fn(review.Tx{
			Reader: reviewReader(s), ProposalWriter: queue.Proposals{Session: s}, RecordWriter: queue.NewRecords(s), RegistryWriter: catalog.Registry{Session: s},
			SignatureWriter: records.Signatures{Session: s},
		})
	})
}

// Tokens returns the store of the access tokens.
func (db *DB) Tokens() calls.Tokens { return calls.Tokens{Pool: db.pool} }

// Calls returns the store that the gateway uses.
func (db *DB) Calls() calls.Ledger { return calls.Ledger{Pool: db.pool} }

// Workspaces returns the store of the workspaces.
func (db *DB) Workspaces() workspaces.Store { return workspaces.Store{Pool: db.pool} }

// Remember implements review.Store. It does not wait until the record is on disk, because opening a review must be
// fast. If the record is lost, the user only has to open the review again.
func (db *DB) Remember(ctx context.Context, user proposals.Actor, shown []review.Shown) error {
	return db.pool.Log(ctx, func(s *session.Session) error { return queue.Remember(ctx, s, user, shown) })
}

// Content returns the bytes of the binary file with the given SHA-256. The result ok is false if the bytes are not
// stored.
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

// Head returns the sequence number of the newest event, and the state number of the registry, which increases with each
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
