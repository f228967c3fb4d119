package store_test

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"
	"testing"
	"time"

	"toolcrib/gateway"
	"toolcrib/gateway/builtin"
	"toolcrib/history"
	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/proof"
	"toolcrib/signing/signers"
	"toolcrib/signing/signingtest"
	"toolcrib/store/catalog"
	"toolcrib/store/storetest"
)

// tableKeys maps every table to a column that identifies its rows.
var tableKeys = map[string]string{
	"assessments": "seq", "call_answers": "seq", "call_outcomes": "seq", "call_prunes": "seq", "call_refusals": "hour", "call_tiers": "seq", "calls": "seq", "calls_open": "seq",
	"comments": "seq", "contents": "sha256", "conversations": "agent", "core": "id", "counters": "state", "decisions": "seq", "entities": "seq", "entity_projects": "entity",
	"events": "seq", "history_files": "number", "imports": "seq", "issues": "number", "live": "subject", "live_files": "hash", "memories": "seq",
	"memory_links": "seq", "names": "name", "owners": "id", "pending_calls": "seq", "pending_exports": "seq", "projects": "id", "proposal_rules": "proposal",
	"proposals": "seq", "raws": "hash", "recent_sketches": "seq", "reminders": "seq", "revisions": "seq", "schedules": "seq", "shown": "proposal",
	"signatures": "seq", "signed_subjects": "signature", "sketches": "block", "task_days": "day", "tasks": "seq", "token_revocations": "seq", "tokens": "seq", "versions": "seq",
	"waivers": "seq", "workspaces": "dir",
}

// unrepeated lists the columns with values that are not repeated or derived elsewhere in the database: data of the
// assistant's users, the content that users were shown, and the list of written files.
var unrepeated = map[string]string{
	"call_refusals": "counted last_at last_code", "conversations": "agent project", "entities": "seq id type aliases", "history_files": "number",
	"live_files": "hash", "memory_links": "seq relation created_at", "owners": "id", "pending_exports": "seq dir subject number", "projects": "id",
	"reminders": "*", "schedules": "*", "shown": "user digest parts shown_at",
	"tasks":           "seq id title notes priority project tags created_at updated_at",
	"recent_sketches": "seq text purpose", // checked by verify --deep
	"memories":        "content kind importance project tags expires_at created_at updated_at",
}

// TestEveryRedundantColumn changes each column of the first and the last row of every table. Plain verification must
// report this unless the value is stored only there (S20).
func TestEveryRedundantColumn(t *testing.T) {
	shortrun.OneGoroutine(t)
	image, err := storetest.Image(func(db *storetest.Database) error { return fillEverything(t, db) })
	if err != nil {
		t.Fatal(err)
	}
	h := openRawDB(t, storetest.FromImage(t, image))
	every := uint32(stride)
	if storetest.OnPostgres() {
		every *= 8 // each case copies a database
	}
	for _, table := range h.tables() {
		key, known := tableKeys[table]
		if !known {
			t.Errorf("table %s is new: add it to tableKeys", table)
			continue
		}
		if h.text("SELECT count(*) FROM "+table) == "0" {
			if table != "sketches" { // only many versions fill a block
				t.Errorf("table %s is empty", table)
			}
			continue
		}
		numbers, err := h.numbers(t.Context(), table)
		if err != nil {
			t.Fatal(err)
		}
		for _, column := range h.columns(table) {
			free := strings.Fields(unrepeated[table])
			if slices.Contains(free, strings.Trim(column, `"`)) || slices.Contains(free, "*") {
				continue
			}
			for _, edit := range editsOf(table, key, column, slices.Contains(numbers, column)) {
				if crc32.ChecksumIEEE([]byte(edit))%every == 0 {
					t.Run(edit, func(t *testing.T) { noticed(t, image, edit) })
				}
			}
		}
	}
}

// editsOf returns statements that change a column in the first or the last row of a table: to a value that no row has,
// and to the value of another row.
func editsOf(table, key, column string, number bool) []string {
	values := []string{column + " + 1000000", column + " - 1"}
	if !number {
		values = []string{"'x' || " + column, fmt.Sprintf("coalesce((SELECT min(o.%[2]s) FROM %[1]s o WHERE o.%[2]s <> %[1]s.%[2]s), 'y')", table, column)}
	}
	var edits []string
	for _, value := range values {
		for _, end := range []string{"min", "max"} {
			if table == "call_refusals" && end == "min" {
				continue // the calls of this hour were moved to a file
			}
			edits = append(edits, fmt.Sprintf("UPDATE %[1]s SET %[2]s = %[3]s WHERE %[4]s = (SELECT %[5]s(%[4]s) FROM %[1]s)", table, column, value, key, end))
		}
	}
	return edits
}

