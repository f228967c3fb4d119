package cli_test

import (
	"bytes"
	"strings"
	"testing"

	"toolcrib/cli"
	"toolcrib/internal/shortrun"
	"toolcrib/store/pg/pgtest"
)

// TestLoginOfTheDatabase checks that the actor is the principal of the database login, without --as, and that no other
// actor is possible.
func TestLoginOfTheDatabase(t *testing.T) {
	shortrun.NeedsLong(t)
	shortrun.OneGoroutine(t)
	t.Parallel()
	c := pgtest.Shared(t)
	database := c.New(t, "")
	db := newTestDB(t)
	if err := c.Exec(t.Context(), `CREATE ROLE "user:nora" LOGIN; CREATE ROLE "agent:drafter" LOGIN; CREATE ROLE auditor LOGIN`); err != nil {
		t.Fatal(err)
	}
	run := func(login string, exit int, wants string, args ...string) {
		t.Helper()
		var out bytes.Buffer
		args = append(args, "--db", c.URL(login, database))
		got := cli.Main(t.Context(), db.env(args, strings.NewReader(""), &out, &out))
		if got != exit || !strings.Contains(out.String(), wants) {
			t.Errorf("%s: toolcrib %s: exit status %d, want %d and %q:\n%s", login, strings.Join(args, " "), got, exit, wants, out.String())
		}
	}
	run(pgtest.Superuser, 0, "Created the schema and the roles", "migrate")
	if err := c.Exec(t.Context(), `GRANT toolcrib_user TO "user:nora"; GRANT toolcrib_agent TO "agent:drafter"; GRANT toolcrib_reader TO auditor`); err != nil {
		t.Fatal(err)
	}
	run("agent:drafter", 0, "user_review", "propose", absolute(t, "../testdata/scripts/sample.json"))
	run("agent:drafter", 0, `"author":"agent:drafter"`, "show", "1", "--json")
	run("agent:drafter", 5, "only a user can approve", "approve", "1")
	run("agent:drafter", 5, "the login agent:drafter does not have the necessary rights", "approve", "1", "--as", "user:tester")
	run("user:nora", 5, "you are user:nora", "approve", "1", "--as", "user:tester")
	run("user:nora", 0, "is live in version 1", "approve", "1")
	run("user:nora", 0, `"actor":"user:nora"`, "log", "--json", "--limit", "1")
	run("auditor", 0, "Every hash chain is intact.", "verify")
	run("agent:drafter", 0, "agent:drafter", "doctor") // which reads only accessible tables (S26)
	run("agent:drafter", 5, "verification must be able to read every table", "verify")
}
