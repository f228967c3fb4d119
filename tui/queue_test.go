package tui_test

import (
	"fmt"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/store/storetest"
)

// TestQueueOpensOnWaitingProposals checks that the queue opens on the proposals that wait for the user, and that every
// nonempty state shows a count (T6).
func TestQueueOpensOnWaitingProposals(t *testing.T) {
	b := newWorkbench(t, 100, 24, manyDrafts(251), demo("name_bank.json", "word_counts.json"))
	b.wants("▎Your turn 2", "Drafts 251", "1 of 2", "BY", "NO.")
	b.press("tab", "tab", "tab").wants("▎Drafts 251", "1 of 251")
	b.press("shift+tab", "shift+tab", "shift+tab", "shift+tab").wants("▎All", "1 of 253", "STATE")
}

// TestEndOfChunkedQueue goes to the end of several chunks and back, in every order, and with a filter whose matches have not
// been counted.
func TestEndOfChunkedQueue(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newWorkbench(t, 80, 24, manyDrafts(251))
	b.press("tab", "tab", "tab")
	for range 5 {
		names := b.listed()
		b.press("g", "G").wants("251 of 251")
		if row := b.row(); !strings.Contains(row, names[len(names)-1]) {
			t.Errorf("the last of %d is %s, G selects %q", len(names), names[len(names)-1], row)
		}
		b.press("k", "k").wants("249 of 251")
		if row := b.row(); !strings.Contains(row, names[len(names)-3]) {
			t.Errorf("two above the last is %s, selected %q", names[len(names)-3], row)
		}
		for range 30 {
			b.press("pgup")
		}
		if row := b.row(); !strings.Contains(row, names[0]) {
			t.Errorf("the first is %s, read from the end it is %q", names[0], row)
		}
		b.wants("1 of 251")
		b.press("G", "g").wants("1 of 251")
		b.press("o")
	}
	b.press("/").write("tool_").press("enter", "G").wants(" last ")
	b.press("k").wants("1 from the end")
	for range 30 {
		b.press("pgup")
	}
	b.wants("1 of 251")
}

// TestBeyondTheFirstScreen scrolls beyond the rows of the first frame.
func TestBeyondTheFirstScreen(t *testing.T) {
	b := newWorkbench(t, 80, 24, func(b *workbench) {
		drafts := make([]proposals.Draft, 30)
		for i := range drafts {
			drafts[i] = storetest.Prompt(fmt.Sprintf("tool_%02d", i))
		}
		if _, err := b.desk.Drafting.Propose(t.Context(), mara, drafts, true); err != nil {
			t.Fatal(err)
		}
	})
	for range 29 {
		b.press("j")
	}
	b.wants("▎Your turn 30", "30 of 30")
}

// TestNewProposalsAreAnnounced checks that proposals from another process are reported, and that other pages show a badge
// until the queue was on screen (T21).
func TestNewProposalsAreAnnounced(t *testing.T) {
	b := newWorkbench(t, 100, 30, demo("name_bank.json"))
	b.press("T")
	demo("word_counts.json")(b)
	b.poll()
	b.wants("New: #2 new tool:user/get_word_counts by agent:drafter", "● 1 new: Q")
	b.press("j")
	demo("viewpoint_keeper.md")(b)
	b.poll()
	b.wants("2 new since you looked; the newest is #3 new tool:user/viewpoint_keeper", "● 2 new: Q")
	b.press("Q", "j")
	if strings.Contains(b.screen(), "2 new") {
		t.Errorf("looked at, and still new:\n%s", b.screen())
	}
	b.press("x").write("Not now.").press("tab", "y")
	if b.count(proposals.Rejected) != 1 || strings.Contains(b.screen(), "new: Q") {
		t.Errorf("a decision is told as new:\n%s", b.screen())
	}
	b.press("T", "f").wants("draft")
	if strings.Contains(b.screen(), "new: Q") {
		t.Errorf("a draft of one's own is told as new:\n%s", b.screen())
	}
}

// TestRangeOfMarks marks rows by moving the cursor, and keeps earlier marks (T21).
func TestRangeOfMarks(t *testing.T) {
	b := newSharedWorkbench(t, "screens", 100, 30, demo(demoFiles...), assessed)
	b.press("G", "space", "g", "v", "j", "j").wants("* 4 marked")
	b.press("k").wants("* 3 marked")
	b.press("esc", "j", "j").wants("* 3 marked")
	b.press("x").write("No.").press("ctrl+s", "y")
	if n := b.count(proposals.Rejected); n != 3 {
		t.Errorf("%d rejected", n)
	}
}

// TestPreviewOfADraft checks that the pane shows no changes of the previously selected row. A draft has no digest,
// like a list that has not been read.
func TestPreviewOfADraft(t *testing.T) {
	b := newWorkbench(t, 140, 60, demo("delete_tasks_unasked.json"), func(b *workbench) {
		draft := storetest.Prompt("long_draft")
		draft.Definition.Tool.Prompt = strings.Repeat("Read the scene slowly and well.\n", 4096)
		if _, err := b.desk.Drafting.Propose(t.Context(), mara, []proposals.Draft{draft}, false); err != nil {
			t.Fatal(err)
		}
	})
	b.wants("◆ approval.tier")
	b.press("tab", "tab", "tab").wants("tool:user/long_draft")
	if strings.Contains(b.screen(), "◆ approval.tier") {
		t.Errorf("the change of another proposal:\n%s", b.screen())
	}
}
