package pg_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"toolcrib/store/pg/pgtest"
)

const lockWriter = "SELECT id FROM writer WHERE id = 1 FOR UPDATE"

func decision(decider string) string {
	return "INSERT INTO decisions VALUES (2, 'd', " + mine + ", 1, 'tool:global/tool_1', " + hash + ", 'approved', '', '" + decider + "', '2026', 'assessment-1', " + hash + ", 1, " + hash + ", '', 'shown', '', " + hash + ")"
}

// version returns a statement that adds version 2.
func version(decider string) string {
	return "INSERT INTO versions SELECT 2, kind, layer, id, subject, 2, definition, content_hash, hash, " + hash +
		", proposal, revision, author, assessment, review_digest, rendered, rules_version, '" + decider + "', decided_at, note, waivers, signature, approvals FROM versions"
}

// roleWork lists statements for each role in order, and whether they must fail.
var roleWork = []struct {
	login, sql string
	fails      bool
}{
	{"agent:claude", lockWriter, false},
	{"agent:claude", propose("agent:claude", "draft"), false},
	{"agent:claude", "INSERT INTO revisions VALUES (3, repeat('x', 36), 1, '{}', " + hash + ", 'agent:claude', '2026', " + hash + ")", false},
	{"agent:claude", "UPDATE proposals SET state = 'chief_review' WHERE seq = 3", false},
	{"agent:claude", "INSERT INTO assessments VALUES (3, 'x', repeat('x', 36), 1, " + hash + ", 'chief:builtin', 'approve', '{\"findings\":[]}', 'v', '2026', " + hash + ")", false},
	{"agent:claude", event(2, "agent:claude", "draft", "repeat('e', 64)"), false},
	{"agent:claude", event(3, "chief:builtin", "assess", hash) + " WHERE false", false},
	{"agent:claude", "INSERT INTO comments VALUES (2, 'c', " + other + ", 1, 'agent:claude', '2026', 'x', '', 0, " + hash + ")", false},
	{"agent:claude", call("agent:claude", 0), false},
	{"agent:claude", "INSERT INTO call_outcomes VALUES (1, 'call-1', '2026', 'refused', 0, '', '', 0, '', '', 0, '', " + hash + ")", false},
	{"nameless", strings.Replace(propose("nameless", "draft"), "(3,", "(4,", 1), true}, // the id already exists
	{"chief:desk", lockWriter, false},
	{"chief:desk", "INSERT INTO assessments VALUES (4, 'y', " + mine + ", 1, " + hash + ", 'chief:desk', 'reject', '{\"findings\":[]}', 'v', '2026', " + hash + ")", false},
	{"chief:desk", "INSERT INTO assessments VALUES (5, 'z', " + mine + ", 1, " + hash + ", 'chief:builtin', 'reject', '{}', 'v', '2026', " + hash + ")", true},
	{"chief:desk", "UPDATE proposals SET recommendation = 'reject' WHERE id = " + mine, false},
	{"chief:desk", "UPDATE proposals SET state = 'approved' WHERE id = " + mine, true},
	{"chief:desk", decision("user:mara"), true},
	{"looker", "SELECT * FROM decisions", false},
	{"looker", lockWriter, true},
	{"looker", "SELECT * FROM tokens", false},
	{"looker", "UPDATE proposals SET title = 'x'", true},
	{"user:mara", decision("user:ada"), true},
	{"user:mara", decision("user:mara"), false},
	{"user:mara", version("user:ada"), true},
	{"user:mara", version("user:mara"), false},
	{"user:mara", "UPDATE live SET version = 2", false},
	{"user:mara", "UPDATE live SET version = 2", true}, // it is already 2
	{"user:mara", "UPDATE decisions SET note = 'x'", true},
	{"user:mara", "TRUNCATE events", true},
	{"gateway", strings.Replace(decision("user:ada"), "(2, 'd', "+mine, "(3, 'e', repeat('x', 36)", 1), false},
	{"postgres", "UPDATE decisions SET note = 'x'", true},
	{"postgres", "DELETE FROM events", true},
	{"postgres", "TRUNCATE revisions CASCADE", true},
	{"postgres", "INSERT INTO core VALUES ('evil', " + hash + ")", true},
}

// TestRolesDoTheirWork checks that each role can do its work, because otherwise attacks could fail just because every
// statement fails.
func TestRolesDoTheirWork(t *testing.T) {
	t.Parallel()
	c := pgtest.Shared(t)
	database := migrated(t, c)
	exec(t, dial(t, c, pgtest.Superuser, database), victims)
	conns := map[string]*pgx.Conn{}
	for _, w := range roleWork {
		conn := conns[w.login]
		if conn == nil {
			conn = dial(t, c, w.login, database)
			exec(t, conn, "SET search_path = toolcrib")
			conns[w.login] = conn
		}
		if _, err := conn.Exec(t.Context(), w.sql); (err != nil) != w.fails {
			t.Errorf("%s: %s: %v", w.login, w.sql, err)
		}
	}
}
