package store_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/registry/shipped"
	"toolcrib/store/storetest"
)

// recordTables lists the tables of history. Rows can only be added to them.
var recordTables = []string{"versions", "revisions", "assessments", "decisions", "waivers", "comments", "events", "pending_calls", "call_answers", "call_tiers", "tokens", "token_revocations", "calls", "call_outcomes", "call_prunes"}

// rawDB is a direct connection to the database, as a person with a database tool has it.
type rawDB struct {
	*testing.T
	file *storetest.Database
	conn *storetest.RawDB
}

func openRawDB(t *testing.T, db *storetest.Database) rawDB {
	t.Helper()
	return rawDB{T: t, file: db, conn: db.RawDB(t)}
}

func (h rawDB) exec(ctx context.Context, statement string) error {
	_, err := h.conn.ExecContext(ctx, statement)
	return err
}

// text returns the single value of a query.
func (h rawDB) text(query string, args ...any) string {
	h.Helper()
	var s string
	if err := h.conn.QueryRowContext(h.Context(), query, args...).Scan(&s); err != nil {
		h.Fatalf("%s: %v", query, err)
	}
	return s
}

func (h rawDB) columns(table string) []string {
	h.Helper()
	names, err := h.columnNames(h.Context(), table, "")
	if err != nil {
		h.Fatal(err)
	}
	return names
}

// unlocked runs statements after removing the triggers that protect the tables.
func (h rawDB) unlocked(statements string) {
	h.Helper()
	if err := h.conn.Unlocked(h.Context(), statements); err != nil {
		h.Fatalf("%s: %v", statements, err)
	}
}

// TestHistoryCannotBeChangedBySQL tries to change or delete each row of each history table with every kind of SQL
// statement. All of them must fail or have no effect.
func TestHistoryCannotBeChangedBySQL(t *testing.T) {
	shortrun.OneGoroutine(t)
	db := full(t)
	h := openRawDB(t, db)
	for round, setting := range laxSettings() {
		if err := h.exec(t.Context(), setting); err != nil {
			t.Fatal(err)
		}
		for i, table := range recordTables {
			if (i+round)%stride != 0 {
				continue
			}
			t.Run(table, func(t *testing.T) {
				h := rawDB{T: t, file: db, conn: h.conn}
				h.changesNothing(h.updates(table)...)
				h.changesNothing(h.deletes(table)...)
				h.changesNothing(h.replacements(table)...)
			})
		}
	}
	if report := verify(t, db); len(report.Damage) > 0 {
		t.Errorf("afterwards there is damage: %+v", report.Damage)
	}
}

// changesNothing runs statements and checks that none of them changes a row.
func (h rawDB) changesNothing(statements ...string) {
	h.Helper()
	before := h.file.Dump(h)
	for i, s := range statements {
		if i%stride != 0 {
			continue
		}
		err := h.exec(h.Context(), s)
		if err == nil && !strings.Contains(s, "OR IGNORE") && !strings.Contains(s, "DO NOTHING") {
			h.Errorf("accepted: %s", s)
		}
	}
	for _, line := range storetest.Difference(before, h.file.Dump(h)) {
		h.Errorf("changed: %s", line)
	}
}

func (h rawDB) updates(table string) []string {
	var all []string
	for _, column := range h.columns(table) {
		for _, clause := range conflictClauses() {
			all = append(all,
				fmt.Sprintf("UPDATE %s %s SET %s = %s", clause, table, column, column),
				fmt.Sprintf("UPDATE %s %s SET %s = 'x' WHERE seq = (SELECT min(seq) FROM %s)", table, clause, column, table),
				fmt.Sprintf("UPDATE %s %s SET %s = 7 WHERE seq = (SELECT max(seq) FROM %s)", clause, table, column, table),
			)
		}
	}
	for i, s := range all {
		if _, rest, ok := strings.Cut(s, table+" OR "); ok {
			all[i] = "UPDATE OR " + strings.Replace(rest, " SET", " "+table+" SET", 1)
		}
	}
	return append(all,
		fmt.Sprintf("UPDATE %[1]s SET seq = seq + 1000", table),
		fmt.Sprintf("UPDATE OR REPLACE %[1]s SET seq = (SELECT min(seq) FROM %[1]s) WHERE seq = (SELECT max(seq) FROM %[1]s)", table),
		fmt.Sprintf("UPDATE %[1]s SET seq = o.seq FROM %[1]s o WHERE o.seq = %[1]s.seq", table),
		fmt.Sprintf("WITH all_rows AS (SELECT seq FROM %[1]s) UPDATE %[1]s SET seq = seq WHERE seq IN all_rows", table),
	)
}

