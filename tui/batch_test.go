package tui_test

import (
	"context"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/review"
)

// states returns the state of every proposal by subject.
func (b *workbench) states() map[string]proposals.State {
	b.t.Helper()
	page, err := b.desk.Reading.List(context.Background(), review.Query{})
	if err != nil {
		b.t.Fatal(err)
	}
	out := map[string]proposals.State{}
	for _, p := range page.Proposals {
		out[p.Subject.ID] = p.State
	}
	return out
}

// count returns the number of proposals in a state.
func (b *workbench) count(s proposals.State) int {
	n := 0
	for _, state := range b.states() {
		if state == s {
			n++
		}
	}
	return n
}

// checkNotes checks that the first decision on each proposal has a note.
func (b *workbench) checkNotes(note string) {
	b.t.Helper()
	page, err := b.desk.Reading.List(context.Background(), review.Query{})
	if err != nil {
		b.t.Fatal(err)
	}
	for _, p := range page.Proposals {
		if d, err := b.desk.Reading.Show(context.Background(), mara, p.ID); err != nil || d.Decisions[0].Note != note {
			b.t.Errorf("%s: %v, %v", p.Subject, d.Decisions, err)
		}
	}
}

// TestApproveMarked checks that marked proposals cannot be approved before all of them were read, nor by enter, by y
// alone, or by another number.
func TestApproveMarked(t *testing.T) {
	b := newWorkbench(t, 120, 50, demo("name_bank.json", "word_counts.json", "viewpoint_keeper.md"))
	b.press("space", "j", "space").wants("* 2 marked", "▌ *#1")
	b.press("a").wants("Approve 2 proposals", "! unread: ", "#3 tool:user/viewpoint_keeper: the diff", "#1 tool:user/name_bank: the diff", "u next unread")
	b.press("2", "y").wants("Unread: ")
	b.press("u").wants("Queue › #3", "▎Diff")
	b.press("space", "space", "space", "esc", "a").wants("#1 tool:user/name_bank: the diff")
	if strings.Contains(b.screen(), "#3 tool:user/viewpoint_keeper: the diff") {
		t.Fatalf("read, and still locked:\n%s", b.screen())
	}
	b.press("u").wants("Queue › #1")
	b.press("space", "space", "space", "esc", "a").wants("2y approve all")
	b.press("d").wants("becomes version 1", "digest")
	b.press("d")
	for _, keys := range [][]string{{"enter"}, {"y"}, {"3", "y"}, {"y", "enter"}, {"2", "enter"}, {"backspace", "y"}} {
		b.press(keys...)
		if n := b.count(proposals.Approved); n != 0 {
			t.Fatalf("%q approved %d:\n%s", keys, n, b.screen())
		}
	}
	b.wants("Type 2, then y")
	b.press("2", "y").wants("Live: tool:user/viewpoint_keeper version 1 and tool:user/name_bank version 1")
	if s := b.states(); s["name_bank"] != proposals.Approved || s["viewpoint_keeper"] != proposals.Approved || s["get_word_counts"] != proposals.UserReview {
		t.Errorf("states %v", s)
	}
	if strings.Contains(b.screen(), "marked") {
		t.Errorf("still marked:\n%s", b.screen())
	}
}

// TestMarkedFromThePage goes from the dialog about marked proposals to the unread parts and approves there. The
// approval still covers all marked proposals (T46).
func TestMarkedFromThePage(t *testing.T) {
	b := newWorkbench(t, 120, 50, demo("word_counts.json", "viewpoint_keeper.md"))
	b.press("*", "a", "u", "space", "space", "space", "a").wants("Approve 2 proposals", "! unread: ")
	b.press("u", "space", "space", "space", "a", "2", "y").wants("Live: ")
	if n := b.count(proposals.Approved); n != 2 {
		t.Errorf("states %v", b.states())
	}
}

// TestLeavingTheFilterRestoresTheRow checks that leaving the filter line restores the selected row.
func TestLeavingTheFilterRestoresTheRow(t *testing.T) {
	b := newWorkbench(t, 120, 50, demo("name_bank.json", "word_counts.json", "viewpoint_keeper.md"))
	b.press("j", "/").write("viewpoint").press("esc").wants("▌  #2")
}

// TestRefuseMarked sends back or rejects several proposals with one reason.
func TestRefuseMarked(t *testing.T) {
	shortrun.OneGoroutine(t)
	for _, c := range []struct {
		key, verb, said string
		state           proposals.State
	}{
		{"c", "y send them back", "Sent back: ", proposals.NeedsChanges},
		{"x", "y reject them for good", "Rejected: ", proposals.Rejected},
	} {
		b := newWorkbench(t, 100, 50, demo("name_bank.json", "word_counts.json", "viewpoint_keeper.md"))
		b.press("*").wants("* 3 marked")
		b.press(c.key).wants("#1", "#2", "#3", "Reason")
		b.press("tab", "y").wants("Give a reason first")
		b.write("Not now.").press("tab").wants(c.verb)
		b.press("y").wants(c.said)
		if n := b.count(c.state); n != 3 {
			t.Errorf("%s: %v", c.key, b.states())
		}
		b.checkNotes("Not now.")
	}
}

