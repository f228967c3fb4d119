package store_test

import (
	"errors"
	"hash/crc32"
	"slices"
	"strconv"
	"strings"
	"testing"

	"toolcrib/history"
	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/store"
	"toolcrib/store/catalog"
	"toolcrib/store/storetest"
)

// tamperings contains changes of an undamaged database, and the damage that Verify must report.
var tamperings = map[string]struct {
	sql   string
	table string
	key   string // the expected key in the report, or its beginning
}{
	"a version is gone":      {"DELETE FROM versions WHERE subject = 'tool:user/scene_pacer' AND number = 2", "decisions", "tool:user/scene_pacer version 2"},
	"a middle version":       {"DELETE FROM versions WHERE subject = 'tool:user/scene_pacer' AND number = 1", "versions", "tool:user/scene_pacer version 2"},
	"a whole subject":        {"DELETE FROM versions WHERE subject = 'tool:user/scene_pacer'; DELETE FROM live WHERE subject = 'tool:user/scene_pacer'; DELETE FROM names WHERE subject = 'tool:user/scene_pacer'", "decisions", "tool:user/scene_pacer version 1"},
	"a shipped subject":      {"DELETE FROM versions WHERE subject = 'tool:global/get_tasks'; DELETE FROM live WHERE subject = 'tool:global/get_tasks'; DELETE FROM names WHERE subject = 'tool:global/get_tasks'", "events", "event 17"},
	"the live row goes back": {"UPDATE live SET version = 1, content_hash = (SELECT content_hash FROM versions v WHERE v.subject = live.subject AND number = 1) WHERE subject = 'tool:user/scene_pacer'", "live", "tool:user/scene_pacer"},
	"the live row is gone":   {"DELETE FROM live WHERE subject = 'tool:user/scene_pacer'", "live", "tool:user/scene_pacer"},
	"the end of a hash":      {"UPDATE live SET content_hash = substr(content_hash, 1, 62) || '--' WHERE subject = 'tool:user/scene_pacer'", "live", "tool:user/scene_pacer"},
	"a status":               {"UPDATE live SET status = 'deactivated' WHERE subject = 'tool:user/scene_pacer'", "live", "tool:user/scene_pacer"},
	"an approval":            {"UPDATE live SET approval = 'auto_approve' WHERE subject = 'tool:user/scene_pacer'", "live", "tool:user/scene_pacer"},
	"a category":             {"UPDATE live SET category = 'search' WHERE subject = 'tool:user/scene_pacer'", "live", "tool:user/scene_pacer"},
	"a source":               {"UPDATE live SET source = 'trusted' WHERE subject = 'tool:user/scene_pacer'", "live", "tool:user/scene_pacer"},
	"the last call":          {"DELETE FROM calls WHERE seq = 4", "call_outcomes", "outcome 4"},
	"a middle call":          {"DELETE FROM calls WHERE seq = 3", "calls", "call 4"},
	"a call is open again":   {"INSERT INTO calls_open VALUES (3)", "calls_open", "call 3"},
	"a call is open":         {"INSERT INTO calls_open VALUES (99)", "calls_open", "call 99"},
	"two calls":              {swap("calls", "seq", 2, 3), "calls", "call 2"},
	"two outcomes":           {swap("call_outcomes", "seq", 2, 3), "call_outcomes", "outcome 2"},
	"an answer is gone":      {"DELETE FROM call_answers WHERE approved = 1", "calls", "call 4"},
	"the first call left":    {"DELETE FROM call_outcomes WHERE seq = 2; DELETE FROM calls WHERE seq = 2", "calls", "call 3"},
	"moved calls are gone":   {"DELETE FROM call_prunes", "calls", "call 2"},
	"more moved calls":       {"UPDATE call_prunes SET last_call = 2, calls = 2", "call_prunes", "call_prunes row 1"},
	"a pending call is gone": {"DELETE FROM pending_calls WHERE seq = 2", "call_answers", "answer 2"},
	"a tier is gone":         {"DELETE FROM call_tiers", "events", "event "},
	"a token is gone":        {"DELETE FROM tokens WHERE seq = 2", "events", "event "},
	"a token works again":    {"DELETE FROM token_revocations", "events", "event "},
	"a token's secret":       {"UPDATE tokens SET secret_hash = replace(secret_hash, 'c', 'f')", "tokens", "tokens row 1"},
	"a lock":                 {"UPDATE live SET locked = 0 WHERE subject = 'tool:global/file_reader'", "live", "tool:global/file_reader"},
	"a core hash":            {"UPDATE core SET content_hash = upper(content_hash) WHERE id = 'file_reader'", "core", ""},
	"a core tool leaves":     {"DELETE FROM core WHERE id = 'file_reader'", "live", "tool:global/file_reader"},
	"a new core tool":        {"INSERT INTO core VALUES ('scene_pacer', (SELECT content_hash FROM live WHERE id = 'scene_pacer'))", "core", ""},
	"an alias more":          {"INSERT INTO names VALUES ('get_gmail', 'tool:user/scene_pacer')", "names", "get_gmail of tool:user/scene_pacer"},
	"a name less":            {"DELETE FROM names WHERE name = 'pace_scene'", "names", "pace_scene of tool:user/scene_pacer"},
	"a name leads elsewhere": {"UPDATE names SET subject = 'tool:global/get_gmail' WHERE name = 'pace_scene'", "names", "pace_scene of tool:global/get_gmail"},
	"the last event":         {"DELETE FROM events WHERE seq = (SELECT max(seq) FROM events)", "decisions", "decisions row 8"},
	"the last events":        {"DELETE FROM events WHERE act = 'withdraw' OR seq > (SELECT seq FROM events WHERE act = 'withdraw')", "proposals", "01990000-"},
	"a middle event":         {"DELETE FROM events WHERE seq = 50", "events", "event 51"},
	"two events":             {swap("events", "seq", 50, 51), "events", "event 50"},
	"two assessments":        {swap("assessments", "seq", 2, 3), "assessments", "assessments row 3"},
	"two revisions":          {swap("revisions", "seq", 2, 3), "revisions", "revisions row 3"},
	"two drafts":             {"UPDATE revisions SET draft = (SELECT draft FROM revisions o WHERE o.seq = 5 - revisions.seq) WHERE seq IN (2, 3)", "revisions", "revisions row 2"},
	"two whole versions":     {swap("versions", "number", 1, 2), "versions", "tool:user/scene_pacer version 2"},
	"a forged version":       {"INSERT INTO versions SELECT (SELECT max(seq) + 1 FROM versions), kind, layer, id, subject, 3, definition, content_hash, hash, hash, proposal, revision, author, assessment, review_digest, rendered, rules_version, decided_by, decided_at, note, waivers, signature, approvals FROM versions WHERE subject = 'tool:user/scene_pacer' AND number = 2", "versions", "tool:user/scene_pacer version 3"},
	"a comment is gone":      {"DELETE FROM comments WHERE seq = 2", "events", "event "},
	"a waiver is gone":       {"DELETE FROM waivers WHERE seq = 1", "events", "event "},
	"an assessment is gone":  {"DELETE FROM assessments WHERE seq = 9", "events", "event "},
	"a decision is gone":     {"DELETE FROM decisions WHERE verdict = 'rejected'", "events", "event "},
	"a rejection is undone":  {"UPDATE proposals SET state = 'user_review' WHERE state = 'rejected'", "proposals", "01990000-"},
	"a withdrawal is undone": {"UPDATE proposals SET state = 'user_review' WHERE state = 'withdrawn'", "proposals", "01990000-"},
	"an approval is undone":  {"UPDATE proposals SET state = 'user_review' WHERE issue = 1", "proposals", "01990000-"},
	"an author":              {"UPDATE proposals SET author = 'agent:rover' WHERE author = 'agent:scout'", "proposals", "01990000-"},
	"a base version":         {"UPDATE proposals SET base_version = 7 WHERE issue = 6", "proposals", "01990000-"},
	"a change set":           {"UPDATE proposals SET change_set = '' WHERE issue = 6", "proposals", "01990000-"},
	"a recommendation":       {"UPDATE proposals SET recommendation = 'reject' WHERE issue = 6", "proposals", "01990000-"},
	"blocks less":            {"UPDATE proposals SET blocks = 0 WHERE blocks > 0", "proposals", "01990000-"},
	"blocks that are waived": {"UPDATE proposals SET blocks = 2 WHERE subject = 'tool:user/book_pacer'", "proposals", "01990000-"},
	"findings less":          {"UPDATE proposals SET findings = 0 WHERE findings > 0", "proposals", "01990000-"},
	"the worst finding":      {"UPDATE proposals SET worst = 'info' WHERE worst <> ''", "proposals", "01990000-"},
	"the end of a waiver":    {"UPDATE proposals SET waived_until = '2027-01-01T00:00:00.000000Z' WHERE issue = 6", "proposals", "01990000-"},
	"the end of waivers":     {"UPDATE proposals SET waived_until = '2027-01-01T00:00:00.000000Z' WHERE subject = 'tool:user/book_pacer'", "proposals", "01990000-"},
	"a type":                 {"UPDATE proposals SET type = 'modify' WHERE issue = 6", "proposals", "01990000-"},
	"a title":                {"UPDATE proposals SET title = 'Harmless' WHERE issue = 6", "proposals", "01990000-"},
	"a content hash":         {"UPDATE proposals SET content_hash = upper(content_hash) WHERE issue = 6", "proposals", "01990000-"},
	"a text":                 {"UPDATE proposals SET text_hash = content_hash WHERE issue = 6", "proposals", "01990000-"},
	"no text":                {"UPDATE proposals SET text_hash = '' WHERE issue = 6", "proposals", "01990000-"},
	"a text of an agent":     {"UPDATE proposals SET text_hash = content_hash WHERE kind = 'agent'", "proposals", "01990000-"},
	"a revision":             {"UPDATE proposals SET revision = revision + 1 WHERE issue = 6", "proposals", "01990000-"},
	"a birthday":             {"UPDATE proposals SET created_at = '2020-01-01T00:00:00.000000Z' WHERE issue = 6", "proposals", "01990000-"},
	"a time of change":       {"UPDATE proposals SET updated_at = '2020-01-01T00:00:00.000000Z' WHERE issue = 6", "proposals", "01990000-"},
	"two places in line":     {swap("proposals", "seq", 2, 3), "proposals", "01990000-"},
	"an assignee":            {"UPDATE issues SET assignee = 'chief' WHERE number = 6", "issues", "#6"},
	"an issue's status":      {"UPDATE issues SET status = 'closed' WHERE number = 6", "issues", "#6"},
	"an issue's title":       {"UPDATE issues SET title = '[Tool Proposal] Harmless' WHERE number = 6", "issues", "#6"},
	"an issue's labels":      {"UPDATE issues SET labels = labels || '\napproved' WHERE number = 6", "issues", "#6"},
	"a tag":                  {"UPDATE live SET tag = 'PACE' WHERE subject = 'tool:user/scene_pacer'", "live", "tool:user/scene_pacer"},
	"an import's label":      {"UPDATE imports SET label = 'elsewhere'", "imports", "imports row 1"},
	"an import's tools":      {"UPDATE imports SET tools = '[]'", "imports", "imports row 1"},
	"an import is gone":      {"DELETE FROM imports", "events", "event "},
	"a raw is gone":          {"DELETE FROM raws", "raws", ""},
	"a raw":                  {"UPDATE raws SET body = " + sqlBytes([]byte("{}")), "raws", ""},
	"contents are gone":      {"DELETE FROM contents", "contents", ""},
	"contents":               {"UPDATE contents SET bytes = " + sqlBytes([]byte("other")), "contents", ""},
	"a hash of contents":     {"UPDATE contents SET sha256 = '" + strings.Repeat("0", 64) + "'", "contents", ""},
	"a counter":              {"UPDATE counters SET n = n + 1 WHERE state = 'draft'", "counters", "draft"},
	"a counter of none":      {"INSERT INTO counters VALUES ('lost', 3)", "counters", "lost"},
	"an issue":               {"UPDATE proposals SET issue = 99 WHERE issue = 6", "proposals", "01990000-"},
	"a table more":           {"CREATE TABLE more (x bigint)", "schema", "table more"},
	"a trigger more":         {triggerMore(), "schema", "trigger more"},
	"an index less":          {"DROP INDEX live_by_id", "schema", "index live_by_id"},
	"malformed JSON":         {"UPDATE versions SET definition = '{' WHERE subject = 'tool:user/scene_pacer' AND number = 2", "versions", "tool:user/scene_pacer version 2"},
}

