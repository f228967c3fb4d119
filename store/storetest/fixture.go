// This file writes and opens databases that several test programs share.

package storetest

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"toolcrib/store"
	"toolcrib/store/pg"
	"toolcrib/store/pg/pgtest"
)

// metaCommand matches a line in the output of pg_dump that only psql understands.
var metaCommand = regexp.MustCompile(`(?m)^\\.*\n`)

// Fixture returns the database in a form that FromFixture can open, even in another program: a SQLite file, or the SQL
// statements that create it on a server.
func (d *Database) Fixture(t testing.TB) []byte {
	t.Helper()
	if !pg.IsURL(d.Path()) {
		file := filepath.Join(t.TempDir(), "fixture.db")
		if err := d.SQL(t.Context(), "VACUUM INTO $1", file); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	dir, err := pgtest.Programs()
	if err != nil {
		t.Fatal(err)
	}
	c, err := cluster()
	if err != nil {
		t.Fatal(err)
	}
	name, err := databaseOf(d.Path())
	if err != nil {
		t.Fatal(err)
	}
	dump := exec.CommandContext(t.Context(), filepath.Join(dir, "pg_dump"), "--rows-per-insert=100", "--no-comments", c.URL(pgtest.Superuser, name))
	dump.Stderr = os.Stderr
	out, err := dump.Output()
	if err != nil {
		t.Fatal(err)
	}
	return metaCommand.ReplaceAll(out, nil)
}

// FromFixture opens the database of a fixture and runs missing migrations. It is closed when the test ends.
func FromFixture(t testing.TB, fixture []byte) *Database {
	t.Helper()
	if !OnPostgres() {
		return FromImage(t, fixture)
	}
	if _, err := migrated(); err != nil { // creates the roles
		t.Skip(err)
	}
	c, err := cluster()
	if err != nil {
		t.Fatal(err)
	}
	name, err := c.Database(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := remove(context.WithoutCancel(t.Context()), name); err != nil {
			t.Error(err)
		}
	})
	owner := c.URL(pgtest.Superuser, name)
	if err := ExecRaw(t.Context(), owner, string(bytes.TrimSpace(fixture))); err != nil {
		t.Fatal(err)
	}
	clock := NewClock()
	if _, err := store.Migrate(t.Context(), owner, store.Options{Now: clock.Now, NewID: IDs(0xffff)}); err != nil {
		t.Fatal(err)
	}
	return Open(t, c.URL(serverLogin, name))
}
