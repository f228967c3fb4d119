package store_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/store"
	"toolcrib/store/pg"
	"toolcrib/store/pg/pgtest"
	"toolcrib/store/storetest"
)

// enqueue writes the given proposals with one revision each, bypassing the desk, for tests of lists and lookups. It fills
// in empty fields.
func enqueue(t testing.TB, d *storetest.Database, ps ...proposals.Proposal) []proposals.Proposal {
	t.Helper()
	err := d.Update(t.Context(), func(tx review.Tx) error {
		for i := range ps {
			complete(d, &ps[i])
			p := ps[i]
			p.State = proposals.Drafted
			revision := proposals.Revision{
				Proposal: p.ID, Number: 1, Draft: proposals.Draft{Type: p.Type, Subject: p.Subject, ChangeSet: p.ChangeSet},
				ContentHash: p.ContentHash, Author: p.Author, CreatedAt: p.CreatedAt,
			}
			if _, err := tx.AddProposal(t.Context(), p, revision, nil); err != nil {
				return err
			}
			if ps[i].State == proposals.Drafted {
				continue
			}
			p.State = ps[i].State
			if err := tx.MoveProposal(t.Context(), p, proposals.Drafted); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return ps
}

func complete(d *storetest.Database, p *proposals.Proposal) {
	if p.ID == "" {
		p.ID = proposals.ID(d.NewID())
	}
	if p.Type == "" {
		p.Type = proposals.New
	}
	if p.State == "" {
		p.State = proposals.Drafted
	}
	if p.Subject.ID == "" {
		p.Subject = storetest.Prompt("scene_pacer").Subject
	}
	if p.Author == (proposals.Actor{}) {
		p.Author = proposals.Actor{Kind: proposals.User, Name: "ada"}
	}
	p.Revision, p.CreatedAt = 1, d.Clock.Now()
	p.UpdatedAt = p.CreatedAt
}

// openOn creates a database on a server and opens it. If dial is not nil, it returns the URL to use instead of the
// given one. The database is closed at the end of the test.
func openOn(t testing.TB, c *pgtest.Cluster, dial func(url string) string) *storetest.Database {
	t.Helper()
	name, err := c.Database(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	clock, url := storetest.NewClock(), c.URL(pgtest.Superuser, name)
	if _, err := store.Migrate(t.Context(), url, store.Options{Now: clock.Now, NewID: storetest.IDs(0xffff)}); err != nil {
		t.Fatal(err)
	}
	if dial != nil {
		url = dial(url)
	}
	return storetest.Open(t, url)
}

// onEngine returns the value for the engine of the tests.
func onEngine[T any](sqlite, postgres T) T {
	if storetest.OnPostgres() {
		return postgres
	}
	return sqlite
}

// numbers returns the names of a table's numeric columns, in order.
func (h rawDB) numbers(ctx context.Context, table string) ([]string, error) {
	if pg.IsURL(h.file.Path()) {
		return h.columnNames(ctx, table, " AND atttypid = 'bigint'::regtype")
	}
	return h.columnNames(ctx, table, " WHERE type = 'INTEGER'")
}

// columnNames returns the names of a table's columns that satisfy a condition, in order. The tests of an engine also
// open files of SQLite.
func (h rawDB) columnNames(ctx context.Context, table, condition string) (names []string, err error) {
	query := "SELECT name FROM pragma_table_info('%s')%s ORDER BY cid"
	if pg.IsURL(h.file.Path()) {
		query = "SELECT quote_ident(attname) FROM pg_attribute WHERE attrelid = 'toolcrib.%s'::regclass AND attnum > 0 AND NOT attisdropped%s ORDER BY attnum"
	}
	rows, err := h.conn.QueryContext(ctx, fmt.Sprintf(query, table, condition))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, rows.Err()
}

// literal returns an SQL expression that formats a column's value as an SQL literal.
func literal(column string) string { return onEngine("quote(", "quote_literal(") + column + ")" }

// sqlBytes returns b as an SQL literal.
func sqlBytes(b []byte) string { return fmt.Sprintf(onEngine("x'%x'", `'\x%x'::bytea`), b) }

// conflictClauses returns the conflict clauses of the engine.
func conflictClauses() []string {
	return onEngine([]string{"", "OR ROLLBACK", "OR ABORT", "OR FAIL", "OR IGNORE", "OR REPLACE"}, []string{""})
}

// laxSettings returns statements that configure the checks of a session: first all checks, then as few as possible with
// triggers enabled.
func laxSettings() []string {
	return onEngine(
		[]string{"PRAGMA foreign_keys = ON", "PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON; PRAGMA recursive_triggers = ON"},
		[]string{"SET check_function_bodies = on", "SET row_security = off; SET constraint_exclusion = off"},
	)
}

// triggerMore returns the statement that creates a trigger named more, which has no effect.
func triggerMore() string {
	return onEngine("CREATE TRIGGER more AFTER INSERT ON decisions BEGIN SELECT 1; END",
		"CREATE TRIGGER more BEFORE UPDATE ON decisions FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()")
}

// weakened returns a statement that replaces a trigger with one without effect, or "".
func weakened(t storetest.Trigger) string {
	if t.Table == "" {
		if !strings.Contains(t.SQL, "RAISE(ABORT") || strings.Contains(t.SQL, "_pending_export") {
			return ""
		}
		return t.SQL[:strings.LastIndex(t.SQL, "BEGIN")] + "BEGIN SELECT 1; END"
	}
	function := strings.LastIndex(t.SQL, "EXECUTE FUNCTION")
	return t.SQL[:function] + "EXECUTE FUNCTION pg_catalog.suppress_redundant_updates_trigger()"
}
