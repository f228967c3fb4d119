package transfer_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolcrib/history"
	"toolcrib/internal/shortrun"
	"toolcrib/store/pg/pgtest"
	"toolcrib/store/storetest"
)

// oddText has the bytes that earlier versions let into texts: a NUL, half a character, a byte
// that begins none, and the mark with which such bytes are escaped on a server.
const oddText = "a\x00b\xc3\xff\U0010FFFD41"

// quote is a text as SQL that SQLite takes byte for byte.
func quote(text string) string { return fmt.Sprintf("CAST(x'%x' AS TEXT)", text) }

// TestOldOddTextsAreCarried has calls as earlier versions recorded them, with names
// that PostgreSQL cannot store: verification names them, and they reach a server and
// come back with every hash unchanged (C34, C43).
func TestOldOddTextsAreCarried(t *testing.T) {
	shortrun.NeedsLong(t)
	t.Parallel()
	c := pgtest.Shared(t)
	d := source(t)
	prev := ""
	var statements []string
	for i, name := range []string{"a" + strings.Repeat("é", 63) + "\xc3", oddText, "\xff"} {
		seq := fmt.Sprint(i + 1)
		row := []string{seq, d.NewID(), "2026-01-01T00:00:00.000000Z", "agent:scout", "scout", "user", "ada" + oddText, oddText, name, "", "0", "", "", "", "", "0", prev}
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
	for i, agent := range []string{"scout", oddText, "\x00", "\xff", "\U0010FFFE"} { // which sort otherwise where they are escaped
		statements = append(statements, fmt.Sprintf("INSERT INTO call_refusals VALUES (%s, %s, '2026-01-01T00', 0, 1, '2026-01-01T00:00:00.000000Z', 'tool_call_unknown_tool')", quote(agent), quote(fmt.Sprint(i))))
	}
	statements = append(statements, fmt.Sprintf("INSERT INTO call_refusals VALUES ('scout', %s, '2026-01-01T00', 3, 0, '2026-01-01T00:00:00.000000Z', 'tool_call_unknown_tool')", quote("ada"+oddText)))
	if err := d.Hand(t).Unlocked(t.Context(), strings.Join(statements, ";\n")); err != nil {
		t.Fatal(err)
	}
	notes := noted(t, d)
	if want := []string{"call_refusals", "call_refusals", "call_refusals", "call_refusals", "calls call 1", "calls call 2", "calls call 3"}; len(notes) != len(want) {
		t.Errorf("verification notes %q", notes)
	} else {
		for i := range want {
			if !strings.HasPrefix(notes[i], want[i]) {
				t.Errorf("note %d is %q; want %s", i, notes[i], want[i])
			}
		}
	}
	there, back := address(t, c), filepath.Join(t.TempDir(), "back.db")
	first := copied(t, d.Path(), there)
	if got := noted(t, storetest.Open(t, there)); !slices.Equal(got, notes) {
		t.Errorf("verification of the server notes %q; want %q", got, notes)
	}
	if got := copied(t, there, back); got != first {
		t.Errorf("back: %+v; there: %+v", got, first)
	}
	if again := copied(t, d.Path(), back); !again.Already || again.Rows != first.Rows {
		t.Errorf("compared with what came back: %+v", again)
	}
	if got := noted(t, storetest.Open(t, back)); !slices.Equal(got, notes) {
		t.Errorf("verification of what came back notes %q; want %q", got, notes)
	}
}

// noted verifies a database that has no damage and returns what was noted, sorted.
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

// TestOddTextInEveryColumn puts a text that PostgreSQL cannot store into every column
// of text that takes one, and copies it there and back.
func TestOddTextInEveryColumn(t *testing.T) {
	shortrun.NeedsLong(t)
	t.Parallel()
	c := pgtest.Shared(t)
	d := source(t)
	hand := d.Hand(t)
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
	odd := map[string]bool{}
	rows, err := hand.QueryContext(t.Context(), `SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c
		WHERE m.type = 'table' AND c.type = 'TEXT' AND m.name NOT LIKE '%\_text%' ESCAPE '\' ORDER BY 1, 2`)
	if err != nil {
		t.Fatal(err)
	}
	var columns [][2]string
	for rows.Next() {
		var column [2]string
		if err := rows.Scan(&column[0], &column[1]); err != nil {
			t.Fatal(err)
		}
		columns = append(columns, column)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	for _, column := range columns {
		result, err := hand.ExecContext(t.Context(), fmt.Sprintf(`UPDATE %s SET "%s" = "%[2]s" || %[3]s`, column[0], column[1], quote(oddText)))
		if err != nil {
			continue // a CHECK or a foreign key refuses it
		}
		if n, err := result.RowsAffected(); err == nil && n > 0 {
			odd[column[0]+"."+column[1]] = true
		}
	}
	for _, column := range []string{"proposals.title", "proposals.change_set", "revisions.draft", "assessments.report", "decisions.note", "issues.title", "versions.note", "events.actor", "memories.content", "owners.user", "owners.customer"} {
		if !odd[column] {
			t.Errorf("%s has no odd text", column)
		}
	}
	t.Logf("%d columns", len(odd))
	there, back := address(t, c), filepath.Join(t.TempDir(), "back.db")
	first := copied(t, d.Path(), there)
	if got := copied(t, there, back); got != first {
		t.Errorf("back: %+v; there: %+v", got, first)
	}
	if again := copied(t, d.Path(), back); !again.Already || again.Rows != first.Rows {
		t.Errorf("compared with what came back: %+v", again)
	}
}