// noticed fails the test unless plain verification reports damage after an edit, or a unique index rejects the edit.
func noticed(t *testing.T, image []byte, edit string) {
	t.Helper()
	db := storetest.FromImage(t, image)
	h := openRawDB(t, db)
	if h.conn.Unlocked(t.Context(), edit) != nil {
		return
	}
	if len(storetest.VerifyWith(t, db.DB, history.Options{}).Damage) == 0 {
		t.Errorf("not noticed: %s", edit)
	}
}

// tables returns the tables of the schema without the engine's own tables.
func (h rawDB) tables() []string {
	h.Helper()
	query := "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' AND name NOT GLOB '*_text*' AND name NOT LIKE 'sqlite%' ORDER BY name"
	if storetest.OnPostgres() {
		query = "SELECT relname FROM pg_class WHERE relnamespace = 'toolcrib'::regnamespace AND relkind = 'r' AND relname NOT LIKE '%_text' AND relname NOT IN ('writer', 'schema_migrations') ORDER BY relname"
	}
	rows, err := h.conn.QueryContext(h.Context(), query)
	if err != nil {
		h.Fatal(err)
	}
	defer rows.Close()
	var names []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			h.Fatal(err)
		}
		names = append(names, name)
	}
	if err := rows.Err(); err != nil || len(names) < 40 {
		h.Fatalf("%d tables, %v", len(names), err)
	}
	return names
}

// fillEverything writes rows to every table.
func fillEverything(t *testing.T, db *storetest.Database) error {
	t.Helper()
	ctx := context.Background()
	if err := errors.Join(fill(db), addAssistantData(db)); err != nil {
		return err
	}
	if err := db.Workspaces().Attach(ctx, "/work/harbour", "harbour"); err != nil {
		return err
	}
	if err := db.KeepImport(ctx, catalog.Import{ID: db.NewID(), At: db.Clock.Now(), Actor: "user:ada", Format: "mcp", Label: "second", Hash: registry.HashBytes(nil)}); err != nil {
		return err
	}
	now := db.Clock.Now()
	err := db.WriteAssistant(ctx, builtin.Owner{User: "ada"}, now, func(w builtin.Writer) error {
		return errors.Join(
			w.SetInstructions(ctx, "Be brief."),
			w.AddReminder(ctx, builtin.Reminder{ID: db.NewID(), Text: "x", At: now.Add(time.Hour), Created: now}),
			w.AddSchedule(ctx, builtin.Schedule{ID: db.NewID(), Title: "x", Instruction: "x", Cron: "0 9 * * *", Zone: "UTC", Created: now}),
		)
	})
	if err != nil {
		return err
	}
	by := gateway.Caller{Actor: scout, Agent: "assistant", Layer: registry.LayerUser, User: "ada", Customer: "acme"}
	err = db.Calls().Durable(ctx, func(tx gateway.LedgerTx) error {
		call := func(id string, nth int) gateway.Call {
			return gateway.Call{
				ID: db.NewID(), At: db.Clock.Now(), Caller: by, Name: id, Tool: shippedTool(id), Version: 1, ContentHash: shippedHash(id), ArgsHash: registry.HashBytes([]byte("{}")), Nth: nth,
			}
		}
		refused := call("delete_tasks", 0)
		_, err := tx.CountRefused(ctx, refused, gateway.CodeCooldown, 2)
		return errors.Join(
			err, tx.AddCall(ctx, refused), tx.AddOutcome(ctx, refused.ID, gateway.Outcome{Code: gateway.CodeCooldown, At: db.Clock.Now()}),
			tx.AddCall(ctx, call("get_tasks", 2)), // it has no outcome yet
		)
	})
	if err != nil {
		return err
	}
	desk := db.Desk(t, review.Policy{Severities: storetest.BasicSeverities()})
	db.Approved(t, desk, ada, storetest.Prompt("harbour_pacer"))
	shown, err := desk.Reading.Show(ctx, ada, storetest.ProposeChoices(t, desk, ada, storetest.Prompt("pier_pacer"))[0].ID)
	if err != nil {
		return err
	}
	return errors.Join(
		desk.Reading.Shown(ctx, ada, shown),
		db.SQL(ctx, "INSERT INTO history_files SELECT dir, subject, number FROM pending_exports"),
		db.SQL(ctx, "INSERT INTO live_files SELECT dir, seal FROM workspaces"),
		fillSignatures(t, db),
	)
}

// fillSignatures starts signing.
func fillSignatures(t *testing.T, db *storetest.Database) error {
	t.Helper()
	s := storetest.Signing{Database: db, Keys: map[proposals.Actor]signingtest.Key{ada: signingtest.NewKey(t, "ed25519")}}
	file, err := signers.Parse([]byte(s.Line(ada) + "\n"))
	s.Change(t, db.Desk(t, review.Policy{Signatures: proof.Policy{Signers: func() (*signers.Signers, error) { return file, err }}}), ada)
	return err
}
