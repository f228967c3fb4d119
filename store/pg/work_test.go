package pg_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"toolcrib/store/pg/pgtest"
)

// TestRolesDoTheirWork runs what each role is for, so that the attacks are not
// refused because everything is.
func TestRolesDoTheirWork(t *testing.T) {
	t.Parallel()
	c := pgtest.Shared(t)
	database := migrated(t, c)
	exec(t, dial(t, c, pgtest.Superuser, database), victims)
	next := 2
	logged := func(actor, act string) string {
		prev := "repeat('e', 64)"
		if next > 2 {
			prev = hash
		}
		next++
		return strings.Replace(event(next-1, actor, act, prev), "event-x", "event-"+strconv.Itoa(next), 1)
	}
	version := "INSERT INTO versions SELECT 2, kind, layer, id, subject, 2, definition, content_hash, hash, " + hash +
		", proposal, revision, author, assessment, review_digest, rendered, rules_version, DECIDER, decided_at, note, waivers, signature, approvals FROM versions"
	decision := "INSERT INTO decisions VALUES (2, 'd', " + mine + ", 1, 'tool:global/tool_1', " + hash + ", 'approved', '', DECIDER, '2026', 'assessment-1', " + hash + ", 1, " + hash + ", '', 'shown', '', " + hash + ")"
	by := func(statement, decider string) string {
		return strings.ReplaceAll(statement, "DECIDER", "'"+decider+"'")
	}
	lock := "SELECT id FROM writer WHERE id = 1 FOR UPDATE"
	work := []struct {
		login, sql string
		fails      bool
	}{
		{"agent:claude", lock, false},
		{"agent:claude", propose("agent:claude", "draft"), false},
		{"agent:claude", "INSERT INTO revisions VALUES (3, repeat('x', 36), 1, '{}', " + hash + ", 'agent:claude', '2026', " + hash + ")", false},
		{"agent:claude", "UPDATE proposals SET state = 'chief_review' WHERE seq = 3", false},
		{"agent:claude", "INSERT INTO assessments VALUES (3, 'x', repeat('x', 36), 1, " + hash + ", 'chief:builtin', 'approve', '{\"findings\":[]}', 'v', '2026', " + hash + ")", false},
		{"agent:claude", logged("agent:claude", "draft"), false},
		{"agent:claude", logged("chief:builtin", "assess") + " WHERE false", false},
		{"agent:claude", "INSERT INTO comments VALUES (2, 'c', " + other + ", 1, 'agent:claude', '2026', 'x', '', 0, " + hash + ")", false},
		{"agent:claude", call("agent:claude", 0), false},
		{"agent:claude", "INSERT INTO call_outcomes VALUES (1, 'call-1', '2026', 'refused', 0, '', '', 0, '', '', 0, '', " + hash + ")", false},
		{"nameless", strings.Replace(propose("nameless", "draft"), "(3,", "(4,", 1), true}, // its id is taken
		{"chief:desk", lock, false},
		{"chief:desk", "INSERT INTO assessments VALUES (4, 'y', " + mine + ", 1, " + hash + ", 'chief:desk', 'reject', '{\"findings\":[]}', 'v', '2026', " + hash + ")", false},
		{"chief:desk", "INSERT INTO assessments VALUES (5, 'z', " + mine + ", 1, " + hash + ", 'chief:builtin', 'reject', '{}', 'v', '2026', " + hash + ")", true},
		{"chief:desk", "UPDATE proposals SET recommendation = 'reject' WHERE id = " + mine, false},
		{"chief:desk", "UPDATE proposals SET state = 'approved' WHERE id = " + mine, true},
		{"chief:desk", by(decision, "user:mara"), true},
		{"looker", "SELECT * FROM decisions", false},
		{"looker", lock, true},
		{"looker", "SELECT * FROM tokens", false},
		{"looker", "UPDATE proposals SET title = 'x'", true},
		{"user:mara", by(decision, "user:ada"), true},
		{"user:mara", by(decision, "user:mara"), false},
		{"user:mara", by(version, "user:ada"), true},
		{"user:mara", by(version, "user:mara"), false},
		{"user:mara", "UPDATE live SET version = 2", false},
		{"user:mara", "UPDATE live SET version = 2", true}, // it is 2 already
		{"user:mara", "UPDATE decisions SET note = 'x'", true},
		{"user:mara", "TRUNCATE events", true},
		{"gateway", strings.Replace(by(decision, "user:ada"), "(2, 'd', "+mine, "(3, 'e', repeat('x', 36)", 1), false},
		{"postgres", "UPDATE decisions SET note = 'x'", true},
		{"postgres", "DELETE FROM events", true},
		{"postgres", "TRUNCATE revisions CASCADE", true},
		{"postgres", "INSERT INTO core VALUES ('evil', " + hash + ")", true},
	}
	conns := map[string]*pgx.Conn{}
	for _, w := range work {
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
