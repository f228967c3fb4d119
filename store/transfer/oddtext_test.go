package transfer_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"toolcrib/history"
	"toolcrib/internal/shortrun"
	"toolcrib/store/pg/pgtest"
	"toolcrib/store/storetest"
	"toolcrib/store/transfer"
)

// oddText is a text that is special in SQL, in COPY, and in the order of a language.
const oddText = "a'\"\\\\N\t\\.\n\u0301Z\U0010FFFD41\u200b"

// quote returns an SQL expression that SQLite evaluates to exactly these bytes.
func quote(text string) string { return fmt.Sprintf("CAST(x'%x' AS TEXT)", text) }

// TestOldOddTextsAreRefused copies calls of earlier versions whose names PostgreSQL cannot store: invalid UTF-8 and
// U+0000.
// Verification must report the names. A copy to a server must name the cause and write nothing, and a copy to a file
// must preserve all rows (C34, C43).
func TestOldOddTextsAreRefused(t *testing.T) {
	t.Parallel()
	c := pgtest.Shared(t)
	d := source(t)
	prev := ""
	var statements []string
	for i, name := range []string{"a" + strings.Repeat("é", 63) + "\xc3", "\x00", "\xff"} {
		seq := fmt.Sprint(i + 1)
		row := []string{seq, d.NewID(), "2026-01-01T00:00:00.000000Z", "agent:scout", "scout", "user", "ada\xff", "", name, "", "0", "", "", "", "", "0", prev}
		seal := history.Seal(append([]string{"toolcrib call 1"}, row...)...)
		values := make([]string, 0, len(row)+1)
		for j, field := range append(row, seal) {
			if j == 0 || j == 10 || j == 15 {
				values = append(values, field)
				continue
			}
			values = append(values, quote(field))
		}
		statements = append(statements, "INSERT INTO calls VALUES ("+strings.Join(values, ", ")+")", "INSERT INTO calls_open VALUES ("+seq+")")
		prev = seal
	}
	statements = append(statements, fmt.Sprintf("INSERT INTO call_refusals VALUES ('scout', %s, '2026-01-01T00', 3, 0, '2026-01-01T00:00:00.000000Z', 'tool_call_unknown_tool')", quote("ada\xff")))
	if err := d.RawDB(t).Unlocked(t.Context(), strings.Join(statements, ";\n")); err != nil {
		t.Fatal(err)
	}
	notes := noted(t, d)
	if want := []string{"call_refusals scout", "calls call 1", "calls call 2", "calls call 3"}; !slices.Equal(notes, want) {
		t.Errorf("verification notes %q; want %q", notes, want)
	}
	there, back := address(t, c), filepath.Join(t.TempDir(), "back.db")
	_, err := transfer.Copy(t.Context(), d.Path(), there)
	if err == nil || !strings.Contains(err.Error(), "which PostgreSQL cannot store; run toolcrib verify") {
		t.Errorf("the copy to a server returned %v", err)
	}
	copied(t, d.Path(), back)
	if got := noted(t, storetest.Open(t, back)); !slices.Equal(got, notes) {
		t.Errorf("verification of the copy notes %q; want %q", got, notes)
	}
	copied(t, source(t).Path(), there)
}

// noted verifies that a database is undamaged, and returns the sorted remarks of the report.
func noted(t *testing.T, d *storetest.Database) []string {
	t.Helper()
	report := storetest.Verify(t, d.DB)
	for _, damage := range report.Damage {
		t.Errorf("%s %s: %s", damage.Table, damage.Key, damage.Message)
	}
	var notes []string
	for _, n := range report.Notes {
		notes = append(notes, n.Table+" "+n.Key)
	}
	slices.Sort(notes)
	return notes
}

