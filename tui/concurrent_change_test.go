package tui_test

import (
	"context"
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

// TestDialogReportsChangesMadeMeanwhile changes the proposal while a dialog is open: another user decides, or the
// author revises it. The answer then has no effect.
func TestDialogReportsChangesMadeMeanwhile(t *testing.T) {
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
	for name, c := range map[string]struct {
		act  func(*workbench)
		says string
		left proposals.State
	}{
		"decided": {decided, "the proposal is already rejected", proposals.Rejected},
		"revised": {revised, "the proposal changed while the dialog was open", proposals.UserReview},
	} {
		for _, keys := range [][]string{{"a"}, {"x", "W", "h", "y", ".", "tab"}} {
			b := newWorkbench(t, 100, 60, demo("name_bank.json"))
			b.press("enter", "2").press(keys...).wants("y ")
			c.act(b)
			b.poll()
			b.wants(c.says)
			b.press("y").wants("Nothing changed")
			if got := b.state(); got != c.left {
				t.Errorf("%s, %v: state %s", name, keys, got)
			}
			b.press("esc").wants("▎Diff")
		}
	}
}
