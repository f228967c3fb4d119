package pg_test

import (
	"slices"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/store/pg"
	"toolcrib/store/pg/pgtest"
)

// TestExamine looks at the access of logins of each kind.
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
		"gateway":        {"toolcrib_user", ""},
		"looker":         {"toolcrib_reader", ""},
		"nameless":       {"toolcrib_agent", "not named like an agent"},
		"visitor":        {"", "GRANT toolcrib_user TO"},
		"steward":        {"toolcrib_owner", "may change the schema"},
		pgtest.Superuser: {"toolcrib_agent toolcrib_chief toolcrib_owner toolcrib_reader toolcrib_user", "passes row-level security"},
	} {
		a, err := pg.Examine(t.Context(), c.URL(login, database))
		if err != nil {
			t.Fatal(err)
		}
		if a.Login != login || strings.Join(a.Roles, " ") != want.roles || !a.Local || a.TLS != "" || a.SynchronousCommit != "on" || !a.RowSecurity || !a.Trigrams {
			t.Errorf("%s: %+v", login, a)
		}
		if found := strings.Join(a.Problems, " "); want.problem == "" && found != "" || !strings.Contains(found, want.problem) {
			t.Errorf("%s: the problems are %q, want %q", login, found, want.problem)
		}
	}
	a, err := pg.Examine(t.Context(), c.URL("user:mara", database)+"&synchronous_commit=off")
	if err != nil || !slices.ContainsFunc(a.Problems, func(p string) bool { return strings.Contains(p, "synchronous_commit is off") }) {
		t.Errorf("%+v, %v", a, err)
	}
}