// TestTampering changes an undamaged database after removing the triggers, and checks the report of Verify.
func TestTampering(t *testing.T) {
	shortrun.OneGoroutine(t)
	for name, tamper := range tamperings {
		if hash := crc32.ChecksumIEEE([]byte(name)); hash%uint32(stride) != 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			db := full(t)
			h := openRawDB(t, db)
			h.unlocked(tamper.sql)
			found := slices.ContainsFunc(verify(t, db).Damage, func(d history.Damage) bool {
				return (d.Table == tamper.table || tamper.table == "schema" && ofSchema(d.Table)) && strings.HasPrefix(d.Key, tamper.key) && d.Message != ""
			})
			if !found {
				t.Errorf("no damage to %s %s; got %+v", tamper.table, tamper.key, verify(t, db).Damage)
			}
		})
	}
}

// TestMissingVersionIsNamed deletes the live version of a tool. A reader must be told the version, and not only that a
// row is missing.
func TestMissingVersionIsNamed(t *testing.T) {
	shortrun.OneGoroutine(t)
	db := full(t)
	openRawDB(t, db).unlocked("DELETE FROM versions WHERE subject = 'tool:user/scene_pacer' AND number = 2")
	_, _, err := db.Find(t.Context(), catalog.Query{Kind: registry.KindTool, All: true}, "tool:user/scene_pacer")
	if !errors.Is(err, proposals.ErrTampered) || !strings.Contains(err.Error(), "version 2 of tool:user/scene_pacer") {
		t.Error(err)
	}
}

