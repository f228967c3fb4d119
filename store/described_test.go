package store_test

import (
	"testing"

	"toolcrib/store/assistant"
	"toolcrib/store/calls"
	"toolcrib/store/catalog"
	"toolcrib/store/engine"
	"toolcrib/store/queue"
	"toolcrib/store/records"
	"toolcrib/store/storetest"
	"toolcrib/store/table"
)

// described is a table with the columns according to its description.
type described struct {
	name    string
	columns table.Columns
}

func describe[T any](t table.Table[T]) described { return described{t.Name, t.Columns(new(T))} }

// TestTablesAreAsDescribed compares the descriptions of tables with the schema created by the migrations.
func TestTablesAreAsDescribed(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	for _, d := range []described{
		describe(queue.ProposalTable), describe(queue.IssueTable), describe(queue.RevisionTable), describe(queue.ShownTable),
		describe(records.AssessmentTable), describe(records.WaiverTable), describe(records.DecisionTable), describe(records.CommentTable),
		describe(records.SignatureTable), describe(records.EventTable), describe(catalog.VersionTable),
		describe(calls.CallTable), describe(calls.OutcomeTable), describe(calls.RefusalTable), describe(calls.PruneTable), describe(calls.PendingTable), describe(calls.AnswerTable),
		describe(calls.TierTable), describe(calls.TokenTable), describe(calls.RevocationTable),
		describe(assistant.TaskTable), describe(assistant.ReminderTable), describe(assistant.ScheduleTable), describe(assistant.MemoryTable),
		describe(assistant.EntityTable),
	} {
		for _, c := range d.columns {
			value := "instr(" + c.Name + ", 'x')"
			if c.Kind() == engine.Number {
				value = "abs(" + c.Name + ")"
			}
			if err := db.SQL(t.Context(), "SELECT "+value+" FROM "+d.name); err != nil {
				t.Errorf("%v; the description of %s has the column %s: add its step to engine.AddedColumns", err, d.name, c.Name)
			}
		}
	}
}

// TestAddedColumns adds columns to a table with a row, as a migration does. The row must have no value in them.
func TestAddedColumns(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	text, number := "TEXT", "INTEGER"
	if storetest.OnPostgres() {
		text, number = `text COLLATE "C"`, "bigint"
	}
	for _, added := range []engine.Added{{Table: "core", Column: "due"}, {Table: "core", Column: "nth", Kind: engine.Number}} {
		if err := db.SQL(t.Context(), added.Statement(text, number)); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.SQL(t.Context(), "CREATE TABLE checked (n INTEGER CHECK (n = 0)); INSERT INTO checked SELECT length(due) + nth FROM core"); err != nil {
		t.Error(err)
	}
}
