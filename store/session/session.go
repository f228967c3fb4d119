// Package session runs transactions on the connections to a database. A Session is a connection in a transaction. A
// Pool has one session for writing, one for logging, and a few for reading snapshots. The package declares the
// interface of the engines and does not depend on any tables.
package session

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"toolcrib/history"
	"toolcrib/internal/plaintext"
	"toolcrib/proposals"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
	"toolcrib/review/proof"
	"toolcrib/store/engine"
)

// Session is a connection in a transaction, with the caches of the transaction. It must not be used concurrently. Types
// that embed it implement one family of tables each. On a read connection, the engine rejects writes.
type Session struct {
	*engine.Conn
	Engine  Engine
	Hints   engine.Hints
	Witness Witness
	Trust   *proof.Trust // nil if signatures are not required
	kept    map[reflect.Type]any
	begun   map[reflect.Type]any
	written
}

// written records the last rows that the transaction wrote.
type written struct {
	event   int64      // number of its last event, or 0
	chained chainedRow // last row of a hash chain
	acts    []string   // distinct acts of its events
}

// Cached returns the value of type T that a session caches across transactions, initially zero. A rollback discards it,
// because it may include rows that were rolled back.
func Cached[T any](s *Session) *T { return stateOf[T](s.kept) }

// PerTransaction returns the value of type T for the current transaction, initially zero.
func PerTransaction[T any](s *Session) *T { return stateOf[T](s.begun) }

func stateOf[T any](all map[reflect.Type]any) *T {
	of := reflect.TypeFor[T]()
	if known, ok := all[of].(*T); ok {
		return known
	}
	v := new(T)
	all[of] = v
	return v
}

// WroteRow records that the transaction added a row to a hash chain.
func (s *Session) WroteRow(table string, seq int64, hash string) {
	s.chained = chainedRow{table, seq, hash}
}

// WroteEvent records that the transaction added an event.
func (s *Session) WroteEvent(table string, seq int64, hash, act string) {
	s.WroteRow(table, seq, hash)
	if s.event = seq; !slices.Contains(s.acts, act) {
		s.acts = append(s.acts, act)
	}
}

// chainedRow identifies a row of a hash chain.
type chainedRow struct {
	table string // "" for none
	seq   int64
	hash  string
}

// Open opens a session for use. Its events carry the account of db's witness.
func (db *Pool) Open(ctx context.Context, use engine.Use) (*Session, error) {
	conn, err := db.Engine.Conn(ctx, use)
	if err != nil {
		return nil, db.Engine.Describe(err)
	}
	return &Session{Conn: conn, Engine: db.Engine, Hints: engine.Hints(db.Engine.Hints()), Witness: db.Witness, Trust: db.Trust, kept: map[reflect.Type]any{}, begun: map[reflect.Type]any{}}, nil
}

// Exec executes a statement and returns the number of affected rows. It returns review.ErrText for a text that
// PostgreSQL cannot store.
func (s *Session) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	for _, arg := range args { // callers validate texts; this is a second check
		text, ok := arg.(string)
		if v := reflect.ValueOf(arg); !ok && v.Kind() == reflect.String {
			text = v.String()
		}
		if problem := plaintext.Problem(text); problem != "" {
			return 0, fmt.Errorf("%w: %s %s; nothing was written", review.ErrText, jsondoc.Quote(text), problem)
		}
	}
	return s.Conn.Exec(ctx, query, args...)
}

// Read runs fn in a read-only snapshot and returns its result.
func Read[T any](ctx context.Context, db *Pool, fn func(*Session) (T, error)) (v T, err error) {
	err = db.View(ctx, func(s *Session) error {
		v, err = fn(s)
		return err
	})
	return v, err
}

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
	// CheckExists returns an error if the database was removed or replaced after it was opened.
	CheckExists() error
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
	// Steps returns the migrations after version, to run when a database is opened, including the seed, which the store
	// writes. It returns none if an administrator migrates the schema.
	Steps(version int) []engine.Step
	// RecordStep records that a migration was completed.
	RecordStep(ctx context.Context, c *engine.Conn, step engine.Step) error
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
	// Rows returns a query for the seq of all rows that contain words, possibly with duplicates. spellings lists the case
	// variants of words if it has fewer than three characters; otherwise it is nil.
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

// Witness adds the account that writes an event to it, and rejects events of users that the account may not act as.
// Each act of the desk and the gateway writes its event in the same transaction, so the act is rejected as well.
type Witness struct {
	Account history.Account
	Users   []string // nil for all users
}

// actingKey is the context key for acting.
type actingKey struct{}

// acting identifies a user who is connected to a server run by this process.
type acting struct {
	via   string
	users []string
}

// Acting returns a context for writes of users who are connected to this process, where via identifies the connection,
// such as "ssh SHA256:…". Events then carry via instead of the account that runs the process, and only these users can
// act.
func Acting(ctx context.Context, via string, users ...string) context.Context {
	return context.WithValue(ctx, actingKey{}, acting{via, users})
}

// In returns the witness for writes with ctx.
func (w Witness) In(ctx context.Context) Witness {
	if a, ok := ctx.Value(actingKey{}).(acting); ok {
		w.Account.Via, w.Users = a.via, append([]string{}, a.users...)
	}
	return w
}

// Same reports whether a is the acting account. It ignores the host name, which anyone who starts a container can
// choose.
func (w Witness) Same(a history.Account) bool {
	now := w.Account
	now.Host, a.Host = "", ""
	return now == a && now != history.Account{}
}

// Sign returns the data of e with the account added.
func (w Witness) Sign(e history.Event) (json.RawMessage, error) {
	if w.Users != nil && strings.HasPrefix(e.Actor, string(proposals.User)+":") && !slices.Contains(w.Users, e.Actor) {
		return nil, fmt.Errorf("%s %s: %w: this account may not act as that user", e.Act, e.Actor, proposals.ErrAuthority)
	}
	if w.Account == (history.Account{}) {
		return e.Data, nil
	}
	data := map[string]json.RawMessage{}
	if err := json.Unmarshal(e.Data, &data); err != nil {
		return nil, fmt.Errorf("the data of a %s event: %w", e.Act, err)
	}
	account, err := json.Marshal(w.Account)
	if err != nil {
		return nil, err
	}
	data["account"] = account
	return jsondoc.Marshal(data)
}
