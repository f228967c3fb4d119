package storetest

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"testing"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/review/proof"
	"toolcrib/review/rules"
	"toolcrib/review/rules/ruleset"
	"toolcrib/review/service"
	"toolcrib/store"
	"toolcrib/store/pg"
	"toolcrib/store/pg/pgtest"
)

// Database is an open database with its clock and source of ids.
type Database struct {
	*store.DB
	Clock *Clock
	NewID func() string
}

// New returns a new database in a temporary folder. It is closed when the test ends.
func New(t testing.TB) *Database {
	t.Helper()
	image, err := fresh()
	if errors.Is(err, pgtest.ErrMissing) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return FromImage(t, image)
}

// fresh returns the image of a new database. Only the first call creates a database.
var fresh = sync.OnceValues(func() ([]byte, error) {
	return Image(func(*Database) error { return nil })
})

// Image returns the bytes of a new database after fill has run. On PostgreSQL, it returns the name of a template
// database.
func Image(fill func(db *Database) error) (image []byte, err error) {
	if OnPostgres() {
		return template(fill)
	}
	return file(fill)
}

// freshFile is like fresh, but always returns a SQLite file, which is used to generate large databases.
var freshFile = sync.OnceValues(func() ([]byte, error) {
	return file(func(*Database) error { return nil })
})

// file is like Image, but always creates a SQLite file.
func file(fill func(db *Database) error) (image []byte, err error) {
	dir, err := os.MkdirTemp("", "toolcrib")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	db, err := connect(context.Background(), filepath.Join(dir, "toolcrib.db"), 0xffff, nil)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(fill(db), db.Close()); err != nil {
		return nil, err
	}
	return os.ReadFile(db.Path())
}

// FromImage opens a copy of an image in a temporary folder. It is closed when the test ends.
func FromImage(t testing.TB, image []byte) *Database {
	t.Helper()
	if strings.HasPrefix(string(image), templateMark) {
		return Open(t, place(t, string(image)))
	}
	path := filepath.Join(t.TempDir(), "toolcrib.db")
	if err := os.WriteFile(path, image, 0o600); err != nil {
		t.Fatal(err)
	}
	return Open(t, path)
}

// Open opens the database at path. It is closed when the test ends.
func Open(t testing.TB, path string) *Database {
	t.Helper()
	d, err := connect(t.Context(), path, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		switch err := d.Close(); {
		case errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ECONNRESET):
			t.Logf("the server ended a connection before it was closed: %v", err)
		case err != nil:
			t.Error(err)
		}
	})
	return d
}

// collectLess makes garbage collections less frequent, because tests create much garbage in a short time.
var collectLess = sync.OnceFunc(func() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
})

func connect(ctx context.Context, path string, series uint16, trust *proof.Trust) (*Database, error) {
	collectLess()
	d := &Database{Clock: NewClock(), NewID: IDs(series)}
	var err error
	d.DB, err = store.Open(ctx, path, store.Options{Now: d.Clock.Now, NewID: d.NewID, Trust: trust})
	return d, err
}

// Desk returns a desk for the database.
func (d *Database) Desk(t testing.TB, policy review.Policy) *service.Desk {
	t.Helper()
	desk, err := service.New(d.DB, policy, d.Clock.Now, d.NewID)
	if err != nil {
		t.Fatal(err)
	}
	return desk
}

// BasicSeverities returns severities that disable most rules. A test of the desk then does not depend on the
// findings of these rules. The rules of the families "template", "names", and "lock" and the rules that cannot be
// disabled remain enabled.
func BasicSeverities() map[string]rules.Severity {
	severities := map[string]rules.Severity{}
	for _, r := range ruleset.All() {
		if !r.Locked && !strings.Contains("TNL", r.Family()) {
			severities[r.ID] = rules.Off
		}
	}
	return severities
}

// ProposeChoices proposes drafts as a user and returns the choices to approve them.
func ProposeChoices(t testing.TB, desk *service.Desk, by proposals.Actor, drafts ...proposals.Draft) []review.Choice {
	t.Helper()
	made, err := desk.Drafting.Propose(t.Context(), by, drafts, true)
	if err != nil {
		t.Fatal(err)
	}
	choices := make([]review.Choice, len(made))
	for i, p := range made {
		choices[i] = review.Choice{ID: p.ID, Unseen: p.Type == proposals.New}
		if p.Type != proposals.New && len(made) > 1 {
			d, err := desk.Reading.Show(t.Context(), by, p.ID)
			if err != nil {
				t.Fatal(err)
			}
			choices[i].Expect = d.Digest
		}
	}
	return choices
}

// Approved proposes drafts as a user and approves them together.
func (d *Database) Approved(t testing.TB, desk *service.Desk, by proposals.Actor, drafts ...proposals.Draft) []proposals.Decision {
	t.Helper()
	choices := ProposeChoices(t, desk, by, drafts...)
	decisions, err := desk.Deciding.Approve(t.Context(), by, choices, "")
	if err != nil {
		t.Fatal(err)
	}
	return decisions
}

// SQL executes statements with the engine's default settings on a separate connection, as a database tool would.
func (d *Database) SQL(ctx context.Context, statements string, args ...any) error {
	return ExecRaw(ctx, d.Path(), statements, args...)
}

// openRaw opens the database at path without toolcrib, on a server as a superuser.
func openRaw(path string) (*sql.DB, error) {
	if pg.IsURL(path) {
		owner := strings.Replace(path, serverLogin+"@", pgtest.Superuser+"@", 1)
		return sql.Open("pgx", owner+"&search_path="+pg.Schema+"&default_query_exec_mode=simple_protocol")
	}
	return sql.Open("sqlite", dataSource(path))
}

// ExecRaw executes statements on the database at path on a separate connection.
func ExecRaw(ctx context.Context, path, statements string, args ...any) (err error) {
	db, err := openRaw(path)
	if err != nil {
		return err
	}
	defer func() {
		if closing := db.Close(); err == nil {
			err = closing
		}
	}()
	_, err = db.ExecContext(ctx, statements, args...)
	return err
}