func (h rawDB) deletes(table string) []string {
	return []string{
		"DELETE FROM " + table,
		fmt.Sprintf("DELETE FROM %[1]s WHERE seq = (SELECT min(seq) FROM %[1]s)", table),
		fmt.Sprintf("DELETE FROM %[1]s WHERE seq = (SELECT max(seq) FROM %[1]s)", table),
		"DELETE FROM " + table + " WHERE true RETURNING *",
	}
}

// replacements returns statements that replace rows by their key: with the same seq, with the next one, with none, and
// with a much larger one, each with unchanged and with modified columns. A row of a chain follows the last one
// correctly, so that only its other keys conflict.
func (h rawDB) replacements(table string) []string {
	columns := h.columns(table)
	list := strings.Join(columns, ", ")
	var all []string
	for _, seq := range []string{"seq", fmt.Sprintf("(SELECT max(seq) + 1 FROM %s)", table), "NULL", "seq + 100000"} {
		for _, spoil := range append([]string{""}, columns[1:]...) {
			values := slices.Clone(columns)
			values[0] = seq
			for i, c := range columns {
				switch {
				case c == spoil:
					values[i] = c + " || ''"
				case c == "prev_hash" && table == "events" && seq != "seq":
					values[i] = "(SELECT hash FROM events ORDER BY seq DESC LIMIT 1)"
				}
			}
			if spoil == "note" || spoil == "body" || spoil == "data" || spoil == "report" {
				values[slices.Index(columns, spoil)] = "'forged'"
			}
			row := fmt.Sprintf("SELECT %s FROM %s ORDER BY seq LIMIT 1", strings.Join(values, ", "), table)
			for _, clause := range conflictClauses() {
				all = append(all, fmt.Sprintf("INSERT %s INTO %s (%s) %s", clause, table, list, row))
			}
			all = append(all,
				fmt.Sprintf("REPLACE INTO %s (%s) %s", table, list, row),
				fmt.Sprintf("INSERT INTO %[1]s (%[2]s) SELECT * FROM (%[3]s) r WHERE true ON CONFLICT DO NOTHING", table, list, row),
			)
			for _, c := range columns[1:] {
				if spoil != "" && spoil != c {
					continue // the column set by the conflict matters only if the row is otherwise valid
				}
				all = append(all, fmt.Sprintf("INSERT INTO %[1]s (%[2]s) SELECT * FROM (%[3]s) r WHERE true ON CONFLICT DO UPDATE SET %[4]s = 'forged'", table, list, row, c))
			}
		}
	}
	return all
}

