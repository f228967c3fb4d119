package tui_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"toolcrib/proposals"
	"toolcrib/review"
)

// says fails unless all of the texts were said.
func says(t *testing.T, out string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not said:\n%s", want, out)
		}
	}
}

// TestDialogueApprovesMarked has to read all of each first, and takes neither
// an empty line, y, nor another number for a yes.
func TestDialogueApprovesMarked(t *testing.T) {
	b := newBench(t, 80, 24, demo("name_bank.json", "word_counts.json", "viewpoint_keeper.md"))
	out := b.dialogue(0, "approve", "mark 1 3", "approve", "open 1", "diff", "back", "approve")
	says(t, out, "No proposal is open or marked. Say open", "2 proposals are marked: #3 tool:user/viewpoint_keeper, #1 tool:user/name_bank.", "queue, 2 marked> ",
		"Not read yet in #3 tool:user/viewpoint_keeper: the diff.", "Not read yet in #1 tool:user/name_bank: the diff.", "Read diff and findings of each to the end")
	if strings.Count(out, "#3 tool:user/viewpoint_keeper: the diff.") != 1 {
		t.Errorf("read, and still locked:\n%s", out)
	}
	read := []string{"open 1", "diff", "back", "open 3", "diff", "mark", "back", "mark 1", "approve"}
	for _, answer := range []string{"", "y", "yes", "3y", "2", "2 y"} {
		out = b.dialogue(0, append(slices.Clone(read), answer)...)
		says(t, out, "Approve: 2 proposals. All go live, or none.", "becomes version 1", "Review digest", "Type 2y and press enter", "Nothing changed.")
		if n := b.count(proposals.Approved); n != 0 {
			t.Fatalf("%q approved %d:\n%s", answer, n, out)
		}
	}
	out = b.dialogue(0, append(read, "2y", "mark")...)
	says(t, out, "Live: tool:user/name_bank version 1 and tool:user/viewpoint_keeper version 1.", "Nothing is marked.")
	if s := b.states(); s["name_bank"] != proposals.Approved || s["viewpoint_keeper"] != proposals.Approved || s["get_word_counts"] != proposals.UserReview {
		t.Errorf("states %v", s)
	}
}

// TestDialogueRefusesMarked sends back, or rejects, with one reason.
func TestDialogueRefusesMarked(t *testing.T) {
	for command, want := range map[string]proposals.State{"changes": proposals.NeedsChanges, "reject": proposals.Rejected} {
		b := newBench(t, 80, 24, demo("name_bank.json", "word_counts.json"))
		out := b.dialogue(0, "mark all", command, ".", command, "Not now.", ".", "y", "unmark 1", "unmark all", "mark all", command, "Not now.", ".", "2y")
		says(t, out, "A reason is required. Nothing changed.", "Nothing changed.", "1 proposal is marked: #1", "Nothing is marked.", "2 proposals are marked")
		if n := b.count(want); n != 2 {
			t.Errorf("%s: %v\n%s", command, b.states(), out)
		}
		b.noted("Not now.")
	}
}

// TestDialogueMarkedInTheWay names what is in the way and why, and goes on
// without it.
func TestDialogueMarkedInTheWay(t *testing.T) {
	b := newBench(t, 80, 24, demo("name_bank.json", "word_counts.json"), assessed)
	out := b.dialogue(0, "mark all", "approve", "unmark #1", "open 1", "diff", "back", "approve", "y", "mark 1", "reject", "mark x")
	says(t, out, "Not possible for #1 tool:user/name_bank: 1 blocking finding is open (X101); say findings", "Say unmark #1 to continue without",
		"Live: tool:user/get_word_counts version 1.", "#2 tool:user/get_word_counts cannot be marked: it is approved.", "not found")
}

// TestDialogueMarkedChangesMeanwhile reads what is marked anew: what was heard
// of it counts for nothing when it is something else now.
func TestDialogueMarkedChangesMeanwhile(t *testing.T) {
	b := newBench(t, 80, 24, demo("name_bank.json", "word_counts.json"))
	in := &echo{
		lines:  []string{"open 1", "diff", "back", "open 2", "diff", "back", "mark all", "approve", "2y"},
		before: map[string]func(){"approve": func() { b.reassess("name_bank") }},
	}
	out := b.dialogueOf(0, in)
	says(t, out, "Not read yet in #1 tool:user/name_bank: the diff, as it changed since.")
	if n := b.count(proposals.Approved); n != 0 {
		t.Errorf("approved %d:\n%s", n, out)
	}
}

// reassess has a proposal assessed again, as another process would.
func (b *bench) reassess(name string) {
	b.t.Helper()
	page, err := b.desk.List(context.Background(), review.Query{Filter: name})
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.desk.Reassess(context.Background(), page.Proposals[0].ID); err != nil {
		b.t.Fatal(err)
	}
}
