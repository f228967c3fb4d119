// Package session runs transactions on the connections to a database. A Session is a connection in a transaction. A
// Pool manages one session for writing, one for logging, and a few that read snapshots. The package declares the
// interface that engines implement. It does not depend on any tables.
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

// Session is a connection in a transaction, together with cached values. It must not be used concurrently. Each type
// that embeds a *Session implements a family of tables. On a read connection, the engine rejects writes.
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

// written describes the last rows that the transaction wrote.
type written struct {
	event   int64      // number of the last event of the transaction, or 0
	chained chainedRow // last row that was added to a hash chain
	acts    []string   // distinct acts of the events of the transaction
}

// Cached returns the value of type T that s caches across transactions. The value is initially zero. A rollback
// discards the value, because it can contain data from rows that were rolled back.
func Cached[T any](s *Session) *T { return stateOf[T](s.kept) }

// PerTransaction returns the value of type T that s caches until the next transaction begins. The value is
// initially zero.
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

// WroteRow records that the transaction added the given row to a hash chain.
func (s *Session) WroteRow(table string, seq int64, hash string) {
	s.chained = chainedRow{table, seq, hash}
}

// WroteEvent records that the transaction added the given event.
func (s *Session) WroteEvent(table string, seq int64, hash, act string) {
	s.WroteRow(table, seq, hash)
	if s.event = seq; !slices.Contains(s.acts, act) {
		s.acts = append(s.acts, act)
	}
}

// chainedRow identifies a row of a hash chain.
type chainedRow struct {
	table string // "" if the transaction added no row
	seq   int64
	hash  string
}

// Open opens a connection for the given use and returns its session. The account in db.Witness becomes part of the
// events that the session writes.
func (db *Pool) Open(ctx context.Context, use engine.Use) (*Session, error) {
	conn, err := db.Engine.Conn(ctx, use)
	if err != nil {
		return nil, db.Engine.Describe(err)
	}
	return &Session{Conn: conn, Engine: db.Engine, Hints: engine.Hints(db.Engine.Hints()), Witness: db.Witness, Trust: db.Trust, kept: map[reflect.Type]any{}, begun: map[reflect.Type]any{}}, nil
}

// Exec executes a statement and returns the number of affected rows. It returns review.ErrText if an argument is a text
// that PostgreSQL cannot store.
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

// Engine is a database engine. It provides connections, the schema, and the SQL that is specific to the engine. The
// store contains the descriptions of the tables and all portable SQL. The packages store/sqlite and store/pg implement
// Engine.
type Engine interface {
	Connector
	Migrator
	Searcher
	Place
}

// Place identifies a database and provides operations on the database as a whole.
type Place interface {
	// Name returns the path or the URL of the database without secrets.
	Name() string
	// CheckExists returns an error if the database was removed or replaced after it was opened.
	CheckExists() error
	// Frozen reports whether the database was opened as immutable.
	Frozen() bool
	// Backup copies a snapshot of the database to a new file. The error wraps fs.ErrExist if the file already exists.
	Backup(ctx context.Context, path string) error
	Close() error
}

// Connector opens connections and controls transactions.
type Connector interface {
	// Conn opens a connection for the given use.
	Conn(ctx context.Context, use engine.Use) (*engine.Conn, error)
	// Begin begins a transaction. A write transaction waits until no other write transaction is running. The error
	// wraps engine.ErrBusy if the wait is too long.
	Begin(ctx context.Context, c *engine.Conn, use engine.Use) error
	// Commit commits a transaction. It also notifies other processes of event, the number of the newest event in the
	// transaction (0 if the transaction has no events). The error wraps engine.ErrLost if it is unknown whether the
	// transaction was committed.
	Commit(ctx context.Context, c *engine.Conn, event int64) error
	// Promote converts a read connection to a connection for writing or logging. It returns false if the caller must
	// open a new connection instead.
	Promote(ctx context.Context, c *engine.Conn, use engine.Use) (bool, error)
	// WhileAudited runs fn with settings that suit reads of the whole database through c.
	WhileAudited(ctx context.Context, c *engine.Conn, fn func() error) error
	// Describe converts an error of the engine to an error of package engine. It returns other errors unchanged.
	Describe(err error) error
}

