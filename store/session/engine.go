package session

import (
	"context"

	"toolcrib/history"
	"toolcrib/store/engine"
)

// Engine is a database. The store contains the tables and all SQL that works on both engines; an engine contains its
// connections, its schema, and its specific SQL. store/sqlite and store/pg implement it.
type Engine interface {
	Connector
	Migrator
	Searcher
	Place
}

// Place is where a database is.
type Place interface {
	// Name returns the name of the database without secrets.
	Name() string
	// There returns an error if the opened database was replaced or removed.
	There() error
	// Frozen reports whether the database was opened as immutable.
	Frozen() bool
	// Backup writes a whole copy to a new file. Its error wraps fs.ErrExist if the
	// file exists.
	Backup(ctx context.Context, path string) error
	Close() error
}

// Connector opens connections and begins transactions.
type Connector interface {
	// Conn opens a connection.
	Conn(ctx context.Context, use engine.Use) (*engine.Conn, error)
	// Begin begins a transaction. A write transaction waits for all others; the error wraps engine.ErrBusy if that
	// takes too long.
	Begin(ctx context.Context, c *engine.Conn, use engine.Use) error
	// Commit commits a transaction, and notifies other processes of its newest event (0 for none). The error wraps
	// engine.ErrLost if it is unknown whether the transaction was committed.
	Commit(ctx context.Context, c *engine.Conn, event int64) error
	// Promote turns a connection for reading into the one for writing or logging. It returns false if a new connection
	// is required instead.
	Promote(ctx context.Context, c *engine.Conn, use engine.Use) (bool, error)
	// WhileAudited runs fn, which reads a whole snapshot through c.
	WhileAudited(ctx context.Context, c *engine.Conn, fn func() error) error
	// Describe converts an error of the engine to one of package engine, and returns all other errors unchanged.
	Describe(err error) error
}

// Migrator reads and migrates the schema of a database.
type Migrator interface {
	// Schema returns the number of the last completed step, or 0 if there is none.
	Schema(ctx context.Context, c *engine.Conn) (int, error)
	// Current reports whether version is the number of the last step.
	Current(version int) bool
	// Steps returns the steps that opening a database takes, including the seed, which
	// the store writes. It returns none if an administrator migrates the schema.
	Steps() ([]engine.Step, error)
	// Took records that the database has completed a step.
	Took(ctx context.Context, c *engine.Conn, step engine.Step) error
	// Structure reports differences from the schema, broken foreign keys, and damaged search indexes. If deep is set,
	// it also runs the engine's integrity check.
	Structure(ctx context.Context, c *engine.Conn, deep bool, fn func(history.Damage)) error
	// Problems is a quicker version of Structure that returns sentences for people.
	Problems(ctx context.Context, c *engine.Conn) ([]string, error)
}

// Searcher builds SQL for which the engines have no common form.
type Searcher interface {
	// Hints reports whether the engine needs hints about the index of a statement.
	Hints() bool
	// Contains returns the condition that a text occurs, in any case, in the columns of row p of proposals that lists
	// show.
	Contains(words string) engine.Clause
	// Rows returns a query of the seq of all such rows, possibly with duplicates. spellings are all cases of a text
	// with less than three characters, or nil for a longer text.
	Rows(words string, spellings []string) engine.Clause
	// AllRows returns a query of the seq of the rows that contain all wanted texts, each
	// of at least three characters, and no unwanted text.
	AllRows(wanted, unwanted []string) engine.Clause
	// Matching returns a source of the same rows in the order of seq.
	Matching(wanted, unwanted []string) engine.Source
	// Beginning returns a source of the rows with a text of less than three characters, or false if no index helps.
	Beginning(ctx context.Context, c *engine.Conn, spellings []string) (engine.Source, bool, error)
	// HasTerms returns the condition that a row of memories_text or entities_text has
	// all terms.
	HasTerms(table string, terms []string) engine.Clause
	// IndexChecks returns the consistency checks of the engine's own indexes.
	IndexChecks() []engine.Check
}
