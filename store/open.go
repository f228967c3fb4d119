package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/store/engine"
	"toolcrib/store/pg"
	"toolcrib/store/sqlite"
)

// Open opens the database that a name means: the URL of a PostgreSQL server, or the
// path of a SQLite file. A file is migrated as needed and created, with mode 0600,
// unless opts say otherwise; its folder has to be there. A server has its schema
// from Migrate. Open returns an error that wraps proposals.ErrTampered when a core
// tool is not what the program ships, and ErrNewer when a newer toolcrib wrote the
// database.
func Open(ctx context.Context, name string, opts Options) (*DB, error) {
	if pg.IsURL(name) {
		server, err := pg.Open(name)
		if err != nil {
			return nil, err
		}
		return open(ctx, engineOf(server), opts)
	}
	db, err := openFile(ctx, name, opts, false)
	if sqlite.UnwritableFolder(err) && !sqlite.Unread(name) {
		return openFile(ctx, name, opts, true)
	}
	return db, err
}

// IsURL reports whether a name is that of a database on a server.
func IsURL(name string) bool { return pg.IsURL(name) }

// Login returns the login by which toolcrib connects to a database, "" for a file,
// which has none.
func Login(name string) (string, error) {
	if !pg.IsURL(name) {
		return "", nil
	}
	return pg.Login(name)
}

// DisplayName returns the name of a database as it may be shown, without a
// password.
func DisplayName(name string) string {
	if pg.IsURL(name) {
		return pg.Redacted(name)
	}
	return name
}

func openFile(ctx context.Context, path string, opts Options, frozen bool) (*DB, error) {
	file, err := sqlite.Open(ctx, path, sqlite.Options{Existing: opts.Existing, Frozen: frozen, Readers: readers()})
	if err != nil {
		return nil, err
	}
	return open(ctx, engineOf(file), opts)
}

func open(ctx context.Context, e Engine, opts Options) (*DB, error) {
	db := use(e, opts)
	err := db.prepare(ctx)
	if errors.Is(err, proposals.ErrTampered) && opts.Inspect {
		err = nil
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", e.Name(), err), db.Close())
	}
	return db, nil
}

// Migrate creates the roles and the schema of toolcrib on the PostgreSQL server of a
// URL, whose login has to be allowed to, and returns the numbers of the steps that
// were missing.
func Migrate(ctx context.Context, url string, opts Options) (done []int, err error) {
	server, err := pg.Open(url)
	if err != nil {
		return nil, err
	}
	db := use(engineOf(server), opts)
	defer func() { err = errors.Join(err, db.Close()) }()
	s, err := db.newSession(ctx, engine.Write)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	done, err = server.Migrate(ctx, s.Conn, func(ctx context.Context) error { return seed(ctx, db, s) })
	return done, db.engine.Describe(err)
}

// Engine is a database as the store uses it. The store has the tables and all SQL
// that both engines take; an engine has its connections, its schema, and what only
// it can do. store/sqlite and store/pg have one each.
type Engine struct {
	Connector
	Migrator
	Searcher
	Place
}

// engineOf returns the engine that e is all parts of.
func engineOf[E interface {
	Connector
	Migrator
	Searcher
	Place
}](e E) Engine {
	return Engine{e, e, e, e}
}

// Place is where a database is.
type Place interface {
	// Name is how the database is called, without secrets.
	Name() string
	// There returns nil while the database is the one that was opened.
	There() error
	// Frozen reports whether the database was opened as one that nobody changes.
	Frozen() bool
	// Backup writes a whole copy to a new file. Its error wraps fs.ErrExist where
	// there is one.
	Backup(ctx context.Context, path string) error
	Close() error
}

// Connector opens connections and begins transactions.
type Connector interface {
	// Conn opens a connection.
	Conn(ctx context.Context, use engine.Use) (*engine.Conn, error)
	// Begin begins a transaction. One that writes waits for every other one; the
	// error wraps engine.ErrBusy when that took too long.
	Begin(ctx context.Context, c *engine.Conn, use engine.Use) error
	// Commit ends a transaction, and tells other processes the number of its newest
	// event; 0 for none. The error wraps engine.ErrLost when it is not known whether
	// the transaction was committed.
	Commit(ctx context.Context, c *engine.Conn, event int64) error
	// Promote makes a connection that reads the one that writes, or the one that logs;
	// false when one has to be opened for that.
	Promote(ctx context.Context, c *engine.Conn, use engine.Use) (bool, error)
	// WhileAudited runs fn, which reads a whole snapshot through c.
	WhileAudited(ctx context.Context, c *engine.Conn, fn func() error) error
	// Describe gives an error of the engine its meaning: one of those of package
	// engine. Everything else passes through.
	Describe(err error) error
}

// Migrator has the schema of a database.
type Migrator interface {
	// Schema returns the number of the last step that the database has, 0 for none.
	Schema(ctx context.Context, c *engine.Conn) (int, error)
	// Current reports whether that is the last step there is.
	Current(version int) bool
	// Steps are the steps that opening a database takes. The seed among them is the
	// store's. They are none where the schema is another's.
	Steps() ([]engine.Step, error)
	// Took notes that the database has a step.
	Took(ctx context.Context, c *engine.Conn, step engine.Step) error
	// Structure reports differences from the schema, broken foreign keys and damaged
	// search indexes, and with deep whatever the engine finds in its file.
	Structure(ctx context.Context, c *engine.Conn, deep bool, fn func(history.Damage)) error
	// Problems is a quicker Structure, for people.
	Problems(ctx context.Context, c *engine.Conn) ([]string, error)
}