// TestCoreCannotBeChangedBySQL tries to modify each core tool: its live row, its version, its name, its hash, rows for
// it in other layers, and its name as an alias of other tools.
func TestCoreCannotBeChangedBySQL(t *testing.T) {
	shortrun.OneGoroutine(t)
	db := full(t)
	h := openRawDB(t, db)
	live := strings.Join(h.columns("live"), ", ")
	for id := range shipped.CoreHashes() {
		subject := "tool:global/" + id
		var all []string
		for _, clause := range conflictClauses() {
			for _, c := range h.columns("live") {
				all = append(all,
					fmt.Sprintf("UPDATE %s live SET %s = %s WHERE subject = '%s'", clause, c, c, subject),
					fmt.Sprintf("UPDATE %s live SET version = version + 1, %s = 'x' WHERE subject = '%s'", clause, c, subject),
				)
			}
			all = append(all,
				fmt.Sprintf("UPDATE %s live SET subject = '%s', kind = 'tool', layer = 'global', id = '%s' WHERE subject = 'tool:user/scene_pacer'", clause, subject, id),
				fmt.Sprintf("UPDATE %s live SET subject = 'tool:user/%s', id = '%s' WHERE subject = 'tool:user/scene_pacer'", clause, id, id),
				fmt.Sprintf("INSERT %s INTO live (%s) SELECT %s FROM live WHERE subject = '%s'", clause, live, live, subject),
				fmt.Sprintf("INSERT %s INTO live (%s) SELECT %s FROM live WHERE subject = 'tool:user/scene_pacer'", clause, live,
					renamed(live, map[string]string{"subject": "'tool:user/" + id + "'", "id": "'" + id + "'"})),
				fmt.Sprintf("INSERT %s INTO names VALUES ('%s', 'tool:user/scene_pacer')", clause, id),
				fmt.Sprintf("INSERT %s INTO names VALUES ('%s', '%s')", clause, id, subject),
				fmt.Sprintf("UPDATE %s names SET name = '%s' WHERE name = 'pace_scene'", clause, id),
				fmt.Sprintf("UPDATE %s names SET name = 'free' WHERE name = '%s'", clause, id),
				fmt.Sprintf("UPDATE %s names SET subject = 'tool:user/scene_pacer' WHERE name = '%s'", clause, id),
				fmt.Sprintf("INSERT %s INTO core VALUES ('%s', '%064d')", clause, id, 0),
				fmt.Sprintf("INSERT %s INTO core VALUES ('more', '%064d')", clause, 0),
				fmt.Sprintf("UPDATE %s core SET content_hash = '%064d' WHERE id = '%s'", clause, 0, id),
				fmt.Sprintf("UPDATE %s core SET id = 'more' WHERE id = '%s'", clause, id),
			)
			for _, layer := range []string{"global", "user", "project/novel"} {
				all = append(all, h.versionOf(clause, layer, id), h.proposalFor(clause, layer, id))
			}
		}
		all = append(all,
			fmt.Sprintf("DELETE FROM live WHERE subject = '%s'", subject), fmt.Sprintf("DELETE FROM names WHERE name = '%s'", id),
			fmt.Sprintf("DELETE FROM core WHERE id = '%s'", id), "DELETE FROM core", "DELETE FROM names", "DELETE FROM live",
		)
		h.changesNothing(all...)
	}
}

// renamed returns a list of columns in which some are replaced by expressions.
func renamed(list string, expressions map[string]string) string {
	columns := strings.Split(list, ", ")
	for i, c := range columns {
		if e, ok := expressions[c]; ok {
			columns[i] = e
		}
	}
	return strings.Join(columns, ", ")
}

// versionOf appends the next version of a core tool in a layer.
func (h rawDB) versionOf(clause, layer, id string) string {
	list := strings.Join(h.columns("versions"), ", ")
	number, prev := "1", "''"
	if layer == "global" {
		number, prev = "2", "hash"
	}
	return fmt.Sprintf("INSERT %s INTO versions (%s) SELECT %s FROM versions WHERE subject = 'tool:global/%s'", clause, list, renamed(list, map[string]string{
		"seq": "(SELECT max(seq) + 1 FROM versions)", "layer": "'" + layer + "'", "subject": "'tool:" + layer + "/" + id + "'", "number": number, "prev_hash": prev,
	}), id)
}

// proposalFor adds a proposal for a core tool in a layer.
func (h rawDB) proposalFor(clause, layer, id string) string {
	list := strings.Join(h.columns("proposals"), ", ")
	return fmt.Sprintf("INSERT %s INTO proposals (%s) SELECT %s FROM proposals LIMIT 1", clause, list, renamed(list, map[string]string{
		"seq": "(SELECT max(seq) + 1 FROM proposals)", "id": "'01990000-ffff-7000-8000-000000000000'", "layer": "'" + layer + "'",
		"subject": "'tool:" + layer + "/" + id + "'", "subject_id": "'" + id + "'", "kind": "'tool'",
	}))
}
