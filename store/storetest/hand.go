package storetest

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"toolcrib/store/pg"
)

// Hand is a direct connection to the database, on a server as a superuser.
type Hand struct {
	*sql.DB

	script func(statements string) string // without the locks
	engine handEngine
}

// handEngine has the statements that differ between the engines.
type handEngine struct {
	columns  string // the names of a table's columns, in order
	numbers  string // those that hold numbers
	triggers string // name and statement of each trigger, by name
	literal  string // of a column's value
	drop     string // of a trigger
	bytes    string // a literal
	clauses  []string
}

var (
	sqliteHand = handEngine{
		columns:  "SELECT name FROM pragma_table_info('%s') ORDER BY cid",
		numbers:  "SELECT name FROM pragma_table_info('%s') WHERE type = 'INTEGER' ORDER BY cid",
		triggers: "SELECT name, '', sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY name",
		literal:  "quote(%s)",
		drop:     "DROP TRIGGER %s%.0s",
		bytes:    "x'%x'",
		clauses:  []string{"", "OR ROLLBACK", "OR ABORT", "OR FAIL", "OR IGNORE", "OR REPLACE"},
	}
	postgresHand = handEngine{
		columns: "SELECT quote_ident(attname) FROM pg_attribute WHERE attrelid = 'toolcrib.%s'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum",
		numbers: "SELECT quote_ident(attname) FROM pg_attribute WHERE attrelid = 'toolcrib.%s'::regclass AND attnum > 0 AND NOT attisdropped AND atttypid = 'bigint'::regtype ORDER BY attnum",
		triggers: `SELECT tgname, relname, pg_get_triggerdef(t.oid) FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid
			WHERE relnamespace = 'toolcrib'::regnamespace AND NOT tgisinternal ORDER BY tgname`,
		literal: "quote_literal(%s)",
		drop:    "DROP TRIGGER %s ON %s",
		bytes:   `'\x%x'::bytea`,
		clauses: []string{""},
	}
)

// Hand returns a connection past toolcrib, which is closed when the test ends.
func (d *Database) Hand(t testing.TB) *Hand {
	t.Helper()
	db, err := byHand(d.Path())
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = db.Close() })
	if pg.IsURL(d.Path()) {
		return &Hand{DB: db, engine: postgresHand, script: withoutLocks}
	}
	if _, err := db.ExecContext(t.Context(), "PRAGMA synchronous = OFF"); err != nil {
		t.Fatal(err)
	}
	h := &Hand{DB: db, engine: sqliteHand}
	h.script = func(statements string) string { return h.withoutTriggers(t, statements) }
	return h
}

// Triggers returns the triggers of the schema.
func (h *Hand) Triggers(ctx context.Context) (triggers []Trigger, err error) {
	rows, err := h.QueryContext(ctx, h.engine.triggers)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var t Trigger
		if err := rows.Scan(&t.Name, &t.table, &t.SQL); err != nil {
			return nil, err
		}
		t.Drop = fmt.Sprintf(h.engine.drop, t.Name, t.table)
		t.Weak = t.weak()
		triggers = append(triggers, t)
	}
	return triggers, rows.Err()
}

// Trigger is a trigger, and the statements that drop it, create it, and replace it by one without effect.
type Trigger struct {
	Name, Drop, SQL, Weak string

	table string
}

func (t Trigger) weak() string {
	if t.table == "" {
		if !strings.Contains(t.SQL, "RAISE(ABORT") || strings.Contains(t.SQL, "_pending_export") {
			return ""
		}
		return t.SQL[:strings.LastIndex(t.SQL, "BEGIN")] + "BEGIN SELECT 1; END"
	}
	function := strings.LastIndex(t.SQL, "EXECUTE FUNCTION")
	return t.SQL[:function] + "EXECUTE FUNCTION pg_catalog.suppress_redundant_updates_trigger()"
}

// Columns returns the names of a table's columns, and Numbers of those that hold
// numbers.
func (h *Hand) Columns(ctx context.Context, table string) ([]string, error) {
	return collect(ctx, h.DB, fmt.Sprintf(h.engine.columns, table))
}

// Numbers is described at Columns.
func (h *Hand) Numbers(ctx context.Context, table string) ([]string, error) {
	return collect(ctx, h.DB, fmt.Sprintf(h.engine.numbers, table))
}

// Literal returns the expression that writes a column's value as SQL.
func (h *Hand) Literal(column string) string { return fmt.Sprintf(h.engine.literal, column) }

// Bytes returns b as SQL.
func Bytes(b []byte) string {
	if OnPostgres() {
		return fmt.Sprintf(postgresHand.bytes, b)
	}
	return fmt.Sprintf(sqliteHand.bytes, b)
}

// ConflictClauses are the conflict clauses of the engine.
func ConflictClauses() []string {
	if OnPostgres() {
		return postgresHand.clauses
	}
	return sqliteHand.clauses
}

// LaxSettings returns statements that set the checks of a session: all of them, and then as few as possible with
// triggers enabled.
func LaxSettings() []string {
	if OnPostgres() {
		return []string{"SET check_function_bodies = on", "SET row_security = off; SET constraint_exclusion = off"}
	}
	return []string{"PRAGMA foreign_keys = ON", "PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON; PRAGMA recursive_triggers = ON"}
}

// Unlocked runs statements without triggers, foreign keys, and CHECK constraints, and restores these afterward, so that
// only the effect of the statements remains.
func (h *Hand) Unlocked(ctx context.Context, statements string) error {
	_, err := h.ExecContext(ctx, h.script(statements))
	return err
}

// withoutLocks is Unlocked on a server, for a superuser: a table without a number of
// CHECKs has none.
func withoutLocks(statements string) string {
	const turn = "UPDATE pg_catalog.pg_class SET relchecks = -relchecks WHERE relnamespace = 'toolcrib'::regnamespace"
	return strings.Join([]string{
		"BEGIN", "SET LOCAL session_replication_role = replica", "SET LOCAL allow_system_table_mods = on",
		turn, statements, turn, "COMMIT",
	}, ";\n")
}

// withoutTriggers is Unlocked on SQLite.
func (h *Hand) withoutTriggers(t testing.TB, statements string) string {
	t.Helper()
	triggers, err := h.Triggers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	script := []string{"PRAGMA foreign_keys = OFF", "PRAGMA ignore_check_constraints = ON", "BEGIN"}
	for _, trigger := range triggers {
		script = append(script, trigger.Drop)
	}
	script = append(script, statements)
	for _, trigger := range triggers {
		script = append(script, trigger.SQL)
	}
	return strings.Join(append(script, "COMMIT"), ";\n")
}

// TriggerMore returns the statement that creates a trigger named more, which has no effect.
func TriggerMore() string {
	if OnPostgres() {
		return "CREATE TRIGGER more BEFORE UPDATE ON decisions FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()"
	}
	return "CREATE TRIGGER more AFTER INSERT ON decisions BEGIN SELECT 1; END"
}