// TestMarkedThatCannotBeDecided checks that the dialog names proposals that cannot be decided and the reasons, and continues
// without them on request.
func TestMarkedThatCannotBeDecided(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newWorkbench(t, 120, 50, demo("name_bank.json", "word_counts.json"), assessed)
	b.press("*", "a").wants("Some decisions are not possible", "1 of 2 proposals cannot be decided", "#1 tool:user/name_bank", "1 blocking finding is open (X101)", "d unmark these and continue with 1")
	b.press("y", "enter")
	if n := b.count(proposals.Approved); n != 0 {
		t.Fatalf("approved %d", n)
	}
	b.press("d").wants("Approve", "tool:user/get_word_counts")
	b.press("esc").wants("* 1 marked")
	// Another user decides in the meantime.
	page, err := b.desk.Reading.List(context.Background(), review.Query{Filter: "word_counts"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.desk.Deciding.Decide(context.Background(), mara, []review.Choice{{ID: page.Proposals[0].ID}}, proposals.VerdictRejected, "No."); err != nil {
		t.Fatal(err)
	}
	b.press("x").wants("Not possible", "the proposal is already rejected")
}

// TestMarkedChangesMeanwhile checks that a decision is refused if a digest differs from the one that was shown.
func TestMarkedChangesMeanwhile(t *testing.T) {
	b := newWorkbench(t, 120, 50, demo("name_bank.json", "word_counts.json"))
	b.press("*", "x").write("No.").press("ctrl+s")
	b.reassess("name_bank")
	b.press("y").wants("nothing decided", "#1")
	if n := b.count(proposals.UserReview); n != 2 {
		t.Errorf("states %v", b.states())
	}
	b.wants("* 2 marked")
}

// TestMarkedWithTheirChangeSet checks that an approval includes the other members of the change set.
func TestMarkedWithTheirChangeSet(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newWorkbench(t, 120, 50, demo("research_notes.json"))
	b.press("space").wants("* 3 marked")
	b.press("space", "F", "space").wants("* 1 marked")
	b.press("a").wants("Approve 3 proposals", "#1", "#2", "#3", "! unread: ")
}

// TestFoldedSetIsRefusedAsOne sends back all members of a folded set.
func TestFoldedSetIsRefusedAsOne(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newWorkbench(t, 80, 24, demo("name_bank.json", "research_notes.json"))
	b.press("c").wants("3 proposals")
	b.write("Shorter.").press("ctrl+s", "y")
	if n := b.count(proposals.NeedsChanges); n != 3 {
		t.Errorf("states %v", b.states())
	}
}

// TestMarksSurviveFilters checks that marks survive filtering and opening a proposal.
func TestMarksSurviveFilters(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newWorkbench(t, 120, 50, demo("name_bank.json", "word_counts.json"))
	b.press("space", "/").write("name").press("enter", "space").wants("* 2 marked")
	b.press("enter").wants("* 2 marked")
	b.press("+").wants("#1 unmarked", "* 1 marked")
	b.press("Q", "esc", "*").wants("* 2 marked")
	b.press("*").wants("All marks removed")
	b.press("tab", "tab", "space").wants("no proposal is selected")
}

// TestDecideOnTheSelectedRow checks that a single proposal needs neither a mark nor a typed number.
func TestDecideOnTheSelectedRow(t *testing.T) {
	b := newWorkbench(t, 120, 50, demo("name_bank.json", "word_counts.json"))
	b.press("j", "x").write("Twice.").press("esc").wants("Draft saved")
	b.press("x").wants("Twice.", "Restored your draft")
	b.press("tab", "y").wants("Rejected: tool:user/name_bank")
	if s := b.states(); s["name_bank"] != proposals.Rejected || s["get_word_counts"] != proposals.UserReview {
		t.Errorf("states %v", s)
	}
	b.press("shift+tab", "j", "x").wants("the proposal is already rejected")
}

// reassess assesses a proposal again, like another process.
func (b *workbench) reassess(name string) {
	b.t.Helper()
	page, err := b.desk.Reading.List(context.Background(), review.Query{Filter: name})
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.desk.Assessing.Reassess(context.Background(), page.Proposals[0].ID); err != nil {
		b.t.Fatal(err)
	}
}

// TestMarksWithShiftAndArrows marks rows with shift and an arrow key, and rejects three of several proposals with five keys.
func TestMarksWithShiftAndArrows(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newWorkbench(t, 120, 40, demo("name_bank.json", "word_counts.json", "viewpoint_keeper.md", "style_memory.md"))
	b.press("shift+down", "shift+down").wants("* 3 marked")
	b.press("x").write("Not these.").press("ctrl+s", "y").wants("Rejected: ")
	if s := b.states(); b.count(proposals.Rejected) != 3 || s["name_bank"] != proposals.UserReview {
		t.Errorf("states %v", s)
	}
	b = newWorkbench(t, 120, 40, demo("name_bank.json", "word_counts.json", "viewpoint_keeper.md"))
	b.press("G", "shift+up").wants("* 2 marked")
	b.press("space").wants("* 1 marked")
	b.press("tab", "tab", "shift+down").wants("no proposal is selected")
}
