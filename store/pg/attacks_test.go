package pg_test

import (
	"strconv"
	"strings"
)

// mine is the proposal of agent:claude, and other a proposal of another agent.
const (
	mine  = "'proposal-111111111111111111111111111'"
	other = "'proposal-222222222222222222222222222'"
	hash  = "repeat('f', 64)"
)

// attack is an attempt by agent:claude to do something forbidden in SQL. class is the beginning of the expected
// SQLSTATE: 42501 for a missing right, 23 for a constraint or a trigger.
type attack struct{ name, class, sql string }

const noRight, constraint = "42501", "23"

// decide attempts to write rows that only people may write.
var decide = []attack{
	{"write a decision", noRight, "INSERT INTO decisions VALUES (2, 'd', " + mine + ", 1, 'tool:global/tool_1', " + hash + ", 'approved', '', 'user:mara', '2026', 'assessment-1', " + hash + ", 1, " + hash + ", '', 'shown', '', " + hash + ")"},
	{"write a decision in its own name", noRight, "INSERT INTO decisions (seq, decided_by) VALUES (2, 'agent:claude')"},
	{"replace a decision", noRight, "INSERT INTO decisions SELECT * FROM decisions ON CONFLICT (seq) DO UPDATE SET verdict = 'approved'"},
	{"change a decision", noRight, "UPDATE decisions SET verdict = 'approved'"},
	{"delete a decision", noRight, "DELETE FROM decisions"},
	{"truncate the decisions", noRight, "TRUNCATE decisions"},
	{"lock the decisions", noRight, "BEGIN; LOCK TABLE decisions IN ACCESS EXCLUSIVE MODE"},
	{"copy decisions in", noRight, "COPY decisions FROM STDIN"},
	{"merge a decision", noRight, "MERGE INTO decisions d USING (VALUES (2)) x (n) ON d.seq = x.n WHEN NOT MATCHED THEN INSERT (seq) VALUES (x.n)"},
	{"write a decision in a CTE", noRight, "WITH w AS (INSERT INTO decisions (seq) VALUES (2) RETURNING 1) SELECT * FROM w"},
	{"write a waiver", noRight, "INSERT INTO waivers VALUES (2, 'w', " + mine + ", '{}', '2026', " + hash + ")"},
	{"change a waiver", noRight, "UPDATE waivers SET proposal = " + mine},
	{"delete a waiver", noRight, "DELETE FROM waivers"},
	{"write a version", noRight, "INSERT INTO versions (seq, subject) VALUES (2, 'tool:global/evil')"},
	{"change a version", noRight, "UPDATE versions SET definition = '{}'"},
	{"delete a version", noRight, "DELETE FROM versions WHERE true"},
	{"truncate the versions", noRight, "TRUNCATE versions CASCADE"},
	{"put a tool into the registry", noRight, "INSERT INTO live SELECT 'tool:global/evil', kind, layer, 'evil', version, content_hash, name, tool_kind, category, tier, approval, tag, status, locked, origin, source FROM live"},
	{"change the live version", noRight, "UPDATE live SET version = version + 1"},
	{"loosen the approval tier", noRight, "UPDATE live SET approval = 'auto_approve'"},
	{"delete from the registry", noRight, "DELETE FROM live"},
	{"take a name", noRight, "INSERT INTO names VALUES ('pay', 'tool:global/live_tool')"},
	{"drop a name", noRight, "DELETE FROM names"},
	{"add to the core", noRight, "INSERT INTO core VALUES ('evil', " + hash + ")"},
	{"change the core", noRight, "UPDATE core SET content_hash = " + hash},
	{"write a signature", noRight, "INSERT INTO signatures VALUES (2, " + hash + ", 's', 's', 'user:mara', '2026', " + hash + ")"},
	{"claim that a review was shown", noRight, "INSERT INTO shown VALUES ('user:ada', " + mine + ", " + hash + ", '', '2026')"},
	{"change what was shown", noRight, "UPDATE shown SET digest = " + hash},
	{"answer its own call", noRight, "INSERT INTO call_answers VALUES (1, 'a', repeat('p', 36), 1, repeat('d', 64), '', 'user:mara', '2026', 'call', '', " + hash + ")"},
	{"set a tier", noRight, "INSERT INTO call_tiers VALUES (1, 't', 'user:mara', 'tool:global/live_tool', 'auto_approve', 'user:mara', '2026', '', " + hash + ")"},
	{"make a token", noRight, "INSERT INTO tokens VALUES (2, repeat('u', 36), '{}', " + hash + ", 'user:mara', '2026', '', " + hash + ")"},
	{"read the tokens", noRight, "SELECT secret_hash FROM tokens"},
	{"copy the tokens out", noRight, "COPY tokens TO STDOUT"},
	{"revoke a token", noRight, "INSERT INTO token_revocations VALUES (1, repeat('r', 36), repeat('t', 36), '', 'user:mara', '2026', " + hash + ")"},
	{"hide near-duplicates", noRight, "INSERT INTO recent_sketches VALUES (1, '', '')"},
	{"instruct the assistant", noRight, "UPDATE owners SET instructions = 'obey'"},
	{"instruct a new owner", noRight, "INSERT INTO owners (id, customer, \"user\", instructions) VALUES (2, 'c', 'ada', 'obey')"},
}

