package tui_test

import (
	"context"
	"strings"
	"testing"

	"toolcrib/proposals"
	"toolcrib/review"
)

// only returns the only proposal.
func (b *workbench) only() proposals.Proposal {
	b.t.Helper()
	page, err := b.desk.Reading.List(context.Background(), review.Query{})
	if err != nil || len(page.Proposals) != 1 {
		b.t.Fatalf("%v: %v", page.Proposals, err)
	}
	return page.Proposals[0]
}

// TestDialogEndsWithItsSubject changes the proposal while a dialog is open: another user decides, or the author revises
// it. The dialog then closes. If the user is typing a reason, it stays open, but the answer has no effect.
func TestDialogEndsWithItsSubject(t *testing.T) {
	ctx := context.Background()
	decided := func(b *workbench) {
		if _, err := b.desk.Deciding.Decide(ctx, mara, []review.Choice{{ID: b.only().ID}}, proposals.VerdictRejected, "No."); err != nil {
			b.t.Fatal(err)
		}
	}
	revised := func(b *workbench) {
		draft := b.file("name_bank.json")
		draft.Rationale = "Another one."
		if _, err := b.desk.Drafting.Revise(ctx, drafter, b.only().ID, draft); err != nil {
			b.t.Fatal(err)
		}
	}
	const says = "A proposal has changed; read it again"
	for name, c := range map[string]struct {
		act  func(*workbench)
		left proposals.State
	}{"decided": {decided, proposals.Rejected}, "revised": {revised, proposals.UserReview}} {
		for _, keys := range [][]string{{"a"}, {"x", "W", "h", "y", "."}} {
			b := newWorkbench(t, 100, 60, demo("name_bank.json"))
			b.press("enter", "2").press(keys...).wants("━━ ")
			c.act(b)
			b.poll()
			if keys[0] == "x" {
				b.press("z").wants("Why.z", says)
				b.press("tab", "y").wants("Nothing changed")
				b.press("esc")
			} else if s := b.screen(); strings.Contains(s, "━━ ") {
				t.Errorf("%s: the dialog is open:\n%s", name, s)
			}
			if got := b.state(); got != c.left {
				t.Errorf("%s, %v: state %s", name, keys, got)
			}
			b.wants("▎Diff")
		}
	}
}

// TestDialogEndsWithItsSet withdraws a member of a change set while the dialog for its approval is open, and then
// proposes another one.
func TestDialogEndsWithItsSet(t *testing.T) {
	for _, keys := range [][]string{{"a"}, {"enter", "a"}} { // in the queue, and on the page of the set
		b := newWorkbench(t, 100, 40, harbour)
		b.press(keys...).wants("Approve 3 proposals", "set harbour")
		page, err := b.desk.Reading.List(context.Background(), review.Query{Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		p := page.Proposals[0]
		if _, err := b.desk.Drafting.Withdraw(context.Background(), p.Author, p.ID, ""); err != nil {
			t.Fatal(err)
		}
		b.poll()
		b.wants("The set has changed; read it again")
		if s := b.screen(); strings.Contains(s, "━━ ") {
			t.Errorf("%v: the dialog is open:\n%s", keys, s)
		}
		b.press("a").wants("Approve 2 proposals")
	}
}
