package tui_test

import (
	"context"
	"testing"

	"toolcrib/proposals"
)

// TestUndo ends a waiver, and proposes again what was rejected; the decision stays.
func TestUndo(t *testing.T) {
	b := newBench(t, 120, 40, demo("name_bank.json"), assessed)
	b.press("enter", "3").press("U").wants("U: only a rejected or withdrawn proposal is drafted again")
	b.press("W").write("The author wrote it so.").press("ctrl+s", "y").wants("□ waived", "U undo")
	b.press("U").wants("End a waiver", "waived by", "The author wrote it so.")
	b.write("A mistake.").press("ctrl+s", "y").wants("Ended the waiver of X101 in definition.guardrails", "■ block")
	b.press("5").wants("□ waived X101", "■ ended the waiver of X101", "A mistake.")
	b.press("x").write("Not this way.").press("ctrl+s", "y").wants("Rejected: tool:user/name_bank")
	b.press("1", "U").wants("Propose it again")
	b.press("y").wants("Proposed tool:user/name_bank as #2, again after #1")
	counts, err := b.desk.Counts(context.Background())
	if err != nil || counts[proposals.Rejected] != 1 || counts[proposals.UserReview] != 1 {
		t.Errorf("states %v: %v", counts, err)
	}
}
