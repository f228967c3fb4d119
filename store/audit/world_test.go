package audit_test

import (
	"bytes"
	"context"
	"database/sql"
	_ "embed"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"toolcrib/history"
	"toolcrib/registry"
	"toolcrib/store/audit"
	"toolcrib/store/pages"
)

// schema and story are a small database that is sound: one tool with a version
// that was shipped and one that was approved, an agent, and proposals in every
// state that a queue has. In story a field that the row is sealed by stands as
// "seal", what follows from another row as "table:row".
//
//go:embed testdata/schema.sql
var schema string

//go:embed testdata/story.sql
var story string

// seals are those of the tables of records.
func seals() []audit.Seal {
	return []audit.Seal{
		{
			Table: "versions", Format: "version", Columns: strings.Fields("subject number content_hash prev_hash proposal decided_by"),
			Column: "hash", Prev: "prev_hash", Text: "definition", TextHash: "content_hash",
		},
		{Table: "revisions", Format: "revision", Columns: strings.Fields("proposal number draft content_hash author created_at"), Column: "seal"},
		{Table: "assessments", Format: "assessment", Columns: strings.Fields("proposal revision recommendation report"), Column: "seal"},
		{Table: "waivers", Format: "waiver", Columns: strings.Fields("proposal"), Column: "seal"},
		{
			Table: "decisions", Format: "decision", Columns: strings.Fields("proposal revision subject content_hash verdict decided_by version version_hash"),
			Column: "seal",
		},
		{Table: "events", Format: "event", Columns: strings.Fields("seq id at act proposal revision record prev_hash"), Column: "hash", Prev: "prev_hash"},
	}
}

// facts are what the engine says about the story.
func facts() audit.Facts {
	return audit.Facts{
		Core:     map[string]bool{"file_reader": true},
		Counters: map[string]int64{"approved": 1, "draft": 1, "chief_review": 1, "user_review": 2, "needs_changes": 1, "rejected": 1, "withdrawn": 0},
		Imports:  []string{"import-1"},
	}
}

// world is a database that is being written.
type world struct {
	t  *testing.T
	db *sql.DB
}

func (w world) do(statement string, args ...any) {
	w.t.Helper()
	if _, err := w.db.ExecContext(w.t.Context(), statement, args...); err != nil {
		w.t.Fatalf("%s: %v", statement, err)
	}
}

// ask implements audit.Ask.
func (w world) ask(ctx context.Context, query string, args []any, fn func(interface{ Scan(dest ...any) error }) error) error {
	rows, err := w.db.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := fn(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// texts returns a column of what a query finds.
func (w world) texts(query string, args ...any) []string {
	w.t.Helper()
	var all []string
	err := w.ask(w.t.Context(), query, args, func(row interface{ Scan(dest ...any) error }) error {
		var text string
		err := row.Scan(&text)
		all = append(all, text)
		return err
	})
	if err != nil {
		w.t.Fatalf("%s: %v", query, err)
	}
	return all
}

// seal fills in what the rows of a table are sealed by, in their order.
func (w world) seal(s audit.Seal) {
	w.t.Helper()
	last := map[string]string{} // by chain
	for _, seq := range w.texts("SELECT seq FROM " + s.Table + " ORDER BY seq") {
		one := func(column string) string {
			return w.texts("SELECT "+column+" FROM "+s.Table+" WHERE seq = ?", seq)[0]
		}
		set := func(column, value string) {
			w.do("UPDATE "+s.Table+" SET "+column+" = ? WHERE seq = ? AND "+column+" = 'seal'", value, seq)
		}
		if s.Text != "" {
			set(s.TextHash, registry.HashBytes([]byte(one(s.Text))))
		}
		for _, column := range []string{"record", "version_hash"} {
			if table, row, ok := strings.Cut(w.optional(s, column, seq), ":"); ok {
				of := "seal"
				if table == "versions" {
					of = "hash"
				}
				w.do("UPDATE "+s.Table+" SET "+column+" = (SELECT "+of+" FROM "+table+" WHERE seq = ?) WHERE seq = ?", row, seq)
			}
		}
		chain := ""
		if s.Table == "versions" {
			chain = one("subject")
		}
		if s.Prev != "" {
			set(s.Prev, last[chain])
		}
		fields := []string{s.Format}
		for _, column := range s.Columns {
			fields = append(fields, one(column))
		}
		sum := history.Seal(fields...)
		set(s.Column, sum)
		last[chain] = sum
	}
}

// optional returns a column of a row, "" when the seal does not cover it.
func (w world) optional(s audit.Seal, column, seq string) string {
	for _, c := range s.Columns {
		if c == column {
			return w.texts("SELECT "+column+" FROM "+s.Table+" WHERE seq = ?", seq)[0]
		}
	}
	return ""
}

// damage is what is done to the story.
type damage struct {
	lies  string // before it is sealed: the seals know nothing of it
	later string // after that
	facts func(*audit.Facts)
}

// telling writes the story with damage and returns its file and its tables.
func telling(t *testing.T, d damage) (image []byte, tables []audit.Table) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "story.db")
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: "_pragma=page_size(512)&_pragma=synchronous(OFF)&_pragma=journal_mode(MEMORY)"}).String())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // it is read as it is
	db.SetMaxOpenConns(1)
	w := world{t, db}
	for _, statements := range []string{schema, story, d.lies} {
		w.do("BEGIN; " + statements + "; COMMIT")
	}
	w.do("BEGIN")
	for _, s := range seals() {
		w.seal(s)
	}
	w.do("UPDATE live SET content_hash = v.content_hash FROM versions v WHERE v.subject = live.subject AND v.number = live.version AND live.content_hash = 'seal'")
	w.do("COMMIT")
	if d.later != "" {
		w.do("PRAGMA ignore_check_constraints = ON; PRAGMA writable_schema = ON; " + d.later + "; PRAGMA writable_schema = RESET")
	}
	if tables, err = audit.Describe(t.Context(), w.ask); err != nil {
		t.Fatal(err)
	}
	if image, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	return image, tables
}

// audited returns what an audit says of the story after damage.
func audited(t *testing.T, d damage) (rows map[string]int64, err error) {
	t.Helper()
	image, tables := telling(t, d)
	file, err := pages.Open(bytes.NewReader(image), uint32(len(image)/512), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	f := facts()
	if d.facts != nil {
		d.facts(&f)
	}
	a := audit.New(tables, seals())
	if left := a.Left(); fmt.Sprint(left) != "[sqlite_schema]" {
		t.Fatalf("left to the engine: %q", left)
	}
	return a.Run(t.Context(), file, f, nil)
}
