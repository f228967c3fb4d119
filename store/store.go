package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"sync"
	"time"

	"toolcrib/history"
	"toolcrib/internal/plaintext"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
	"toolcrib/review/proof"
	"toolcrib/store/engine"
)

// DB is an open database. It is safe for concurrent use.
type DB struct {
	*connections
	catalogPages
	logPages
	importRecords
	versionPages
	assistantData
	audits

	now     func() time.Time
	newID   func() string
	empty   bool // a new database gets the core alone
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
	// DryRun rolls every transaction back that writes.
	DryRun bool
	// Empty makes a new file with the core alone, without the assistant, its
	// tools, and the shipped lists. A file that is there stays as it is.
	Empty bool
	// Committed gets the acts of the events that a transaction appended, after the
	// commit; it must not wait. It may be nil.
	Committed func(acts []string)
	// Trust decides which versions are read as live; nil for all.
	Trust *proof.Trust
}

// maxReaders bounds the reading connections.
const maxReaders = 4

func readers() int { return min(max(runtime.NumCPU(), 1), maxReaders) }

// use returns the database of an engine, whose schema may not be current.
func use(e Engine, opts Options) *DB {
	c := &connections{
		engine: e, witness: witness{opts.Account, opts.Users}, trust: opts.Trust, committed: opts.Committed, dryRun: opts.DryRun,
		writer: make(chan *session, 1), logger: make(chan *session, 1),
		idle: make(chan *session, readers()), slots: make(chan struct{}, readers()),
	}
	c.writer <- nil
	c.logger <- nil
	return &DB{
		connections: c, catalogPages: catalogPages{c}, logPages: logPages{c}, importRecords: importRecords{c}, versionPages: versionPages{c},
		assistantData: assistantData{c}, audits: audits{c}, now: opts.Now, newID: opts.NewID, empty: opts.Empty,
	}
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

// session is one connection as the store uses it, by one goroutine at a time, with
// what its transaction remembers. The types built on it have the tables, a family
// each; on a reading connection the engine itself refuses the writes.
type session struct {
	*engine.Conn
	engine   Engine
	hints    hints
	witness  witness
	trust    *proof.Trust    // nil where every version counts
	proven   *proof.Proofs   // in the transaction, nil before it is asked for
	profiled []registry.Live // the live agents and allow-lists, in the transaction, nil before they are asked for
	decoded  decoded
	sketches sketches
	ends     *ends            // in the transaction, nil before they are asked for
	last     history.Event    // the last one of the transaction that writes; zero before there is one
	chained  chainedRow       // the last row of a chain that the transaction wrote
	acts     []string         // of the events of the transaction that writes, each once
	added    map[string]int64 // the versions that were written last: the numbers of their rows, by hash
}

// chainedRow is a row of a table that is one chain.
type chainedRow struct {
	table string // "" for none
	seq   int64
	hash  string
}

// newSession opens a session that writes its events with the witness of db: a
// reader can become the writer.
func (db *connections) newSession(ctx context.Context, use engine.Use) (*session, error) {
	conn, err := db.engine.Conn(ctx, use)
	if err != nil {
		return nil, db.engine.Describe(err)
	}
	return &session{Conn: conn, engine: db.engine, hints: hints(db.engine.Hints()), witness: db.witness, trust: db.trust}, nil
}

// Exec runs a statement and returns how many rows it changed. It is review.ErrText to
// write a text that not every engine can keep.
func (s *session) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	if err := storable(args); err != nil {
		return 0, err
	}
	return s.Conn.Exec(ctx, query, args...)
}

// storable returns review.ErrText for arguments of a statement that not every engine
// can keep. Whoever lets a text in checks it and names it; this is for what was
// forgotten.
func storable(args []any) error {
	for _, arg := range args {
		text, _ := engine.TextOf(arg)
		if problem := plaintext.Problem(text); problem != "" {
			return fmt.Errorf("%w: %s %s; nothing was written", review.ErrText, jsondoc.Quote(text), problem)
		}
	}
	return nil
}

// scanner is a row that can be read.
type scanner = engine.Scanner

// querier is a session, or what is built on one.
type querier interface {
	Each(ctx context.Context, query string, args []any, fn func(scanner) error) error
}

// all runs a query and collects what scan makes of every row.
func all[T any](ctx context.Context, s querier, scan func(scanner) (T, error), query string, args ...any) ([]T, error) {
	var out []T
	err := s.Each(ctx, query, args, func(row scanner) error {
		v, err := scan(row)
		if err != nil {
			return err
		}
		out = append(out, v)
		return nil
	})
	return out, err
}

// scanValue scans a row of one column.
func scanValue[T any](row scanner) (v T, err error) {
	err = row.Scan(&v)
	return v, err
}

// viewed returns what fn reads in a snapshot.
func viewed[T any](ctx context.Context, db *connections, fn func(*session) (T, error)) (v T, err error) {
	err = db.view(ctx, func(s *session) error {
		v, err = fn(s)
		return err
	})
	return v, err
}

// first returns the first element of found. format describes the missing element.
func first[T any](found []T, err error, format string, args ...any) (T, error) {
	if err == nil && len(found) == 0 {
		err = notFound(format, args...)
	}
	if err != nil {
		var none T
		return none, err
	}
	return found[0], nil
}

// Health is the engine's report about the file.
type Health struct {
	Schema    int
	Proposals map[string]int // by state
	Problems  []string
}

// Health runs the engine's quick checks. They see
// damage to the structure; damage to the content is seen by the hash chains.
func (db audits) Health(ctx context.Context) (Health, error) {
	h := Health{Proposals: map[string]int{}}
	err := db.view(ctx, func(s *session) error {
		var err error
		if h.Schema, err = s.engine.Schema(ctx, s.Conn); err != nil {
			return err
		}
		counts, err := proposalTables{s}.Counts(ctx)
		if err != nil {
			return err
		}
		for state, n := range counts {
			h.Proposals[string(state)] = n
		}
		h.Problems, err = s.engine.Problems(ctx, s.Conn)
		return err
	})
	return h, err
}

// OpenToOthers describes the problem with the mode of a database file that other
// accounts of the machine may read or write, "" when there is none. Windows keeps
// such rights elsewhere.
func OpenToOthers(mode fs.FileMode) string {
	if runtime.GOOS == "windows" || mode.Perm()&0o077 == 0 {
		return ""
	}
	return fmt.Sprintf("the database file has mode %04o, so other accounts of this machine may use it; run chmod 600 on it", mode.Perm())
}

// Rows returns how many records there are to verify, by the numbers of the last
// of them.
func (db audits) Rows(ctx context.Context) (n int64, err error) {
	err = db.view(ctx, func(s *session) error {
		n = 0
		for _, table := range append(recordNames(), versionTable, eventTable) {
			var last int64
			if err := s.Row(ctx, "SELECT coalesce(max(seq), 0) FROM "+table, nil, &last); err != nil {
				return err
			}
			n += last
		}
		return nil
	})
	return n, err
}