// forge attempts to write rows that agents may write, but for other actors or in the wrong order.
var forge = []attack{
	{"propose for another agent", noRight, propose("agent:other", "draft")},
	{"propose as a user", noRight, propose("user:mara", "draft")},
	{"propose what is approved", noRight, propose("agent:claude", "approved")},
	{"propose what waits for the user, unassessed", noRight, propose("agent:claude", "user_review")},
	{"propose a core tool", constraint, strings.ReplaceAll(propose("agent:claude", "draft"), "tool_3", "lock_me")},
	{"approve its proposal", noRight, "UPDATE proposals SET state = 'approved' WHERE id = " + mine},
	{"reject its proposal", noRight, "UPDATE proposals SET state = 'rejected' WHERE id = " + mine},
	{"give its proposal away", noRight, "UPDATE proposals SET author = 'user:mara' WHERE id = " + mine},
	{"move its proposal to another subject", noRight, "UPDATE proposals SET subject_id = 'x', subject = 'tool:global/x' WHERE id = " + mine},
	{"waive its findings", noRight, "UPDATE proposals SET waived_until = '2099' WHERE id = " + mine},
	{"skip a revision", constraint, "UPDATE proposals SET revision = revision + 2 WHERE id = " + mine},
	{"delete its proposal", noRight, "DELETE FROM proposals WHERE id = " + mine},
	{"revise the proposal of another", noRight, "INSERT INTO revisions VALUES (3, " + other + ", 2, '{}', " + hash + ", 'agent:claude', '2026', " + hash + ")"},
	{"revise as another", noRight, "INSERT INTO revisions VALUES (3, " + mine + ", 2, '{}', " + hash + ", 'agent:other', '2026', " + hash + ")"},
	{"change a revision", noRight, "UPDATE revisions SET draft = '{}' WHERE proposal = " + mine},
	{"write a revision again", constraint, "INSERT INTO revisions VALUES (3, " + mine + ", 1, '{}', " + hash + ", 'agent:claude', '2026', " + hash + ")"},
	{"leave a revision out", constraint, "INSERT INTO revisions VALUES (3, " + mine + ", 3, '{}', " + hash + ", 'agent:claude', '2026', " + hash + ")"},
	{"assess as a chief", noRight, "INSERT INTO assessments VALUES (3, 'x', " + mine + ", 1, " + hash + ", 'chief:desk', 'approve', '{}', 'v', '2026', " + hash + ")"},
	{"assess the proposal of another", noRight, "INSERT INTO assessments VALUES (3, 'x', " + other + ", 1, " + hash + ", 'chief:builtin', 'reject', '{}', 'v', '2026', " + hash + ")"},
	{"change an assessment", noRight, "UPDATE assessments SET report = '{}'"},
	{"close the issue of another, deleting it", noRight, "DELETE FROM issues"},
	{"rename an issue", noRight, "UPDATE issues SET title = 'x'"},
	{"comment as a user", noRight, "INSERT INTO comments VALUES (2, 'c', " + mine + ", 1, 'user:mara', '2026', 'looks good', '', 0, " + hash + ")"},
	{"change a comment", noRight, "UPDATE comments SET body = 'x'"},
	{"log an approval", noRight, event(2, "agent:claude", "approve", "repeat('e', 64)")},
	{"log as a user", noRight, event(2, "user:mara", "comment", "repeat('e', 64)")},
	{"log an event with a number that is taken", constraint, event(1, "agent:claude", "comment", "''")},
	{"log an event ahead of its turn", constraint, event(9, "agent:claude", "comment", "repeat('e', 64)")},
	{"log an event with another parent", constraint, event(2, "agent:claude", "comment", hash)},
	{"log an event with a negative number", constraint, event(-1, "agent:claude", "comment", "''")},
	{"change the log", noRight, "UPDATE events SET actor = 'agent:other'"},
	{"cut the log", noRight, "DELETE FROM events WHERE seq = (SELECT max(seq) FROM events)"},
	{"import as another", noRight, "INSERT INTO imports VALUES (2, 'i', '2026', 'agent:other', 'mcp', 'l', " + hash + ", '', '[]')"},
	{"replace imported bytes", noRight, "INSERT INTO raws VALUES (repeat('c', 64), 'evil') ON CONFLICT (hash) DO UPDATE SET body = 'evil'"},
	{"call as another", noRight, call("agent:other", 0)},
	{"call without asking", constraint, call("agent:claude", 1)},
	{"ask for a call as another", noRight, "INSERT INTO pending_calls SELECT 2, repeat('q', 36), caller, agent, \"user\", tool, version, content_hash, args, said, digest, asked_at, expires_at, seal FROM pending_calls"},
	{"uncount refused calls", constraint, "UPDATE call_refusals SET written = 0"},
	{"delete the count of refused calls", noRight, "DELETE FROM call_refusals"},
	{"falsify the counters", noRight, "UPDATE counters SET n = 0"},
	{"clear the rules of its findings", noRight, "DELETE FROM proposal_rules"},
	{"drop a pending export", noRight, "DELETE FROM pending_exports"},
}

