package store_test

import (
	"testing"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/store/storetest"
)

// Who acts in the tests of the store.
var (
	ada   = proposals.Actor{Kind: proposals.User, Name: "ada"}
	scout = proposals.Actor{Kind: proposals.Agent, Name: "scout"}
)

// full returns a database with something in every table.
func full(t testing.TB) *storetest.Database {
	t.Helper()
	db := storetest.New(t)
	fill(t, db)
	return db
}

// fill takes a handful of proposals through everything that leaves a row.
func fill(t testing.TB, db *storetest.Database) {
	t.Helper()
	ctx := t.Context()
	desk := db.Desk(t, review.Policy{Severities: storetest.Basics()})
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	first := storetest.Prompt("scene_pacer")
	db.Approved(t, desk, ada, first)
	db.Approved(t, desk, ada, storetest.Modify(first, 1, func(t *registry.Tool) { t.Prompt += "\nMore."; t.Aliases = []string{"pace_scene"} }))
	db.Approved(t, desk, ada, storetest.Agent("night_reader"), storetest.Prompt("chapter_pacer"))

	aliased := storetest.Prompt("book_pacer")
	aliased.Definition.Tool.Aliases = []string{"get_task", "save_memory"}
	propose := func(by proposals.Actor, d proposals.Draft) []review.Choice {
		t.Helper()
		made, err := desk.Propose(ctx, by, []proposals.Draft{d}, true)
		must(err)
		return []review.Choice{{ID: made[0].ID}}
	}
	waived := propose(scout, aliased)
	for _, alias := range []string{"0", "1"} {
		_, err := desk.Waive(ctx, ada, waived[0].ID, "N103@definition.aliases["+alias+"]", "The old name is wanted.", nil)
		must(err)
	}
	_, err := desk.Approve(ctx, ada, waived, "Agreed on Monday.")
	must(err)
	sentBack := propose(scout, storetest.Prompt("page_pacer"))
	_, err = desk.RequestChanges(ctx, ada, sentBack, "Say more.")
	must(err)
	d := storetest.Prompt("page_pacer")
	d.Rationale, d.ChangeSet = "More is said.", "pages"
	_, err = desk.Revise(ctx, scout, sentBack[0].ID, d)
	must(err)
	rejected := propose(scout, storetest.Prompt("line_pacer"))
	_, err = desk.Reject(ctx, ada, rejected, "Not needed.")
	must(err)
	withdrawn := propose(scout, storetest.Prompt("word_pacer"))
	_, err = desk.Withdraw(ctx, scout, withdrawn[0].ID, "Never mind.")
	must(err)
	for _, body := range []string{"What about dialogue?", "It is covered."} {
		_, err = desk.Comment(ctx, ada, sentBack[0].ID, body, review.Anchor{Field: "definition.prompt", Line: 2})
		must(err)
	}
	_, err = desk.Propose(ctx, ada, []proposals.Draft{storetest.Prompt("drafted")}, false)
	must(err)
}

// verify returns what is wrong with the database.
func verify(t testing.TB, db *storetest.Database) history.Report {
	t.Helper()
	var report history.Report
	err := db.Audit(t.Context(), func(l history.Ledger) error {
		var err error
		report, err = history.Verify(t.Context(), l, nil)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return report
}
