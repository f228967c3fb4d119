package pg_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"toolcrib/internal/shortrun"
	"toolcrib/store/engine"
	"toolcrib/store/pg"
	"toolcrib/store/pg/pgtest"
	"toolcrib/store/storetest"
)

// dial connects to a database with a login.
func dial(t testing.TB, c *pgtest.Cluster, login, database string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), c.URL(login, database))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) }) // the test may already have closed it
	return conn
}

func exec(t testing.TB, conn *pgx.Conn, statements string) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), statements); err != nil {
		t.Fatalf("%s: %v", statements, err)
	}
}

// list returns the first column of a query.
func list(t testing.TB, conn *pgx.Conn, query string) []string {
	t.Helper()
	rows, err := conn.Query(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// coreSeed inserts a single core tool.
func coreSeed(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, "INSERT INTO core VALUES ('lock_me', repeat('a', 64))")
	return err
}

var (
	templates   = map[*pgtest.Cluster]string{}
	templatesMu sync.Mutex
)

// migrated returns the name of a new database with the schema and one core tool. The logins of the tests exist on the
// cluster.
func migrated(t testing.TB, c *pgtest.Cluster) string {
	t.Helper()
	templatesMu.Lock()
	defer templatesMu.Unlock()
	if templates[c] == "" {
		name, err := c.Database(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		conn := dial(t, c, pgtest.Superuser, name)
		if _, err := pg.MigrateWith(t.Context(), conn, coreSeed); err != nil {
			t.Fatal(err)
		}
		exec(t, conn, `CREATE ROLE "user:mara" LOGIN IN ROLE toolcrib_user; CREATE ROLE "agent:claude" LOGIN IN ROLE toolcrib_agent;
			CREATE ROLE "chief:desk" LOGIN IN ROLE toolcrib_chief; CREATE ROLE looker LOGIN IN ROLE toolcrib_reader;
			CREATE ROLE gateway LOGIN IN ROLE toolcrib_server; CREATE ROLE "agent:other" LOGIN IN ROLE toolcrib_agent; CREATE ROLE nameless LOGIN IN ROLE toolcrib_agent`)
		if err := conn.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		templates[c] = name
	}
	name := c.New(t, templates[c])
	if err := c.Exec(t.Context(), "REVOKE TEMPORARY ON DATABASE "+name+" FROM PUBLIC"); err != nil { // rights are not copied from the template
		t.Fatal(err)
	}
	return name
}

// TestMigrate runs the migrations twice with a login that is not a superuser, and checks that the schema of a later
// version is rejected, and that of an earlier one is not taken for a later one.
func TestMigrate(t *testing.T) {
	t.Parallel()
	c := pgtest.Shared(t)
	database := c.New(t, "")
	if err := c.Exec(t.Context(), fmt.Sprintf("CREATE ROLE dba LOGIN CREATEROLE; GRANT CREATE ON DATABASE %s TO dba", database)); err != nil {
		t.Fatal(err)
	}
	conn := dial(t, c, "dba", database)
	done, err := pg.MigrateWith(t.Context(), conn, coreSeed)
	if want := pg.StepNumbers(); err != nil || !slices.Equal(done, want) {
		t.Fatalf("the first run did %v (%v), want %v", done, err, want)
	}
	if done, err := pg.MigrateWith(t.Context(), conn, coreSeed); err != nil || done != nil {
		t.Errorf("the second run did %v (%v)", done, err)
	}
	last := slices.Max(pg.StepNumbers())
	exec(t, conn, fmt.Sprintf("SET ROLE toolcrib_owner; DELETE FROM toolcrib.schema_migrations WHERE number = %d", last))
	if err := pg.CheckSchema(t.Context(), conn); err == nil || errors.Is(err, engine.ErrNewer) {
		t.Errorf("an older schema: %v", err)
	}
	exec(t, conn, fmt.Sprintf("INSERT INTO toolcrib.schema_migrations VALUES (%d), (9999)", last))
	if _, err := pg.MigrateWith(t.Context(), conn, coreSeed); !errors.Is(err, engine.ErrNewer) {
		t.Errorf("a newer schema: %v", err)
	}
}

// TestMigrateAtOnce creates the schema of a database concurrently in four sessions.
func TestMigrateAtOnce(t *testing.T) {
	shortrun.NeedsLong(t)
	t.Parallel()
	c := pgtest.Shared(t)
	database := c.New(t, "")
	results := make(chan error)
	for range 4 {
		conn := dial(t, c, pgtest.Superuser, database)
		go func() {
			_, err := pg.MigrateWith(t.Context(), conn, coreSeed)
			results <- err
		}()
	}
	for range 4 {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
	steps := list(t, dial(t, c, pgtest.Superuser, database), "SELECT string_agg(CAST(number AS text), ' ' ORDER BY number) FROM toolcrib.schema_migrations")
	if want := strings.Trim(fmt.Sprint(pg.StepNumbers()), "[]"); steps[0] != want {
		t.Errorf("the steps are %v", steps)
	}
}

// TestTablesMatchSQLite compares tables, columns, and indexes of the two schemas.
func TestTablesMatchSQLite(t *testing.T) {
	t.Parallel()
	c := pgtest.Shared(t)
	conn := dial(t, c, pgtest.Superuser, migrated(t, c))
	lite, err := sql.Open("sqlite", storetest.New(t).Path())
	if err != nil {
		t.Fatal(err)
	}
	defer lite.Close() //nolint:errcheck // it was only read
	compare := func(what, here, there string) {
		t.Helper()
		var joined string
		if err := lite.QueryRowContext(t.Context(), "SELECT group_concat(x, char(10)) FROM ("+there+")").Scan(&joined); err != nil {
			t.Fatal(err)
		}
		want, have := strings.Split(joined, "\n"), list(t, conn, here)
		for _, x := range want {
			if !slices.Contains(have, x) {
				t.Errorf("%s: PostgreSQL lacks %s", what, x)
			}
		}
		for _, x := range have {
			if !slices.Contains(want, x) {
				t.Errorf("%s: SQLite lacks %s", what, x)
			}
		}
	}
	compare("column", `SELECT table_name || '.' || column_name || ' ' || CASE data_type WHEN 'bigint' THEN 'INTEGER' WHEN 'bytea' THEN 'BLOB' ELSE upper(data_type) END
		FROM information_schema.columns WHERE table_schema = 'toolcrib' AND table_name NOT LIKE '%\_text' AND table_name NOT IN ('writer', 'schema_migrations')`,
		`SELECT m.name || '.' || c.name || ' ' || c.type AS x FROM sqlite_schema m, pragma_table_xinfo(m.name) c
		WHERE m.type = 'table' AND m.name NOT LIKE '%\_text%' ESCAPE '\' AND m.name NOT IN ('proposals_terms', 'sqlite_sequence', 'sqlite_stat1')`)
	compare("index", `SELECT indexname FROM pg_indexes WHERE schemaname = 'toolcrib' AND indexname NOT LIKE '%\_pkey' AND indexname NOT LIKE '%\_key'
		AND indexname NOT IN ('proposals_text', 'memories_text_lexemes', 'entities_text_lexemes')`,
		"SELECT name AS x FROM sqlite_schema WHERE type = 'index' AND sql <> ''")
}

// TestSchemaIsGuarded checks that the schema does not contain text columns with a language's collation, sequences,
// unlisted functions that run as their owner, tables without row-level security, or rights for everybody.
func TestSchemaIsGuarded(t *testing.T) {
	t.Parallel()
	c := pgtest.Shared(t)
	conn := dial(t, c, pgtest.Superuser, migrated(t, c))
	for what, query := range map[string]string{
		"a column that does not sort by bytes":  "SELECT table_name || '.' || column_name FROM information_schema.columns WHERE table_schema = 'toolcrib' AND data_type = 'text' AND collation_name IS DISTINCT FROM 'C'",
		"a sequence":                            "SELECT relname FROM pg_class WHERE relnamespace = 'toolcrib'::regnamespace AND relkind = 'S'",
		"a table without row-level security":    "SELECT relname FROM pg_class WHERE relnamespace = 'toolcrib'::regnamespace AND relkind = 'r' AND NOT relrowsecurity",
		"an object that a login owns":           "SELECT relname FROM pg_class WHERE relnamespace = 'toolcrib'::regnamespace AND relowner <> 'toolcrib_owner'::regrole",
		"a role that logs in":                   "SELECT rolname FROM pg_roles WHERE rolname LIKE 'toolcrib\\_%' AND (rolcanlogin OR rolsuper OR rolbypassrls OR rolcreaterole)",
		"a function that everybody may execute": "SELECT proname FROM pg_proc WHERE proowner = 'toolcrib_owner'::regrole AND has_function_privilege('public', oid, 'EXECUTE')",
		"a record that may be changed": `SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'seal' CROSS JOIN pg_roles r
			WHERE c.relnamespace = 'toolcrib'::regnamespace AND c.relkind = 'r' AND c.relname <> 'owners' AND r.rolname LIKE 'toolcrib\_%' AND r.rolname <> 'toolcrib_owner'
			AND (has_any_column_privilege(r.oid, c.oid, 'UPDATE') OR has_table_privilege(r.oid, c.oid, 'DELETE') OR has_table_privilege(r.oid, c.oid, 'TRUNCATE'))`,
		"a trigger function without a fixed search path": "SELECT proname FROM pg_proc WHERE pronamespace = 'toolcrib'::regnamespace AND prorettype = 'trigger'::regtype AND proconfig IS DISTINCT FROM ARRAY['search_path=toolcrib, pg_temp']",
	} {
		if found := list(t, conn, query); len(found) > 0 {
			t.Errorf("%s: %v", what, found)
		}
	}
	definers := list(t, conn, "SELECT proname FROM pg_proc WHERE pronamespace = 'toolcrib'::regnamespace AND prosecdef ORDER BY proname COLLATE \"C\"")
	if want := []string{"close_call", "count_proposal", "count_task", "forget_open_call", "forget_rules", "list_rules", "list_signed", "open_call", "queue_export"}; !slices.Equal(definers, want) {
		t.Errorf("functions that run as their owner: %v, want %v", definers, want)
	}
}

// TestFunctionsOfSQLite compares the functions that the schema adds with the functions of SQLite of the same name.
func TestFunctionsOfSQLite(t *testing.T) {
	t.Parallel()
	c := pgtest.Shared(t)
	conn := dial(t, c, pgtest.Superuser, migrated(t, c))
	exec(t, conn, "SET search_path = toolcrib")
	lite, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer lite.Close() //nolint:errcheck // it holds nothing
	for _, expression := range []string{
		`instr('agent:x', ':')`, `instr('agent', ':')`, `instr('', 'x')`, `instr('äß:', ':')`,
		`json_extract('{"a":{"b":"c"}}', '$.a.b')`, `json_extract('{"a":{"b":1}}', '$.a')`, `json_extract('{"a":null}', '$.a')`,
		`json_extract('{}', '$.a.b')`, `json_extract('["x","y"]', '$[1]')`, `json_extract('[[1,"é"]]', '$[0]')`, `json_extract('"x"', '$')`, `json_extract('{"a":["x","y"]}', '$.a[1]')`,
		`(SELECT count(*) FROM json_each('["b","a"]', '$'))`, `(SELECT max(value) FROM json_each('{"a":["b","a"]}', '$.a'))`,
		`(SELECT count(*) FROM json_each('{}', '$.findings'))`, `(SELECT max(json_extract(f.value, '$.rule')) FROM json_each('{"f":[{"rule":"T1"},{"rule":"T2"}]}', '$.f') f)`,
		`(SELECT count(*) FROM json_each('[]', '$'))`,
	} {
		var here, there sql.NullString
		if err := conn.QueryRow(t.Context(), "SELECT CAST("+expression+" AS text)").Scan(&here); err != nil {
			t.Errorf("%s: %v", expression, err)
			continue
		}
		if err := lite.QueryRowContext(t.Context(), "SELECT CAST("+expression+" AS text)").Scan(&there); err != nil {
			t.Errorf("%s: %v", expression, err)
		}
		if here != there {
			t.Errorf("%s is %v, and %v in SQLite", expression, here, there)
		}
	}
}
