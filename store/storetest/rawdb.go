package storetest

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"toolcrib/store/pg"
)

// RawDB is a direct connection to a database that bypasses toolcrib. On a server, it connects as a superuser.
type RawDB struct {
	*sql.DB

	script func(statements string) string // adds statements that disable and restore triggers and constraints
	engine triggerSQL
}

// triggerSQL contains the statements that differ between the engines.
type triggerSQL struct {
	triggers string // selects the name and the statement of each trigger, by name
	drop     string // drops a trigger
}

var (
	sqliteTriggers = triggerSQL{
		triggers: "SELECT name, '', sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY name",
		drop:     "DROP TRIGGER %s%.0s",
	}
	postgresTriggers = triggerSQL{
		triggers: `SELECT tgname, relname, pg_get_triggerdef(t.oid) FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid
			WHERE relnamespace = 'toolcrib'::regnamespace AND NOT tgisinternal ORDER BY tgname`,
		drop: "DROP TRIGGER %s ON %s",
	}
)

// RawDB returns a direct connection, which is closed when the test ends.
func (d *Database) RawDB(t testing.TB) *RawDB {
	t.Helper()
	db, err := openRaw(d.Path())
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = db.Close() })
	if pg.IsURL(d.Path()) {
		return &RawDB{DB: db, engine: postgresTriggers, script: withoutLocks}
	}
	if _, err := db.ExecContext(t.Context(), "PRAGMA synchronous = OFF"); err != nil {
		t.Fatal(err)
	}
	h := &RawDB{DB: db, engine: sqliteTriggers}
	h.script = func(statements string) string { return h.withoutTriggers(t, statements) }
	return h
}

// Triggers returns the triggers of the schema.
func (h *RawDB) Triggers(ctx context.Context) (triggers []Trigger, err error) {
	rows, err := h.QueryContext(ctx, h.engine.triggers)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var t Trigger
		if err := rows.Scan(&t.Name, &t.Table, &t.SQL); err != nil {
			return nil, err
		}
		t.Drop = fmt.Sprintf(h.engine.drop, t.Name, t.Table)
		triggers = append(triggers, t)
	}
	return triggers, rows.Err()
}

// Trigger is a trigger with the statements that drop and create it.
type Trigger struct {
	Name, Table, Drop, SQL string // Table is "" for SQLite
}

// Unlocked executes statements while triggers, foreign keys, and CHECK constraints are disabled. It then enables them
// again. Only the effect of the statements remains.
func (h *RawDB) Unlocked(ctx context.Context, statements string) error {
	_, err := h.ExecContext(ctx, h.script(statements))
	return err
}

// withoutLocks implements Unlocked for PostgreSQL. A table with a negative number of checks has no effective CHECK
// constraints.
func withoutLocks(statements string) string {
	const turn = "UPDATE pg_catalog.pg_class SET relchecks = -relchecks WHERE relnamespace = 'toolcrib'::regnamespace"
	return strings.Join([]string{
		"BEGIN", "SET LOCAL session_replication_role = replica", "SET LOCAL allow_system_table_mods = on",
		turn, statements, turn, "COMMIT",
	}, ";\n")
}

// withoutTriggers implements Unlocked for SQLite.
func (h *RawDB) withoutTriggers(t testing.TB, statements string) string {
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