// Migrator reads the schema of a database and supports migrations.
type Migrator interface {
	// Schema returns the number of the last completed migration, or 0 if no migration was completed.
	Schema(ctx context.Context, c *engine.Conn) (int, error)
	// Steps returns the migrations that follow the given version. Opening a database runs them. They include the step
	// that seeds the shipped definitions. Steps returns nil if an administrator migrates the schema.
	Steps(version int) []engine.Step
	// RecordStep records that step was completed.
	RecordStep(ctx context.Context, c *engine.Conn, step engine.Step) error
	// Structure calls fn for each difference from the expected schema, each broken foreign key, and each damaged search
	// index. If deep is true, it also runs the engine's integrity check.
	Structure(ctx context.Context, c *engine.Conn, deep bool, fn func(history.Damage)) error
	// Problems runs a faster check than Structure and returns messages for users.
	Problems(ctx context.Context, c *engine.Conn) ([]string, error)
}

// Searcher provides the SQL for searches that differs between the engines.
type Searcher interface {
	// Hints reports whether the engine needs hints to choose indexes.
	Hints() bool
	// Contains returns the condition that the searched columns of the row p of proposals contain the given words,
	// ignoring case.
	Contains(words string) engine.Clause
	// Rows returns a query for the seq of each row that contains the given words. The query can return duplicates. If
	// the words have fewer than three characters, spellings contains their case variants. Otherwise, spellings is nil.
	Rows(words string, spellings []string) engine.Clause
	// AllRows returns a query for the seq of each row that contains all texts in wanted and none in unwanted. Each text
	// has at least three characters.
	AllRows(wanted, unwanted []string) engine.Clause
	// Matching returns a source for the same rows as AllRows, ordered by seq.
	Matching(wanted, unwanted []string) engine.Source
	// Beginning returns a source for the rows that contain one of the given spellings of a text with fewer than three
	// characters. It returns false if no index helps.
	Beginning(ctx context.Context, c *engine.Conn, spellings []string) (engine.Source, bool, error)
	// HasTerms returns the condition that a row of the given table, memories_text or entities_text, contains all terms.
	HasTerms(table string, terms []string) engine.Clause
	// IndexChecks returns the queries that check the consistency of the indexes that the engine maintains for
	// Searcher.
	IndexChecks() []engine.Check
}

// Witness adds the account that writes an event to the data of the event. It rejects an event if the account is not
// allowed to act as the user of the event. The desk and the gateway write an act and its event in the same
// transaction. A rejected event therefore also prevents the act.
type Witness struct {
	Account history.Account
	Users   []string // nil for all users
}

// actingKey is the context key of an acting value.
type actingKey struct{}

// acting describes the users who are connected to a server in this process.
type acting struct {
	via   string
	users []string
}

// Acting returns a context for writes on behalf of users who are connected to a server in this process. The argument
// via identifies the connection, such as "ssh SHA256:…". Events record via in addition to the account that runs the
// process. Only the given users can act.
func Acting(ctx context.Context, via string, users ...string) context.Context {
	return context.WithValue(ctx, actingKey{}, acting{via, users})
}

// In returns the witness for writes with the given context.
func (w Witness) In(ctx context.Context) Witness {
	if a, ok := ctx.Value(actingKey{}).(acting); ok {
		w.Account.Via, w.Users = a.via, append([]string{}, a.users...)
	}
	return w
}

// Same reports whether a is the account of w. It ignores the host name, because anyone who starts a container can
// choose its host name.
func (w Witness) Same(a history.Account) bool {
	now := w.Account
	now.Host, a.Host = "", ""
	return now == a && now != history.Account{}
}

// Sign returns the data of e with the account of w added.
func (w Witness) Sign(e history.Event) (json.RawMessage, error) {
	if w.Users != nil && strings.HasPrefix(e.Actor, string(proposals.User)+":") && !slices.Contains(w.Users, e.Actor) {
		return nil, fmt.Errorf("%s %s: %w: this account is not allowed to act as this user", e.Act, e.Actor, proposals.ErrAuthority)
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