// Searcher writes the SQL that the engines have no common form of.
type Searcher interface {
	// Hints reports whether the engine needs hints about the index of a statement.
	Hints() bool
	// Contains is the condition that a row p of proposals has a text among those
	// that lists show, in any case.
	Contains(words string) engine.Clause
	// Rows selects the seq of all such rows, each at least once. spellings are a
	// text of less than three characters in every case, nil for a longer one.
	Rows(words string, spellings []string) engine.Clause
	// AllRows selects the seq of the rows that have all of some texts of three or
	// more characters and none of others.
	AllRows(wanted, unwanted []string) engine.Clause
	// Matching is the source of the same rows in the order of seq.
	Matching(wanted, unwanted []string) engine.Source
	// Beginning is the source of the rows with a text of less than three characters;
	// false where no index is of use.
	Beginning(ctx context.Context, c *engine.Conn, spellings []string) (engine.Source, bool, error)
	// HasTerms is the condition that a row of memories_text or entities_text has all
	// terms.
	HasTerms(table string, terms []string) engine.Clause
	// HasNear reports whether the engine compares sketches itself, by Near.
	HasNear() bool
	// Near calls fn with the sketches that are near others.
	Near(ctx context.Context, c *engine.Conn, n engine.Nearness, fn func(text, purpose []byte) error) error
	// IndexChecks are consistency checks of the engine's own indexes.
	IndexChecks() []engine.Check
}

// Errors of the database as a whole, as package engine describes them.
var (
	ErrNewer      = engine.ErrNewer
	ErrNumbering  = engine.ErrNumbering
	ErrForeign    = engine.ErrForeign
	ErrNoDatabase = engine.ErrNoDatabase
	ErrBusy       = engine.ErrBusy
	ErrDamaged    = engine.ErrDamaged
	ErrRefused    = engine.ErrRefused
	ErrGone       = engine.ErrGone
	ErrLost       = engine.ErrLost
)

// missing turns an empty result into proposals.ErrNotFound with a name.
func missing(err error, format string, args ...any) error {
	if errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), proposals.ErrNotFound)
	}
	return err
}

// changedOne makes of a row count what a compare-and-set has to say.
func changedOne(n int64, err error, what string) error {
	switch {
	case err != nil:
		return err
	case n != 1:
		return fmt.Errorf("%s: %w: another process changed it first; look again", what, proposals.ErrConflict)
	}
	return nil
}

// prepare brings the schema up to date and makes sure that the core is
// the shipped one. A database that is current costs two reads.
func (db *DB) prepare(ctx context.Context) error {
	version, err := viewed(ctx, db.connections, func(s *session) (int, error) { return db.engine.Schema(ctx, s.Conn) })
	if err != nil {
		return err
	}
	if !db.engine.Current(version) {
		if db.dryRun {
			return errors.New("its schema is older than this program's, and --dry-run does not change it; run a command without --dry-run first")
		}
		if err := db.migrate(ctx); err != nil {
			return err
		}
	}
	return db.view(ctx, func(s *session) error { return liveTables{s}.checkCore(ctx) })
}

// migrate runs the steps that the database lacks. Another process may do the
// same at once: each step looks again inside its transaction.
func (db *DB) migrate(ctx context.Context) error {
	steps, err := db.engine.Steps()
	if err != nil {
		return err
	}
	for _, step := range steps {
		if err := db.take(ctx, step); err != nil {
			return fmt.Errorf("migration %d: %w", step.Number, err)
		}
	}
	return nil
}

// take runs a step unless the database already has it.
func (db *DB) take(ctx context.Context, step engine.Step) error {
	return db.update(ctx, func(s *session) error {
		version, err := db.engine.Schema(ctx, s.Conn)
		if err != nil || version >= step.Number {
			return err
		}
		if step.SQL == "" {
			err = seed(ctx, db, s)
		} else {
			err = s.Script(ctx, step.SQL)
		}
		if err != nil {
			return err
		}
		return db.engine.Took(ctx, s.Conn, step)
	})
}

// Structure implements history.Ledger: the core and its lock, and what
// the engine finds in its schema, its indexes and its foreign keys.
func (l Ledger) Structure(ctx context.Context, deep bool, fn func(history.Damage)) error {
	if l.file != nil {
		defer func() { l.free <- l.file }()
		return l.structure(ctx, l.file, deep, fn)
	}
	return l.use(ctx, func(s *session) error { return l.structure(ctx, s, deep, fn) })
}

func (l Ledger) structure(ctx context.Context, s *session, deep bool, fn func(history.Damage)) error {
	if err := (liveTables{s}).checkCore(ctx); err != nil {
		l.blame(err)
		fn(history.Damage{Table: "core", Message: err.Error() + "."})
	}
	err := l.engine.Structure(ctx, s.Conn, deep, fn)
	l.blame(err)
	return err
}
