package session

import (
	"context"

	"toolcrib/history"
	"toolcrib/store/engine"
)

// Engine is a database engine. The store contains the tables and all portable SQL; an engine provides its connections,
// its schema, and its specific SQL. store/sqlite and store/pg implement it.
type Engine interface {
	Connector
	Migrator
	Searcher
	Place
}

// Place identifies a database and its location.
type Place interface {
	// Name returns the name of the database without secrets.
	Name() string
	// There returns an error if the database was removed or replaced after it was opened.
	There() error
	// Frozen reports whether the database was opened as immutable.
	Frozen() bool
	// Backup writes a complete copy to a new file. The error wraps fs.ErrExist if the file exists.
	Backup(ctx context.Context, path string) error
	Close() error
}

// Connector opens connections and controls transactions.
type Connector interface {
	// Conn opens a connection.
	Conn(ctx context.Context, use engine.Use) (*engine.Conn, error)
	// Begin begins a transaction. A write transaction waits until no other is running. The error wraps engine.ErrBusy
	// if the wait is too long.
	Begin(ctx context.Context, c *engine.Conn, use engine.Use) error
	// Commit commits a transaction and notifies other processes of event, its newest one (0 for none). The error wraps
	// engine.ErrLost if it is unknown whether the transaction was committed.
	Commit(ctx context.Context, c *engine.Conn, event int64) error
	// Promote converts a read connection to one for writing or logging. It returns false if a new connection is
	// required instead.
	Promote(ctx context.Context, c *engine.Conn, use engine.Use) (bool, error)
	// WhileAudited runs fn, which reads the complete database through c.
	WhileAudited(ctx context.Context, c *engine.Conn, fn func() error) error
	// Describe converts errors of the engine to those of package engine, and returns all other errors unchanged.
	Describe(err error) error
}

// Migrator reads and migrates the schema of a database.
type Migrator interface {
	// Schema returns the number of the last completed migration, or 0 if there is none.
	Schema(ctx context.Context, c *engine.Conn) (int, error)
	// Current reports whether version is the number of the last migration.
	Current(version int) bool
	// Steps returns the migrations to run when a database is opened, including the seed, which the store writes. It
	// returns none if an administrator migrates the schema.
	Steps() ([]engine.Step, error)
	// Took records that a migration was completed.
	Took(ctx context.Context, c *engine.Conn, step engine.Step) error
	// Structure reports differences from the schema, broken foreign keys, and damaged search indexes. If deep is set,
	// it also runs the engine's integrity check.
	Structure(ctx context.Context, c *engine.Conn, deep bool, fn func(history.Damage)) error
	// Problems performs a faster check than Structure and returns messages for users.
	Problems(ctx context.Context, c *engine.Conn) ([]string, error)
}

// Searcher builds the SQL that differs between the engines.
type Searcher interface {
	// Hints reports whether the engine needs hints to choose indexes.
	Hints() bool
	// Contains returns the condition that the listed columns of row p of proposals contain a text, ignoring case.
	Contains(words string) engine.Clause
	// Rows returns a query for the seq of all such rows, possibly with duplicates. spellings are the case variants of a
	// text with fewer than three characters, or nil for a longer text.
	Rows(words string, spellings []string) engine.Clause
	// AllRows returns a query for the seq of the rows that contain all wanted texts and no unwanted text. Each text has
	// at least three characters.
	AllRows(wanted, unwanted []string) engine.Clause
	// Matching returns a source for the same rows, ordered by seq.
	Matching(wanted, unwanted []string) engine.Source
	// Beginning returns a source for the rows that contain a text with fewer than three characters. ok is false if no
	// index helps.
	Beginning(ctx context.Context, c *engine.Conn, spellings []string) (engine.Source, bool, error)
	// HasTerms returns the condition that a row of memories_text or entities_text has all terms.
	HasTerms(table string, terms []string) engine.Clause
	// IndexChecks returns the consistency checks for the engine's own indexes.
	IndexChecks() []engine.Check
}
