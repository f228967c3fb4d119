package session

import (
	"context"

	"toolcrib/history"
	"toolcrib/store/engine"
)

// Engine is a database as the store uses it. The store has the tables and all SQL
// that both engines take; an engine has its connections, its schema, and what only
// it can do. store/sqlite and store/pg have one each.
type Engine struct {
	Connector
	Migrator
	Searcher
	Place
}

// EngineOf returns the engine that e is all parts of.
func EngineOf[E interface {
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
