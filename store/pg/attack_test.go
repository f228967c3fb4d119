package pg_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"toolcrib/store/pg/pgtest"
)

// victims inserts the rows that attacks target: a proposal of agent:claude that waits for the user, one of agent:other,
// a live tool, a call that waits for the user, a decision, a token, and the log.
const victims = `
SET ROLE toolcrib_owner; SET search_path = toolcrib;
INSERT INTO proposals (seq, id, type, kind, layer, subject_id, subject, title, state, revision, content_hash, base_version, author, change_set, created_at, updated_at)
SELECT n, 'proposal-' || repeat(CAST(n AS text), 27), 'new', 'tool', 'global', 'tool_' || n, 'tool:global/tool_' || n, 'T', 'user_review', 1, repeat('c', 64), 0,
  CASE n WHEN 1 THEN 'agent:claude' ELSE 'agent:other' END, '', '2026', '2026' FROM generate_series(1, 2) n;
INSERT INTO revisions SELECT seq, id, 1, '{}', repeat('c', 64), author, '2026', repeat('5', 64) FROM proposals ORDER BY seq;
INSERT INTO assessments SELECT seq, 'assessment-' || seq, id, 1, repeat('c', 64), 'chief:builtin', 'approve', '{"findings":[{"rule":"T1"}]}', 'v', '2026', repeat('5', 64) FROM proposals ORDER BY seq;
INSERT INTO issues SELECT seq, id, 'T', 'user', 'open', '' FROM proposals;
INSERT INTO waivers VALUES (1, 'waiver-1', 'proposal-222222222222222222222222222', '{}', '2026', repeat('5', 64));
INSERT INTO comments VALUES (1, 'comment-1', 'proposal-222222222222222222222222222', 1, 'agent:other', '2026', 'hello', '', 0, repeat('5', 64));
INSERT INTO versions SELECT 1, 'tool', 'global', 'live_tool', 'tool:global/live_tool', 1, '{"annotations":{"requiresConfirmation":true}}', repeat('c', 64), '', repeat('a', 64),
  'proposal-222222222222222222222222222', 1, 'agent:other', 'assessment-2', repeat('d', 64), '', 'v', 'user:mara', '2026', '', '[]', '', '';
INSERT INTO live VALUES ('tool:global/live_tool', 'tool', 'global', 'live_tool', 1, repeat('c', 64), 'Live', 'action', 'c', '', 'requires_approval', '', 'active', 0, '', '');
INSERT INTO names VALUES ('live_tool', 'tool:global/live_tool');
INSERT INTO decisions VALUES (1, 'decision-1', 'proposal-222222222222222222222222222', 1, 'tool:global/tool_2', repeat('c', 64), 'rejected', '', 'user:mara', '2026', 'assessment-2',
  repeat('d', 64), 0, '', '', 'shown', '', repeat('5', 64));
INSERT INTO shown VALUES ('user:mara', 'proposal-111111111111111111111111111', repeat('d', 64), '', '2026');
INSERT INTO events VALUES (1, 'event-1', '2026', 'user:mara', 'reject', '', '', 0, '', '', '', repeat('e', 64));
INSERT INTO signatures VALUES (1, repeat('b', 64), 's', 's', 'user:mara', '2026', repeat('5', 64));
INSERT INTO raws VALUES (repeat('c', 64), 'x');
INSERT INTO imports VALUES (1, 'import-1', '2026', 'agent:other', 'mcp', 'l', repeat('c', 64), '', '[]');
INSERT INTO pending_calls VALUES (1, repeat('p', 36), '{"actor":"agent:other"}', 'agent', 'user:mara', 'tool:global/live_tool', 1, repeat('c', 64), '{}', '', repeat('d', 64), '2026', '2027', repeat('5', 64));
INSERT INTO tokens VALUES (1, repeat('t', 36), '{}', repeat('e', 64), 'user:mara', '2026', '', repeat('5', 64));
INSERT INTO call_refusals VALUES ('agent', 'user:mara', '2026-11-22T12', 1, 0, '2026', 'x');
INSERT INTO owners VALUES (1, 'c', 'mara', 'be kind', repeat('5', 64));
RESET ROLE;`

// TestAgentCannotDecide runs all attacks with the connection of an agent, and compares all rows of the database after
// each group.
func TestAgentCannotDecide(t *testing.T) {
	t.Parallel()
	c := pgtest.Shared(t)
	database := migrated(t, c)
	root := dial(t, c, pgtest.Superuser, database)
	exec(t, root, victims)
	agent := dial(t, c, "agent:claude", database)
	exec(t, agent, "SET search_path = toolcrib")
	before := digest(t, root)
	tried := 0
	for _, group := range [][]attack{decide, forge, climb} {
		for _, a := range group {
			tried++
			refused(t, agent, a)
		}
		if digest(t, root) != before {
			t.Fatalf("one of the attacks before %q changed the database", group[len(group)-1].name)
		}
	}
	if tried < 60 {
		t.Errorf("only %d attacks were tried", tried)
	}
	t.Logf("%d attacks", tried)
}

