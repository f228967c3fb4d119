package store_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review/impact"
	"toolcrib/review/service"
	"toolcrib/store/pg"
	"toolcrib/store/pg/pgtest"
	"toolcrib/store/storetest"
)

// BenchmarkPostgresApprove compares an approval on PostgreSQL, over a local socket to a server that syncs every commit,
// with a transaction that writes the same rows into a copy of the database.
func BenchmarkPostgresApprove(b *testing.B) {
	c := pgtest.Private(b, pgtest.Options{Durable: true})
	const approvals = 200
	db := openOn(b, c, nil)
	waiting := fresh(b, db, benchDesk(b, db), approvals)
	url := db.Path()
	if err := db.Close(); err != nil {
		b.Fatal(err)
	}
	name, err := c.Database(b.Context(), url[strings.LastIndex(url, "/")+1:strings.Index(url, "?")])
	if err != nil {
		b.Fatal(err)
	}
	db = storetest.Open(b, url)
	for range 100 * approvals {
		db.NewID() // skip the ids that were already used
	}
	desk := benchDesk(b, db)
	from, to := openByHand(b, url), openByHand(b, c.URL(pgtest.Superuser, name))
	keys := primaryKeys(b, from)
	var took [2][]float64
	rows := 0
	for b.Loop() {
		if len(waiting) == 0 {
			b.Fatalf("run it with a -benchtime of at most %dx", approvals)
		}
		start := time.Now()
		if _, err := desk.Deciding.Approve(b.Context(), ada, waiting[:1], ""); err != nil {
			b.Fatal(err)
		}
		took[0] = append(took[0], float64(time.Since(start).Microseconds()))
		waiting = waiting[1:]
		writes := lastWrites(b, from, to, keys)
		rows = len(writes)
		start = time.Now()
		if err := replay(b.Context(), to, writes); err != nil {
			b.Fatal(err)
		}
		took[1] = append(took[1], float64(time.Since(start).Microseconds()))
	}
	approve, byHand := median(took[0]), median(took[1])
	b.ReportMetric(approve, "approve-us")
	b.ReportMetric(byHand, "by-hand-us")
	b.ReportMetric(float64(rows), "rows")
	b.ReportMetric(approve/byHand, "ratio")
}

func openByHand(b *testing.B, url string) *pgx.Conn {
	b.Helper()
	conn, err := pgx.Connect(b.Context(), url+"&search_path="+pg.Schema)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = conn.Close(context.Background()) }) //nolint:usetesting // the test's context has ended
	return conn
}

// primaryKeys returns the columns of the primary key of each table.
func primaryKeys(b *testing.B, conn *pgx.Conn) map[string][]string {
	b.Helper()
	keys := map[string][]string{}
	rows, err := conn.Query(b.Context(), `SELECT c.relname::text, a.attname::text FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
		JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY (i.indkey)
		WHERE i.indisprimary AND c.relnamespace = $1::regnamespace ORDER BY 1, a.attnum`, pg.Schema)
	if err != nil {
		b.Fatal(err)
	}
	var table, column string
	if _, err := pgx.ForEachRow(rows, []any{&table, &column}, func() error {
		keys[table] = append(keys[table], column)
		return nil
	}); err != nil {
		b.Fatal(err)
	}
	return keys
}

// loggedWrite is a statement of a hand-written transaction.
type loggedWrite struct {
	statement string
	args      []any
	command   int64 // its index in the transaction
}

// lastWrites returns statements that write the rows of the last transaction to another database.
func lastWrites(b *testing.B, from, to *pgx.Conn, keys map[string][]string) []loggedWrite {
	b.Helper()
	list, err := from.Query(b.Context(), `SELECT c.relname || '.' || a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
		WHERE c.relnamespace = $1::regnamespace AND a.attgenerated <> ''`, pg.Schema)
	if err != nil {
		b.Fatal(err)
	}
	generated, err := pgx.CollectRows(list, pgx.RowTo[string])
	if err != nil {
		b.Fatal(err)
	}
	var writes []loggedWrite
	for _, table := range slices.Sorted(maps.Keys(keys)) {
		rows, err := from.Query(b.Context(), "SELECT t.*, CAST(CAST(t.cmin AS text) AS bigint) AS command FROM "+table+" t WHERE t.xmin = (SELECT xmin FROM events ORDER BY seq DESC LIMIT 1)")
		if err != nil {
			b.Fatal(err)
		}
		found, err := pgx.CollectRows(rows, pgx.RowToMap)
		if err != nil {
			b.Fatal(err)
		}
		for _, row := range found {
			command := row["command"].(int64)
			maps.DeleteFunc(row, func(column string, _ any) bool {
				return column == "command" || slices.Contains(generated, table+"."+column)
			})
			w := handWritten(b, to, table, keys[table], row)
			w.command = command
			writes = append(writes, w)
		}
	}
	slices.SortStableFunc(writes, func(x, y loggedWrite) int { return cmp.Compare(x.command, y.command) })
	return writes
}

