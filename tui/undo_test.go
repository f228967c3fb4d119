package tui_test

import (
	"context"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/registry"
)

// TestUndo ends a waiver and proposes a rejected proposal again. The decision stays.
func TestUndo(t *testing.T) {
	b := newWorkbench(t, 120, 40, demo("name_bank.json"), assessed)
	b.press("enter", "3").press("U").wants("U undo: only rejected, withdrawn, or sent-back proposals can be proposed again")
	b.press("W").write("The author wrote it so.").press("ctrl+s", "y").wants("□ waived", "U undo", "Waived X101 in definition.guardrails. U ends the waiver")
	b.press("U").wants("End a waiver", "waived by", "The author wrote it so.")
	b.write("A mistake.").press("ctrl+s", "y").wants("Ended the waiver of X101 in definition.guardrails", "■ block")
	b.press("5").wants("□ waived X101", "■ ended the waiver of X101", "A mistake.")
	b.press("x").write("Not this way.").press("ctrl+s", "y").wants("Rejected: tool:user/name_bank")
	b.press("1", "U").wants("━━ Propose again ━━")
	b.press("y").wants("Proposed tool:user/name_bank as #2, with the content of #1")
	counts, err := b.desk.Reading.Counts(context.Background())
	if err != nil || counts[proposals.Rejected] != 1 || counts[proposals.UserReview] != 1 {
		t.Errorf("states %v: %v", counts, err)
	}
}

// TestUndoesTheLastAction presses the key in the message about a decision, on every page (T24).
func TestUndoesTheLastAction(t *testing.T) {
	shortrun.OneGoroutine(t)
	ctx := context.Background()
	b := newWorkbench(t, 120, 60, demo("name_bank.json", "word_counts.json", "viewpoint_keeper.md"))
	b.press("U").wants("U: no decision or waiver to undo")
	b.press("x").write("No.").press("ctrl+s", "y").wants("Rejected: tool:user/viewpoint_keeper. U proposes it again. Press . for the next proposal")
	b.press("U", "y").wants("Proposed tool:user/viewpoint_keeper as #4, with the content of #3")
	b.press("Q", "x").write("No.").press("ctrl+s", "y").wants("Rejected")
	b.press("j", "k", "U").wants("━━ Propose again ━━")
	b.press("y").wants("with the content of #")
	b.press("Q", "*", "x").write("No.").press("ctrl+s", "y").wants("U proposes them again")
	b.press("U").wants("3 new proposals with the same content")
	b.press("y").wants("Proposed again as #")
	if counts, err := b.desk.Reading.Counts(ctx); err != nil || counts[proposals.UserReview] != 3 {
		t.Fatalf("states %v: %v", counts, err)
	}
	b.press("c").write("Shorter.").press("ctrl+s", "y").wants("Sent back: ", "U proposes it again")
	b.press("U", "y").wants("with the content of #")
	if counts, err := b.desk.Reading.Counts(ctx); err != nil || counts[proposals.NeedsChanges] != 0 || counts[proposals.UserReview] != 3 {
		t.Errorf("after a sent back proposal was proposed again: %v, %v", counts, err)
	}
}

// TestUndoRefersToThePage presses the key on pages that have nothing to undo. It does not revert a decision about
// something else (T38).
func TestUndoRefersToThePage(t *testing.T) {
	b := newWorkbench(t, 120, 60, demo("name_bank.json", "word_counts.json"))
	b.press("x").write("No.").press("ctrl+s", "y").wants("Rejected: ")
	b.press("T", "U").wants("U: Locked (core)")
	b.press("L", "U").wants("U restore: the entry has no version that can be restored")
	b.press("Q", "enter", "6", "U").wants("U undo: ")
	b.press("Q", "H", "Q", "U").wants("━━ Propose again ━━")
	if strings.Contains(b.screen(), "word_counts  to") {
		t.Errorf("another subject:\n%s", b.screen())
	}
}