// TestDamagedTextIsNotRepeated stores unreadable texts of a megabyte. The error must contain only their beginning.
func TestDamagedTextIsNotRepeated(t *testing.T) {
	shortrun.OneGoroutine(t)
	db := full(t)
	h := openRawDB(t, db)
	id := proposals.ID(h.text("SELECT proposal FROM revisions WHERE seq = 2"))
	thousand := strings.Repeat("0", 1000)
	long := "'{\"\x1b' || replace('" + thousand + "', '0', '" + thousand + "')"
	h.unlocked("UPDATE revisions SET draft = " + long + "; UPDATE assessments SET report = " + long + "; UPDATE decisions SET subject = substr(" + long + ", 1, 200000)") // the column is indexed
	for what, read := range map[string]func(review.Reader) error{
		"a draft":   func(r review.Reader) error { _, err := r.Revisions(t.Context(), id); return err },
		"a report":  func(r review.Reader) error { _, err := r.Assessments(t.Context(), id, 1); return err },
		"a subject": func(r review.Reader) error { _, err := r.Decisions(t.Context(), id); return err },
	} {
		err := db.View(t.Context(), read)
		if !errors.Is(err, store.ErrDamaged) || !strings.Contains(err.Error(), `stored value "{\"\x1b0000`) || len(err.Error()) > 1000 {
			t.Errorf("%s: %.1200v", what, err)
		}
	}
}

