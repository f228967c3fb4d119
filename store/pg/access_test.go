package pg_test

import (
	"slices"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/store/pg"
	"toolcrib/store/pg/pgtest"
)

// TestExamine examines the access of logins of each kind.
func TestExamine(t *testing.T) {
	shortrun.NeedsLong(t)
	t.Parallel()
	c := pgtest.Shared(t)
	database := migrated(t, c)
	exec(t, dial(t, c, pgtest.Superuser, database), "CREATE ROLE visitor LOGIN; CREATE ROLE steward LOGIN IN ROLE toolcrib_owner")
	for login, want := range map[string]struct {
		roles   string
		problem string
	}{
		"user:mara":      {"toolcrib_user", ""},
		"agent:claude":   {"toolcrib_agent", ""},
		"chief:desk":     {"toolcrib_chief", ""},
		"gateway":        {"toolcrib_server toolcrib_user", ""},
		"looker":         {"toolcrib_reader", ""},
		"nameless":       {"toolcrib_agent", "not the name of an agent"},
		"visitor":        {"", "GRANT toolcrib_user TO"},
		"steward":        {"toolcrib_owner", "can change the schema"},
		pgtest.Superuser: {"toolcrib_agent toolcrib_chief toolcrib_owner toolcrib_reader toolcrib_server toolcrib_user", "bypasses row-level security"},
	} {
		a, err := pg.Examine(t.Context(), c.URL(login, database))
		if err != nil {
			t.Fatal(err)
		}
		if a.Login != login || strings.Join(a.Roles, " ") != want.roles || !a.Local || a.TLS != "" || a.SynchronousCommit != "on" || !a.RowSecurity || !a.Trigrams {
			t.Errorf("%s: %+v", login, a)
		}
		own := slices.DeleteFunc(a.Problems, func(p string) bool {
			return strings.HasPrefix(p, "The login ") && !strings.HasPrefix(p, "The login "+login+" ")
		})
		if found := strings.Join(own, " "); want.problem == "" && found != "" || !strings.Contains(found, want.problem) {
			t.Errorf("%s: the problems are %q, want %q", login, found, want.problem)
		}
	}
	a, err := pg.Examine(t.Context(), c.URL("user:mara", database)+"&synchronous_commit=off")
	if err != nil || !slices.ContainsFunc(a.Problems, func(p string) bool { return strings.Contains(p, "synchronous_commit is off") }) {
		t.Errorf("%+v, %v", a, err)
	}
}

// TestOddLogins creates a login that resembles the name of a user but does not belong to one. It must not be able to
// write under any name, and an examination of the server must report it, and a server with the name of a user (S23).
func TestOddLogins(t *testing.T) {
	shortrun.NeedsLong(t)
	t.Parallel()
	c := pgtest.Private(t, pgtest.Options{})
	database := migrated(t, c)
	exec(t, dial(t, c, pgtest.Superuser, database), `CREATE ROLE "User:eve" LOGIN IN ROLE toolcrib_user; CREATE ROLE "usеr:x" LOGIN IN ROLE toolcrib_user; CREATE ROLE "user:ada" LOGIN IN ROLE toolcrib_server`)
	a, err := pg.Examine(t.Context(), c.URL("user:mara", database))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"The login User:eve has the role toolcrib_user", "r:x has the role toolcrib_user", "The login user:ada has the role toolcrib_server"} {
		if !slices.ContainsFunc(a.Problems, func(p string) bool { return strings.Contains(p, want) }) {
			t.Errorf("no %q in %q", want, a.Problems)
		}
	}
	for login, want := range map[string]bool{"User:eve": false, "gateway": true, "user:mara": true} {
		var acts bool
		if err := dial(t, c, login, database).QueryRow(t.Context(), "SELECT toolcrib.acts_as('user:mara')").Scan(&acts); err != nil || acts != want {
			t.Errorf("%s acts as user:mara: %t, %v", login, acts, err)
		}
	}
}