// refused runs an attack in a transaction that would be committed, so that the result does not depend on a rollback by
// the attacker.
func refused(t *testing.T, agent *pgx.Conn, a attack) {
	t.Helper()
	results := agent.PgConn().Exec(t.Context(), a.sql)
	_, err := results.ReadAll()
	refusal := new(pgconn.PgError)
	if a.class == "" { // PostgreSQL prints a warning and grants nothing
		return
	}
	if !errors.As(err, &refusal) || !strings.HasPrefix(refusal.Code, a.class) {
		t.Errorf("%s: %v, want SQLSTATE %s\n%s", a.name, err, a.class, a.sql)
	}
	exec(t, agent, "ROLLBACK; RESET ALL; SET search_path = toolcrib")
}

// TestShadowsChangeNothing gives an agent the right to create temporary tables, which a database owner may grant to
// everybody, and shadows the tables that the checks read.
func TestShadowsChangeNothing(t *testing.T) {
	t.Parallel()
	c := pgtest.Shared(t)
	database := migrated(t, c)
	root := dial(t, c, pgtest.Superuser, database)
	exec(t, root, victims+"GRANT TEMPORARY ON DATABASE "+database+" TO PUBLIC")
	agent := dial(t, c, "agent:claude", database)
	exec(t, agent, `SET search_path = pg_temp, toolcrib;
		CREATE TEMPORARY TABLE core (id text); CREATE TEMPORARY TABLE events (seq bigint, hash text); CREATE TEMPORARY TABLE proposals (id text, author text);
		INSERT INTO pg_temp.proposals VALUES (`+other+`, 'agent:claude');
		CREATE TEMPORARY TABLE live AS SELECT * FROM toolcrib.live; UPDATE pg_temp.live SET approval = 'auto_approve';
		CREATE TEMPORARY TABLE versions AS SELECT subject, number, CAST('{}' AS text) AS definition FROM toolcrib.versions;
		CREATE FUNCTION pg_temp.acts_as(text) RETURNS boolean LANGUAGE sql AS 'SELECT true'`)
	for _, a := range []attack{
		{"propose a core tool", constraint, strings.ReplaceAll(strings.ReplaceAll(propose("agent:claude", "draft"), "tool_3", "lock_me"), "INTO proposals", "INTO toolcrib.proposals")},
		{"begin the log again", constraint, event(1, "agent:claude", "comment", "''")},
		{"call without asking", constraint, call("agent:claude", 1)},
		{"assess the proposal of another", noRight, "INSERT INTO toolcrib.assessments VALUES (3, 'x', " + other + ", 1, " + hash + ", 'chief:builtin', 'reject', '{}', 'v', '2026', " + hash + ")"},
		{"comment as a user", noRight, "INSERT INTO toolcrib.comments VALUES (2, 'c', " + mine + ", 1, 'user:mara', '2026', 'x', '', 0, " + hash + ")"},
		{"run a trigger's function on a table of its own", noRight, "CREATE TEMPORARY TABLE t (state text); CREATE TRIGGER evil AFTER INSERT ON t FOR EACH ROW EXECUTE FUNCTION toolcrib.count_proposal()"},
	} {
		refused(t, agent, a)
		exec(t, agent, "SET search_path = pg_temp, toolcrib")
	}
}

// digest returns a hash of all rows of the schema, and of the objects that protect them.
func digest(t *testing.T, root *pgx.Conn) string {
	t.Helper()
	exec(t, root, "SET search_path = toolcrib")
	return list(t, root, `SELECT md5(string_agg(x, '' ORDER BY x)) FROM (
		SELECT query_to_xml('SELECT * FROM ' || relname || ' ORDER BY 1, 2', true, false, '')::text AS x FROM pg_class
			WHERE relnamespace = 'toolcrib'::regnamespace AND relkind = 'r' AND relname NOT IN ('writer', 'calls_open', 'schema_migrations')
		UNION ALL SELECT concat(relname, relacl, relrowsecurity) FROM pg_class WHERE relnamespace = 'toolcrib'::regnamespace AND relkind = 'r'
		UNION ALL SELECT concat(tgname, tgenabled, tgrelid) FROM pg_trigger
		UNION ALL SELECT concat(polname, polrelid, pg_get_expr(polwithcheck, polrelid)) FROM pg_policy
		UNION ALL SELECT concat(proname, prosrc, proacl) FROM pg_proc WHERE pronamespace = 'toolcrib'::regnamespace
		UNION ALL SELECT concat(rolname, rolsuper, rolbypassrls) FROM pg_roles WHERE rolname LIKE 'toolcrib%' OR rolname LIKE 'agent:%'
		UNION ALL SELECT (SELECT count(*) FROM writer)::text || (SELECT count(*) FROM schema_migrations)::text) everything`)[0]
}