// swap exchanges the values of two rows in a column.
func swap(table, column string, a, b int) string {
	r := strings.NewReplacer("TABLE", table, "COLUMN", column, "FIRST", strconv.Itoa(a), "SECOND", strconv.Itoa(b))
	where := ""
	if table == "versions" {
		where = " AND subject = 'tool:user/scene_pacer'"
	}
	return r.Replace("UPDATE TABLE SET COLUMN = COLUMN + 1000000 WHERE COLUMN IN (FIRST, SECOND)" + where +
		"; UPDATE TABLE SET COLUMN = FIRST + SECOND + 1000000 - COLUMN WHERE COLUMN > 1000000" + where)
}

// ofSchema reports whether damage is in the schema, with the name of either engine.
func ofSchema(table string) bool { return table == "sqlite_schema" || table == "pg_class" }

// TestEveryDroppedTriggerIsNamed drops each trigger in turn, and replaces each with one that does nothing.
func TestEveryDroppedTriggerIsNamed(t *testing.T) {
	shortrun.OneGoroutine(t)
	db := full(t)
	h := openRawDB(t, db)
	triggers, err := h.conn.Triggers(t.Context())
	if err != nil || len(triggers) < 80 {
		t.Fatalf("%d triggers, %v", len(triggers), err)
	}
	do := func(statement string) {
		t.Helper()
		if err := h.exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	named := func(trigger storetest.Trigger, message string) {
		t.Helper()
		if got := verify(t, db).Damage; len(got) != 1 || !ofSchema(got[0].Table) || got[0].Key != "trigger "+trigger.Name || !strings.HasPrefix(got[0].Message, message) {
			t.Errorf("%s: %+v", trigger.Name, got)
		}
	}
	for i, trigger := range triggers {
		if i%stride != 0 {
			continue
		}
		do(trigger.Drop)
		named(trigger, "It was dropped")
		if weak := weakened(trigger); weak != "" {
			do(weak)
			named(trigger, "It differs from the definition in the schema.")
			do(trigger.Drop)
		}
		do(trigger.SQL)
	}
	if got := verify(t, db).Damage; len(got) > 0 {
		t.Errorf("with every lock back on: %+v", got)
	}
}

// TestEveryColumnIsSealed changes each column of a row in each history table.
func TestEveryColumnIsSealed(t *testing.T) {
	shortrun.OneGoroutine(t)
	for n, table := range recordTables {
		if n%min(stride, 3) != 0 {
			continue
		}
		t.Run(table, func(t *testing.T) {
			db := full(t)
			h := openRawDB(t, db)
			numbers, err := h.numbers(t.Context(), table)
			if err != nil {
				t.Fatal(err)
			}
			undo := "SELECT 1"
			for i, c := range h.columns(table) {
				if i%stride != 0 {
					continue
				}
				value := "'x' || " + c
				if slices.Contains(numbers, c) {
					value = c + " + 1000000"
				}
				row := "seq = (SELECT max(seq) FROM " + table + ")"
				before := h.text("SELECT " + literal(c) + " FROM " + table + " WHERE " + row)
				h.unlocked(undo + "; UPDATE " + table + " SET " + c + " = " + value + " WHERE " + row)
				undo = "UPDATE " + table + " SET " + c + " = " + before + " WHERE " + row
				if got := verify(t, db).Damage; !slices.ContainsFunc(got, func(d history.Damage) bool { return d.Table == table || ofSchema(d.Table) }) {
					t.Errorf("%s: %+v", c, got)
				}
			}
			h.unlocked(undo)
			if got := verify(t, db).Damage; len(got) > 0 {
				t.Errorf("with everything as it was: %+v", got)
			}
		})
	}
}

// TestIndexWithoutARow deletes a row from the index for rejected texts. The schema, the table, and all seals remain
// unchanged.
func TestIndexWithoutARow(t *testing.T) {
	storetest.NeedsFile(t)
	shortrun.OneGoroutine(t)
	db := full(t)
	h := openRawDB(t, db)
	text := h.text("SELECT sql FROM sqlite_schema WHERE name = 'decisions_rejections'")
	h.unlocked(`DROP INDEX decisions_rejections;
		CREATE INDEX decisions_rejections ON decisions (subject, content_hash) WHERE verdict = 'none';
		PRAGMA writable_schema = ON;
		UPDATE sqlite_schema SET sql = ` + "'" + strings.ReplaceAll(text, "'", "''") + "'" + ` WHERE name = 'decisions_rejections';
		PRAGMA writable_schema = OFF`)
	damage := verify(t, db).Damage
	if !slices.ContainsFunc(damage, func(d history.Damage) bool {
		return strings.Contains(d.Message, "missing from index decisions_rejections")
	}) {
		t.Errorf("the missing row is not named: %+v", damage)
	}
}

// TestSoundDatabases verifies a new database, a full one, and one that was closed and opened again. All rows are read,
// and there must be no damage.
func TestSoundDatabases(t *testing.T) {
	db := full(t)
	for name, report := range map[string]history.Report{"new": verify(t, storetest.New(t)), "full": verify(t, db)} {
		if len(report.Damage) > 0 {
			t.Errorf("%s: %+v", name, report.Damage)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	again := storetest.Open(t, db.Path())
	report := verify(t, again)
	h := openRawDB(t, again)
	for _, table := range recordTables {
		if n := h.text("SELECT count(*) FROM " + table); strconv.Itoa(int(report.Rows[table])) != n {
			t.Errorf("%d rows of %s were read; there are %s", report.Rows[table], table, n)
		}
	}
	if len(report.Damage) > 0 {
		t.Errorf("opened again: %+v", report.Damage)
	}
}
