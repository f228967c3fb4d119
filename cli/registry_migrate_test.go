package cli_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"toolcrib/cli"
	"toolcrib/internal/shortrun"
	"toolcrib/store/pg/pgtest"
	"toolcrib/store/storetest"
)

// TestMigrateToServer creates a schema on a server, copies a file to another database of it and back, and checks the
// report of doctor about each login.
func TestMigrateToServer(t *testing.T) {
	shortrun.NeedsLong(t)
	shortrun.OneGoroutine(t)
	t.Parallel()
	c := pgtest.Shared(t)
	made, copied := c.New(t, ""), c.New(t, "")
	file, back := storetest.New(t).Path(), filepath.Join(t.TempDir(), "back.db")
	db := newTestDB(t)
	run := func(exit int, wants string, args ...string) {
		t.Helper()
		var out bytes.Buffer
		got := cli.Main(t.Context(), db.env(args, strings.NewReader(""), &out, &out))
		if got != exit || !strings.Contains(out.String(), wants) {
			t.Errorf("toolcrib %s: exit status %d, want %d and %q:\n%s", strings.Join(args, " "), got, exit, wants, out.String())
		}
	}
	root := func(database string) string { return c.URL(pgtest.Superuser, database) }
	run(0, "Created the schema and the roles", "migrate", "--db", root(made))
	run(0, "is already up to date", "migrate", "--db", root(made))
	run(0, "Copied", "migrate", "--db", file, "--to", root(copied))
	run(0, "is already a complete copy", "migrate", "--db", file, "--to", root(copied))
	run(0, "Copied", "migrate", "--db", root(copied), "--to", back)
	run(0, "Every hash chain is intact.", "verify", "--db", back)
	run(4, "contains different data", "migrate", "--db", back, "--to", root(made))
	if err := c.Exec(t.Context(), `CREATE ROLE "user:mara" LOGIN IN ROLE toolcrib_user; CREATE ROLE stranger LOGIN`); err != nil {
		t.Fatal(err)
	}
	run(0, "login     user:mara in toolcrib_user, synchronous_commit on", "doctor", "--db", c.URL("user:mara", made), "--as", "user:mara")
	run(6, "bypasses row-level security", "doctor", "--db", root(made))
}
