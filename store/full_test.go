package store_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/wire"
	"toolcrib/review"
	"toolcrib/review/service"
	"toolcrib/store/catalog"
	"toolcrib/store/storetest"
)

// The actors in the tests of the store.
var (
	ada   = proposals.Actor{Kind: proposals.User, Name: "ada"}
	scout = proposals.Actor{Kind: proposals.Agent, Name: "scout"}
)

// full returns a database with rows in every table.
func full(t testing.TB) *storetest.Database {
	t.Helper()
	return storetest.FromImage(t, image(t))
}

// image returns the bytes of a database with rows in every table.
func image(t testing.TB) []byte {
	t.Helper()
	b, err := filled()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

var filled = sync.OnceValues(func() ([]byte, error) { return storetest.Image(fill) })

// fill performs all acts that write rows with a few proposals.
func fill(db *storetest.Database) error {
	ctx := context.Background()
	desk, err := service.New(db, review.Policy{Severities: storetest.BasicSeverities()}, db.Clock.Now, db.NewID)
	if err != nil {
		return err
	}
	errs := []error{fillCalls(ctx, db)}
	propose := func(by proposals.Actor, submit bool, drafts ...proposals.Draft) []review.Choice {
		made, err := desk.Drafting.Propose(ctx, by, drafts, submit)
		errs = append(errs, err)
		choices := make([]review.Choice, len(made))
		for i, p := range made {
			choices[i] = review.Choice{ID: p.ID, Unseen: p.Type == proposals.New}
		}
		return choices
	}
	approve := func(choices []review.Choice, note string) {
		_, err := desk.Deciding.Approve(ctx, ada, choices, note)
		errs = append(errs, err)
	}
	first := storetest.Prompt("scene_pacer")
	approve(propose(ada, true, first), "")
	approve(propose(ada, true, storetest.Modify(first, 1, func(t *registry.Tool) { t.Prompt += "\nMore."; t.Aliases = []string{"pace_scene"} })), "")
	approve(propose(ada, true, storetest.Agent("night_reader"), storetest.Prompt("chapter_pacer")), "")

	aliased := storetest.Prompt("book_pacer")
	aliased.Definition.Tool.Aliases = []string{"get_task", "save_memory"}
	waived := propose(scout, true, aliased)
	for _, alias := range []string{"0", "1"} {
		_, err = desk.Deciding.Waive(ctx, ada, waived[0].ID, "N103@definition.aliases["+alias+"]", "The old name is wanted.", nil)
		errs = append(errs, err)
	}
	approve(waived, "Agreed on Monday.")

	again := storetest.Prompt("page_pacer")
	sentBack := propose(scout, true, again)
	_, err = desk.Deciding.Decide(ctx, ada, sentBack, proposals.VerdictNeedsChanges, "Say more.")
	errs = append(errs, err)
	again.Rationale, again.ChangeSet = "More is said.", "pages"
	_, err = desk.Drafting.Revise(ctx, scout, sentBack[0].ID, again)
	errs = append(errs, err)
	_, err = desk.Deciding.Decide(ctx, ada, propose(scout, true, storetest.Prompt("line_pacer")), proposals.VerdictRejected, "Not needed.")
	errs = append(errs, err)
	_, err = desk.Drafting.Withdraw(ctx, scout, propose(scout, true, storetest.Prompt("word_pacer"))[0].ID, "Never mind.")
	errs = append(errs, err)
	for _, body := range []string{"What about dialogue?", "It is covered."} {
		_, err = desk.Drafting.Comment(ctx, ada, sentBack[0].ID, body, review.Anchor{Field: "definition.prompt", Line: 2})
		errs = append(errs, err)
	}
	blocked := storetest.Prompt("verse_pacer")
	blocked.Definition.Tool.Aliases = []string{"get_task"}
	propose(ada, true, blocked)
	imported := []byte(`{"name": "get_reports", "inputSchema": {"type": "object"}}`)
	hash, err := wire.HashRaw(imported)
	errs = append(errs, err, db.KeepImport(ctx, catalog.Import{
		ID: db.NewID(), At: db.Clock.Now(), Actor: "user:ada", Format: "mcp", Label: "reports", Hash: hash, Tools: []catalog.Raw{{Hash: hash, Body: imported}},
	}))
	propose(ada, false, storetest.Prompt("drafted"))
	skill, contents := storetest.Skill("logo", "assets/logo.png", []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x00"))
	made, err := desk.WithContents(contents).Drafting.Propose(ctx, ada, []proposals.Draft{skill}, true)
	if errs = append(errs, err); err == nil {
		approve([]review.Choice{{ID: made[0].ID}}, "")
	}
	return errors.Join(errs...)
}

// verify returns the damage to the database.
func verify(t testing.TB, db *storetest.Database) history.Report {
	t.Helper()
	return storetest.Verify(t, db.DB)
}