// TestOddTextInEveryColumn stores an unusual text in every text column that accepts it, and copies it to a server and
// back. The test derives tables and columns from the schema. It fails for a table without rows, and for a
// column that rejects the text for a reason other than a constraint.
func TestOddTextInEveryColumn(t *testing.T) {
	shortrun.NeedsLong(t)
	t.Parallel()
	c := pgtest.Shared(t)
	d := source(t)
	hand := d.RawDB(t)
	triggers, err := hand.Triggers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, trigger := range triggers {
		if _, err := hand.ExecContext(t.Context(), trigger.Drop); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := hand.ExecContext(t.Context(), "PRAGMA foreign_keys = ON"); err != nil {
		t.Fatal(err)
	}
	s := schema{t, hand}
	s.fillTables()
	if _, err := hand.ExecContext(t.Context(), "DELETE FROM contents"); err != nil { // the server computes their hashes
		t.Fatal(err)
	}
	odd := 0
	for _, column := range s.list(`SELECT m.name || '.' || c.name FROM sqlite_schema m, pragma_table_info(m.name) c WHERE c.type = 'TEXT' AND ` + ofTables) {
		table, name, _ := strings.Cut(column, ".")
		// The subjects are derived from the statements, which are ASCII.
		if table == "signed_subjects" || column == "signatures.statement" || table == "contents" {
			continue
		}
		result, err := hand.ExecContext(t.Context(), fmt.Sprintf(`UPDATE %s SET "%s" = "%[2]s" || %[3]s`, table, name, quote(oddText)))
		if err != nil {
			if !strings.Contains(err.Error(), "CHECK constraint failed") && !strings.Contains(err.Error(), "FOREIGN KEY constraint failed") {
				t.Errorf("%s: %v", column, err)
			}
			continue
		}
		if n, err := result.RowsAffected(); err != nil || n == 0 {
			t.Errorf("%s: %d rows have an odd text, %v", column, n, err)
		}
		odd++
	}
	t.Logf("%d columns", odd)
	if _, err := hand.ExecContext(t.Context(), "UPDATE live SET size = (SELECT octet_length(definition) FROM versions v WHERE v.subject = live.subject AND v.number = live.version)"); err != nil {
		t.Fatal(err)
	}
	there, back := address(t, c), filepath.Join(t.TempDir(), "back.db")
	first := copied(t, d.Path(), there)
	if got := copied(t, there, back); got != first {
		t.Errorf("back: %+v; there: %+v", got, first)
	}
	if again := copied(t, d.Path(), back); !again.Already || again.Rows != first.Rows {
		t.Errorf("compared with what came back: %+v", again)
	}
	s.sameTables(back)
}

// ofTables selects the tables of a file except text indexes, which are rebuilt.
const ofTables = `m.type = 'table' AND m.name NOT LIKE '%\_text%' ESCAPE '\' AND m.name NOT LIKE 'sqlite%' AND m.sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY 1`

// schema reads the schema of a file.
type schema struct {
	*testing.T
	hand *storetest.RawDB
}

// list returns the texts that a query selects.
func (s schema) list(query string, args ...any) (all []string) {
	s.Helper()
	rows, err := s.hand.QueryContext(s.Context(), query, args...)
	if err != nil {
		s.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	for rows.Next() {
		var one string
		if err := rows.Scan(&one); err != nil {
			s.Fatal(err)
		}
		all = append(all, one)
	}
	if err := rows.Err(); err != nil {
		s.Fatal(err)
	}
	return all
}

// fillTables inserts a row into every empty table, in an order that satisfies the foreign keys.
func (s schema) fillTables() {
	s.Helper()
	empty := s.list("SELECT m.name FROM sqlite_schema m WHERE " + ofTables)
	for len(empty) > 0 {
		var failed []string
		var last error
		for _, table := range empty {
			if table == "signed_subjects" || s.list("SELECT CAST(count(*) AS TEXT) FROM " + table)[0] != "0" {
				continue
			}
			if _, err := s.hand.ExecContext(s.Context(), s.insert(table)); err != nil {
				failed, last = append(failed, table), fmt.Errorf("%s: %w", s.insert(table), err)
			}
		}
		if len(failed) == len(empty) {
			s.Fatalf("no row could be made for %v: %v", failed, last)
		}
		empty = failed
	}
	_, err := s.hand.ExecContext(s.Context(), "INSERT INTO signed_subjects (signature, about) SELECT signature, about FROM signed_about WHERE about IS NOT NULL")
	if err != nil {
		s.Fatal(err)
	}
}

// special contains values for columns with constraints, and a statement from which both engines derive its subject.
var special = map[string]string{
	"call_answers.call":    "''",
	"signatures.statement": "'toolcrib decision 1' || char(10) || 'tool get_tides' || char(10) || 'note '",
}

// insert writes a row with values that satisfy the constraints of a table.
func (s schema) insert(table string) string {
	s.Helper()
	made := s.list("SELECT sql FROM sqlite_schema WHERE name = $1", table)[0]
	refers := map[string]string{}
	for _, key := range s.list(`SELECT "from" || ' ' || "to" || ' ' || "table" FROM pragma_foreign_key_list($1)`, table) {
		words := strings.Fields(key)
		refers[words[0]] = fmt.Sprintf(`(SELECT "%s" FROM %s LIMIT 1)`, words[1], words[2])
	}
	var names, values []string
	for _, column := range s.list("SELECT name || ' ' || type FROM pragma_table_xinfo($1) WHERE hidden = 0 ORDER BY cid", table) {
		name, kind, _ := strings.Cut(column, " ")
		one := regexp.MustCompile(`\b` + name + ` IN \(('?[^',)]*'?)`).FindStringSubmatch(made)
		length := regexp.MustCompile(`length\(` + name + `\) (?:=|IN) \(?([0-9]+)`).FindStringSubmatch(made)
		value := quote("x")
		switch {
		case special[table+"."+name] != "":
			value = special[table+"."+name]
		case strings.Contains(made, name+" GLOB 'user:?*'"):
			value = "'user:x'"
		case refers[name] != "":
			value = refers[name]
		case one != nil:
			value = one[1]
		case length != nil:
			value = "substr(hex(zeroblob(32)), 1, " + length[1] + ")"
		case kind == "INTEGER":
			value = "1"
		case kind == "BLOB":
			value = "x'00'"
		}
		names, values = append(names, `"`+name+`"`), append(values, value)
	}
	return "INSERT INTO " + table + " (" + strings.Join(names, ", ") + ") VALUES (" + strings.Join(values, ", ") + ")"
}

// sameTables compares all tables with those of another file, byte for byte.
func (s schema) sameTables(other string) {
	s.Helper()
	if _, err := s.hand.ExecContext(s.Context(), "ATTACH $1 AS other", other); err != nil {
		s.Fatal(err)
	}
	for _, table := range s.list("SELECT m.name FROM sqlite_schema m WHERE " + ofTables) {
		var columns []string
		for _, name := range s.list("SELECT name FROM pragma_table_info($1)", table) {
			columns = append(columns, `quote(CAST("`+name+`" AS BLOB))`)
		}
		rows := func(of string) []string {
			return s.list("SELECT " + strings.Join(columns, " || ' ' || ") + " FROM " + of + "." + table + " ORDER BY 1")
		}
		was, is := rows("main"), rows("other")
		if !slices.Equal(was, is) {
			s.Errorf("%s has other rows after the way there and back:\n%.2000q\n%.2000q", table, was, is)
		}
	}
}
