package pg_test

import (
	"strings"
	"testing"

	"toolcrib/internal/generated"
	"toolcrib/internal/shortrun"
	"toolcrib/store/pg"
	"toolcrib/store/pg/pgtest"
)

// TestRightsMigrated compares the list of rights with the rights in a new database.
func TestRightsMigrated(t *testing.T) {
	shortrun.NeedsLong(t)
	t.Parallel()
	c := pgtest.Private(t, pgtest.Options{}) // its roles are not changed by other tests
	conn := dial(t, c, pgtest.Superuser, migrated(t, c))
	have, err := pg.Rights(t.Context(), conn)
	if err != nil {
		t.Fatal(err)
	}
	generated.Check(t, "rights.txt", []byte(have))
}

// TestRightsByHand changes rights without the program. Each change must be reported with statements that revert it.
func TestRightsByHand(t *testing.T) {
	shortrun.NeedsLong(t)
	t.Parallel()
	c := pgtest.Private(t, pgtest.Options{}) // the test changes its roles
	database := migrated(t, c)
	conn := dial(t, c, pgtest.Superuser, database)
	exec(t, conn, "CREATE ROLE visitor LOGIN; SET search_path = toolcrib")
	for change, want := range map[string]string{
		"GRANT INSERT ON decisions TO toolcrib_agent":                                    "REVOKE INSERT ON TABLE toolcrib.decisions FROM toolcrib_agent",
		"GRANT DELETE ON calls TO toolcrib_agent":                                        "REVOKE DELETE ON TABLE toolcrib.calls FROM toolcrib_agent",
		"GRANT INSERT ON decisions TO PUBLIC":                                            "REVOKE INSERT ON TABLE toolcrib.decisions FROM PUBLIC",
		"GRANT UPDATE ON live TO visitor":                                                "REVOKE UPDATE ON TABLE toolcrib.live FROM visitor",
		`GRANT INSERT ON waivers TO "agent:claude"`:                                      `REVOKE INSERT ON TABLE toolcrib.waivers FROM "agent:claude"`,
		"GRANT UPDATE (author) ON proposals TO toolcrib_agent":                           "REVOKE UPDATE (author) ON TABLE toolcrib.proposals FROM toolcrib_agent",
		"REVOKE INSERT ON decisions FROM toolcrib_user":                                  "GRANT INSERT ON TABLE toolcrib.decisions TO toolcrib_user",
		"REVOKE USAGE ON SCHEMA toolcrib FROM toolcrib_chief":                            "GRANT USAGE ON SCHEMA toolcrib TO toolcrib_chief",
		"GRANT CREATE ON SCHEMA toolcrib TO toolcrib_agent":                              "REVOKE CREATE ON SCHEMA toolcrib FROM toolcrib_agent",
		"ALTER POLICY user_write ON decisions WITH CHECK (true)":                         "DROP POLICY user_write ON toolcrib.decisions",
		"ALTER POLICY agent_insert ON proposals TO toolcrib_agent, toolcrib_chief":       "DROP POLICY agent_insert ON toolcrib.proposals",
		"CREATE POLICY mine ON decisions FOR INSERT TO toolcrib_agent WITH CHECK (true)": "DROP POLICY mine ON toolcrib.decisions",
		"DROP POLICY decisions_read ON decisions":                                        "CREATE POLICY decisions_read ON toolcrib.decisions AS PERMISSIVE FOR SELECT TO PUBLIC USING (true)",
		"ALTER TABLE decisions DISABLE ROW LEVEL SECURITY":                               "ALTER TABLE toolcrib.decisions ENABLE ROW LEVEL SECURITY",
		"ALTER TABLE decisions OWNER TO visitor":                                         "ALTER TABLE toolcrib.decisions OWNER TO toolcrib_owner",
		"ALTER FUNCTION acts_as(text) SECURITY DEFINER":                                  "ALTER FUNCTION toolcrib.acts_as(text) SECURITY INVOKER",
		"GRANT EXECUTE ON FUNCTION open_call() TO toolcrib_agent":                        "REVOKE EXECUTE ON FUNCTION toolcrib.open_call() FROM toolcrib_agent",
		"GRANT toolcrib_user TO toolcrib_agent":                                          "REVOKE toolcrib_user FROM toolcrib_agent",
		`GRANT toolcrib_user TO "agent:claude"`:                                          `REVOKE toolcrib_user FROM "agent:claude"`,
		`GRANT toolcrib_owner TO "chief:desk"`:                                           `REVOKE toolcrib_owner FROM "chief:desk"`,
		"ALTER ROLE toolcrib_agent BYPASSRLS":                                            "ALTER ROLE toolcrib_agent NOBYPASSRLS",
		`ALTER ROLE "agent:claude" SUPERUSER`:                                            `ALTER ROLE "agent:claude" NOSUPERUSER`,
		"ALTER ROLE toolcrib_owner LOGIN":                                                "ALTER ROLE toolcrib_owner NOLOGIN",
	} {
		exec(t, conn, change)
		found := differences(t, c, database)
		if !strings.Contains(strings.Join(found, "\n"), "As a superuser, run: "+want) {
			t.Errorf("%s: %q does not advise %s", change, found, want)
		}
		for _, problem := range found {
			_, repair, _ := strings.Cut(problem, "As a superuser, run: ")
			exec(t, conn, repair)
		}
		if found := differences(t, c, database); len(found) > 0 {
			t.Fatalf("%s: repaired as advised, still %q", change, found)
		}
	}
}

// differences returns the problems that are reported to a reader of the database.
func differences(t *testing.T, c *pgtest.Cluster, database string) []string {
	t.Helper()
	a, err := pg.Examine(t.Context(), c.URL("looker", database))
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, problem := range a.Problems {
		if strings.Contains(problem, "toolcrib migrate") {
			found = append(found, problem)
		}
	}
	return found
}