// TestPaneAfterADecision decides on the page of a proposal and returns to the queue. The pane shows the next
// proposal, which can be decided (T39).
func TestPaneAfterADecision(t *testing.T) {
	b := newWorkbench(t, 160, 60, demo("name_bank.json", "word_counts.json"))
	b.press("enter", "x").write("No.").press("ctrl+s", "y").wants("Rejected: ")
	b.press("esc").wants("◆ prompt")
	b.press("a").wants("y approve")
}

// TestProposedAgainOutsideAStoppedSet proposes a rejected member again. It leaves the set, in which nobody could
// approve it.
func TestProposedAgainOutsideAStoppedSet(t *testing.T) {
	b := newWorkbench(t, 120, 60, func(b *workbench) {
		d := b.file("word_counts.json")
		d.ChangeSet = "harbour"
		b.propose(d)
	})
	b.press("x").write("No.").press("ctrl+s", "y", "U", "y").wants("as #2, with the content of #1")
	b.press("1").wants("#2 new tool:user/get_word_counts")
	if strings.Contains(b.screen(), "approved yet") {
		t.Fatalf("the rejection of #1 stops it:\n%s", b.screen())
	}
	b.press("2", "a", "y").wants("Live: tool:user/get_word_counts")
}

// TestUndoesAnApproval restores the previous version, and deactivates a new definition.
func TestUndoesAnApproval(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newWorkbench(t, 120, 60, threeVersions, func(b *workbench) {
		d, three := b.file("name_bank.json"), 3
		d.Type, d.BaseVersion, d.Definition.Tool.Goals = proposals.Modify, &three, "Four things."
		b.propose(d)
		b.propose(b.file("word_counts.json"))
	})
	b.press("j")
	b.screen()
	b.press("a", "y").wants("Live: tool:user/name_bank version 4. U restores version 3")
	b.press("U").wants("Restore a version", "to the content of v3")
	b.write("It was worse.").press("ctrl+s", "y").wants("restore tool:user/name_bank", "press a to approve it")
	b.screen()
	b.press("Q", "G").wants("Get word counts")
	b.press("J", "J")
	b.press("a", "y").wants("Live: tool:user/get_word_counts version 1. U deactivates it")
	b.press("U").wants("━━ Deactivate ━━")
	b.write("Too early.").press("ctrl+s", "y").wants("deactivate tool:user/get_word_counts", "press a to approve it", "your turn")
}

// TestUndoesASet approves a set of changes, and takes it back with four keys: one set of restores, and one decision
// (T42). What is restored was approved before and is not read again.
func TestUndoesASet(t *testing.T) {
	b := newWorkbench(t, 120, 24, threeVersions, func(b *workbench) {
		d, three := b.file("name_bank.json"), 3
		d.Type, d.BaseVersion, d.Definition.Tool.Goals, d.ChangeSet = proposals.Modify, &three, strings.Repeat("Four things.\n", 40), "harbour"
		b.propose(d)
		d = b.file("word_counts.json")
		d.ChangeSet = "harbour"
		b.propose(d)
	})
	b.press("enter").wants("Queue › set harbour", "2 tools: 1 new, 1 changed")
	b.press("E", "space", "space", "space", "space", "space", "space", "a", "y").wants("Live: ", "U undoes the approval of all")
	b.press("U").wants("━━ Undo a change set ━━ set harbour")
	b.press("y").wants("Queue › set undo harbour", "1 restored, 1 removed")
	b.press("a", "y").wants("Live: ")
	live := map[string]string{}
	for _, name := range []string{"name_bank", "get_word_counts"} {
		v, err := b.db.Versions(context.Background(), registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: name}, 0, 1)
		if err != nil || len(v) != 1 {
			t.Fatal(v, err)
		}
		live[name] = string(v[0].Definition)
	}
	if strings.Contains(live["name_bank"], "Four things") || !strings.Contains(live["get_word_counts"], "deactivated") {
		t.Errorf("live: %v", live)
	}
}