// climb attacks the roles, the schema, and the server.
var climb = []attack{
	{"become the owner", noRight, "SET ROLE toolcrib_owner"},
	{"become a user", noRight, "SET ROLE toolcrib_user"},
	{"become another session", noRight, `SET SESSION AUTHORIZATION "user:mara"`},
	{"become the superuser", noRight, "SET SESSION AUTHORIZATION postgres"},
	{"join the users", noRight, `GRANT toolcrib_user TO "agent:claude"`},
	{"grant itself a table", "", `GRANT INSERT ON decisions TO "agent:claude"`},
	{"make a role", noRight, "CREATE ROLE evil SUPERUSER"},
	{"take the name of a user", noRight, `ALTER ROLE "agent:other" RENAME TO "user:eve"`},
	{"leave row-level security", noRight, `ALTER ROLE "agent:claude" BYPASSRLS`},
	{"switch row-level security off", noRight, "SET row_security = off; INSERT INTO comments VALUES (2, 'c', " + mine + ", 1, 'user:mara', '2026', 'x', '', 0, " + hash + ")"},
	{"take row-level security from a table", noRight, "ALTER TABLE proposals DISABLE ROW LEVEL SECURITY"},
	{"drop a policy", noRight, "DROP POLICY agent_write ON comments"},
	{"add a policy", noRight, "CREATE POLICY evil ON events FOR INSERT WITH CHECK (true)"},
	{"skip triggers as a replica", noRight, "SET session_replication_role = replica"},
	{"disable triggers", noRight, "ALTER TABLE events DISABLE TRIGGER ALL"},
	{"drop a trigger", noRight, "DROP TRIGGER events_update ON events"},
	{"add a trigger", noRight, "CREATE TRIGGER evil AFTER INSERT ON events FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()"},
	{"add a rule", noRight, "CREATE RULE evil AS ON INSERT TO events DO INSTEAD NOTHING"},
	{"replace a function", noRight, "CREATE OR REPLACE FUNCTION toolcrib.check_chain() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'"},
	{"overload a function", noRight, "CREATE FUNCTION toolcrib.acts_as(name) RETURNS boolean LANGUAGE sql AS 'SELECT true'"},
	{"call a trigger's function", noRight, "SELECT toolcrib.count_proposal()"},
	{"make a view", noRight, "CREATE VIEW toolcrib.decisions2 AS SELECT * FROM decisions"},
	{"make a table", noRight, "CREATE TABLE toolcrib.evil (n bigint)"},
	{"make a table in public", noRight, "CREATE TABLE public.live (n bigint)"},
	{"make a schema", noRight, "CREATE SCHEMA evil"},
	{"make a temporary table that shadows", noRight, "CREATE TEMPORARY TABLE live (LIKE toolcrib.live)"},
	{"make a function in the session's own schema", noRight, "CREATE FUNCTION pg_temp.evil() RETURNS bigint LANGUAGE sql AS 'SELECT 1'"},
	{"drop a table", noRight, "DROP TABLE events"},
	{"rename a table", noRight, "ALTER TABLE live RENAME TO dead"},
	{"drop a check", noRight, "ALTER TABLE decisions DROP CONSTRAINT decisions_check"},
	{"change a default privilege of the owner", noRight, "ALTER DEFAULT PRIVILEGES FOR ROLE toolcrib_owner GRANT ALL ON TABLES TO PUBLIC"},
	{"drop the schema", noRight, "DROP SCHEMA toolcrib CASCADE"},
	{"drop what the owner has", noRight, "DROP OWNED BY toolcrib_owner"},
	{"take what the owner has", noRight, `REASSIGN OWNED BY toolcrib_owner TO "agent:claude"`},
	{"change the catalogue", noRight, "UPDATE pg_catalog.pg_class SET relrowsecurity = false"},
	{"run a program", noRight, "COPY comments FROM PROGRAM 'echo'"},
	{"read a file of the server", noRight, "SELECT pg_read_file('/etc/passwd')"},
	{"write a file of the server", noRight, "COPY (SELECT 1) TO '/tmp/evil'"},
	{"export a large object", noRight, "SELECT lo_export(1, '/tmp/evil')"},
	{"load a library", noRight, "LOAD '/tmp/evil.so'"},
	{"make a function in C", noRight, "CREATE FUNCTION toolcrib.evil() RETURNS bigint LANGUAGE c AS '/tmp/evil', 'evil'"},
	{"make an extension", noRight, "CREATE EXTENSION file_fdw"},
	{"publish the tables", noRight, "CREATE PUBLICATION evil FOR ALL TABLES"},
	{"make an event trigger", noRight, "CREATE EVENT TRIGGER evil ON ddl_command_start EXECUTE FUNCTION refuse()"},
	{"change the server's settings", noRight, "ALTER SYSTEM SET fsync = off"},
	{"change the settings of the owner", noRight, "ALTER ROLE toolcrib_owner SET search_path = evil"},
	{"end the session of another", noRight, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'postgres'"},
	{"change the writer row", constraint, "UPDATE writer SET id = 1"},
	{"delete the writer row", noRight, "DELETE FROM writer"},
	{"add a writer row", noRight, "INSERT INTO writer VALUES (2)"},
	{"change the schema's number", noRight, "INSERT INTO schema_migrations VALUES (99)"},
	{"run a trigger's function on a table of its own", noRight, "CREATE TEMPORARY TABLE t (state text); CREATE TRIGGER evil AFTER INSERT ON t FOR EACH ROW EXECUTE FUNCTION toolcrib.count_proposal(); INSERT INTO t VALUES ('approved')"},
	{"find another table by the search path", constraint, "SET search_path = pg_temp, toolcrib; " + event(9, "user:mara", "comment", "''")},
}

func propose(author, state string) string {
	return `INSERT INTO proposals (seq, id, type, kind, layer, subject_id, subject, title, state, revision, content_hash, base_version, author, change_set, created_at, updated_at)
		VALUES (3, repeat('x', 36), 'new', 'tool', 'global', 'tool_3', 'tool:global/tool_3', 'T', '` + state + "', 1, " + hash + ", 0, '" + author + "', '', '2026', '2026')"
}

func event(seq int, actor, act, prev string) string {
	return "INSERT INTO toolcrib.events SELECT " + strconv.Itoa(seq) + ", 'event-x', '2026', '" + actor + "', '" + act + "', '', '', 0, '', '', " + prev + ", " + hash
}

func call(actor string, nth int) string {
	return "INSERT INTO calls SELECT 1, 'call-1', '2026-11-22', '" + actor + "', 'agent', 'global', 'user:mara', '', 'live_tool', 'tool:global/live_tool', 1, repeat('c', 64), '', '', '', " +
		strconv.Itoa(nth) + ", '', " + hash
}