// handWritten returns an UPDATE if the row exists, and an INSERT otherwise.
func handWritten(b *testing.B, to *pgx.Conn, table string, key []string, row map[string]any) loggedWrite {
	b.Helper()
	var w loggedWrite
	param := func(column string) string {
		w.args = append(w.args, row[column])
		return fmt.Sprintf("$%d", len(w.args))
	}
	same := make([]string, len(key))
	for i, column := range key {
		same[i] = column + " = " + param(column)
	}
	where := " WHERE " + strings.Join(same, " AND ")
	var exists bool
	if err := to.QueryRow(b.Context(), "SELECT EXISTS (SELECT 1 FROM "+table+where+")", w.args...).Scan(&exists); err != nil {
		b.Fatal(err)
	}
	var set, columns, values []string
	if !exists {
		w.args = nil
	}
	for _, column := range slices.Sorted(maps.Keys(row)) {
		if exists && slices.Contains(key, column) {
			continue
		}
		p := param(column)
		set, columns, values = append(set, column+" = "+p), append(columns, column), append(values, p)
	}
	if exists {
		w.statement = "UPDATE " + table + " SET " + strings.Join(set, ", ") + where
	} else {
		w.statement = "INSERT INTO " + table + " (" + strings.Join(columns, ", ") + ") VALUES (" + strings.Join(values, ", ") + ") ON CONFLICT DO NOTHING" // a trigger may already have counted
	}
	return w
}

func replay(ctx context.Context, conn *pgx.Conn, writes []loggedWrite) error {
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		for _, w := range writes {
			if _, err := tx.Exec(ctx, w.statement, w.args...); err != nil {
				return fmt.Errorf("%s: %w", w.statement, err)
			}
		}
		return nil
	})
}

// BenchmarkConfigReads compares how long both engines need to read an agent with 1,000 tools for a channel: with a desk
// that has read it before, and with a new one.
func BenchmarkConfigReads(b *testing.B) {
	storetest.NeedsFile(b)
	onServer := openOn(b, pgtest.Private(b, pgtest.Options{}), nil)
	dbs := []*storetest.Database{storetest.New(b), onServer}
	desks := make([]*service.Desk, len(dbs))
	for n, db := range dbs {
		desks[n] = benchDesk(b, db)
		drafts, tools := make([]proposals.Draft, 1000), make([]string, 1000)
		for i := range drafts {
			drafts[i] = storetest.Action(fmt.Sprintf("get_invoices_%d", i))
			tools[i] = drafts[i].Definition.Tool.ID
		}
		agent := storetest.Agent("scout")
		agent.Definition.Agent.AllowList = &registry.AllowList{Tools: tools}
		db.Approved(b, desks[n], ada, drafts...)
		db.Approved(b, desks[n], ada, agent)
	}
	scene := impact.Scene{Layer: registry.LayerUser, Where: registry.Context{IncludeDeferred: true}}
	for _, again := range []bool{true, false} {
		b.Run(map[bool]string{true: "again", false: "first"}[again], func(b *testing.B) {
			var took [2][]float64
			for i := 0; b.Loop(); i++ {
				for k := range dbs {
					n := (i + k) % 2 // alternate, so that the load of the machine affects both equally
					desk := desks[n]
					if !again {
						desk = benchDesk(b, dbs[n])
					}
					start := time.Now()
					if _, err := desk.Impact.Preview(b.Context(), nil, "scout", scene); err != nil {
						b.Fatal(err)
					}
					took[n] = append(took[n], float64(time.Since(start).Microseconds()))
				}
			}
			file, server := median(took[0]), median(took[1])
			b.ReportMetric(file, "sqlite-us")
			b.ReportMetric(server, "postgres-us")
			b.ReportMetric(server/file, "ratio")
		})
	}
}
