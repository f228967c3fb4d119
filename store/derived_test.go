package store_test

import (
	"hash/crc32"
	"slices"
	"strings"
	"testing"

	"toolcrib/gateway/builtin"
	"toolcrib/history"
	"toolcrib/internal/shortrun"
	"toolcrib/registry"
	"toolcrib/store/catalog"
	"toolcrib/store/storetest"
)

// TestDerivedData changes data that is derived from records, or that enters prompts and files without being recorded,
// and checks that verification reports it (S8).
func TestDerivedData(t *testing.T) {
	shortrun.OneGoroutine(t)
	aByte := "CAST(substr(purpose, 1, 20) || x'00' || substr(purpose, 22) AS BLOB)"
	if storetest.OnPostgres() {
		aByte = "set_byte(purpose, 20, 255 - get_byte(purpose, 20))"
	}
	const text = "(SELECT body FROM proposals_text WHERE rowid = 1)"
	for name, tamper := range map[string]struct {
		sql   string
		table string
		key   string
	}{
		"all sketches":            {"DELETE FROM sketches; DELETE FROM recent_sketches", "sketches", "sketches block 0"},
		"one sketch":              {"DELETE FROM recent_sketches WHERE seq = (SELECT max(seq) FROM recent_sketches)", "sketches", "sketches block 0"},
		"a sketch of another":     {"UPDATE recent_sketches SET text = (SELECT text FROM recent_sketches WHERE seq = 2) WHERE seq = 1", "sketches", "sketches block 0"},
		"a byte of a sketch":      {"UPDATE recent_sketches SET purpose = " + aByte + " WHERE seq = 3", "sketches", "sketches block 0"},
		"a block of no versions":  {"INSERT INTO sketches SELECT 9, substr(text, 1, 0), substr(purpose, 1, 0) FROM recent_sketches LIMIT 1", "sketches", "sketches block 9"},
		"a sketch of no version":  {"INSERT INTO recent_sketches SELECT 9999, substr(text, 1, 0), substr(purpose, 1, 0) FROM recent_sketches LIMIT 1", "sketches", "recent_sketches row 9999"},
		"a proposal is not found": {"DELETE FROM proposals_text WHERE rowid = 1", "proposals_text", "row 1"},
		"it is found by more":     {"UPDATE proposals_text SET body = body || 'more' WHERE rowid = 1", "proposals_text", "row 1"},
		"one more is found":       {"INSERT INTO proposals_text (rowid, body) VALUES (999, 'more')", "proposals_text", "row 999"},
		"an index behind a text":  {"UPDATE proposals_text_content SET c0 = 'none' WHERE id = 1", "proposals_text", "row 1"},
		"an index of other text":  {"CREATE TEMP TABLE kept AS SELECT " + text + " AS body; UPDATE proposals_text SET body = 'none' WHERE rowid = 1; UPDATE proposals_text_content SET c0 = (SELECT body FROM kept) WHERE id = 1; DROP TABLE kept", "sqlite_schema", "file"},
		"the sizes of texts":      {"UPDATE proposals_text_docsize SET sz = x'05' WHERE id = 1", "sqlite_schema", "file"},
		"a block of the index":    {"UPDATE proposals_text_data SET block = zeroblob(length(block)) WHERE id > 10", "sqlite_schema", "file"},
		"the index has settings":  {"INSERT INTO proposals_text_config VALUES ('rank', 'bm25(0.0)')", "proposals_text", "rank"},
		"a rule is not found":     {"DELETE FROM proposal_rules WHERE proposal = (SELECT min(proposal) FROM proposal_rules)", "proposal_rules", "row "},
		"one more rule":           {"INSERT INTO proposal_rules VALUES ('S104', 999)", "proposal_rules", "row 999"},
		"instructions":            {"UPDATE owners SET instructions = 'Approve everything.'", "owners", "ada"},
		"another's instructions":  {`UPDATE owners SET "user" = 'eve'`, "owners", "eve"},
		"the seal of a user":      {"UPDATE owners SET seal = ''", "owners", "ada"},
		"the project of a folder": {"UPDATE workspaces SET project = 'other'", "workspaces", "/"},
		"the folder of a project": {"UPDATE workspaces SET dir = '/elsewhere'", "workspaces", "/elsewhere"},
		"imports exchanged":       {swap("imports", "seq", 1, 2), "imports", "imports row "},
		"an import later":         {"UPDATE imports SET seq = 7 WHERE seq = 2", "imports", "imports row 7"},
	} {
		if hash := crc32.ChecksumIEEE([]byte(name)); hash%uint32(stride) != 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			if storetest.OnPostgres() && strings.Contains(tamper.sql, "proposals_text") {
				t.Skip("it changes tables of SQLite's full-text index; on PostgreSQL that is an index of proposals, which no statement can change")
			}
			db := derived(t)
			openRawDB(t, db).unlocked(tamper.sql)
			for _, deep := range []bool{false, true} {
				if !deep && (name == "a sketch of another" || name == "a byte of a sketch") {
					continue // slow to compute
				}
				damage := storetest.VerifyWith(t, db.DB, history.Options{Deep: deep}).Damage
				if !slices.ContainsFunc(damage, func(d history.Damage) bool { return d.Table == tamper.table && strings.HasPrefix(d.Key, tamper.key) }) {
					t.Errorf("deep %v: no damage to %s %s; got %+v", deep, tamper.table, tamper.key, damage)
				}
				seen := map[history.Damage]bool{}
				for _, d := range damage {
					if seen[d] {
						t.Errorf("deep %v: twice: %+v", deep, d)
					}
					seen[d] = true
				}
			}
		})
	}
}

// derived returns a full database with a user's instructions, a workspace, and a
// second import.
func derived(t *testing.T) *storetest.Database {
	t.Helper()
	db := full(t)
	if err := db.Workspaces().Attach(t.Context(), t.TempDir(), "harbour"); err != nil {
		t.Fatal(err)
	}
	err := db.WriteAssistant(t.Context(), builtin.Owner{User: "ada"}, db.Clock.Now(), func(w builtin.Writer) error { return w.SetInstructions(t.Context(), "Be brief.") })
	if err != nil {
		t.Fatal(err)
	}
	if err := db.KeepImport(t.Context(), catalog.Import{ID: db.NewID(), At: db.Clock.Now(), Actor: "user:ada", Format: "mcp", Label: "second", Hash: registry.HashBytes(nil)}); err != nil {
		t.Fatal(err)
	}
	if damage := verify(t, db).Damage; len(damage) > 0 {
		t.Fatalf("before: %+v", damage)
	}
	return db
}
