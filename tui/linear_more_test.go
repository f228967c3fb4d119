package tui_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolcrib/gateway"
	"toolcrib/proposals"
	"toolcrib/review"
)

// TestDialogueAnswersCalls lists calls, has to hear all of one before it runs,
// and takes nothing but y for a yes.
func TestDialogueAnswersCalls(t *testing.T) {
	b := newBench(t, 80, 24)
	out := b.dialogue(0, "calls", "help calls")
	if !strings.Contains(out, "no gateway is available") {
		t.Errorf("without a gateway:\n%s", out)
	}
	many := `{"ids":["` + strings.Repeat(`a","`, 30) + "evil\u202e" + `"]}`
	s := &switchboard{calls: []gateway.Pending{asked(1, `{"ids":["t1"]}`), asked(2, many)}}
	b.config.Calls = s
	out = b.dialogue(10, "calls", "run 1", "calls 2", "s", "run 2", "calls 3", "calls x", "run", "calls 1", "run 1", "", "run 1", "yes")
	for _, want := range []string{
		"2 calls wait for you.", "1. tool:global/delete_tasks, waiting, version 2, called by agent:drafter for the user mara.",
		"Not read yet: its arguments. Say calls 1.", "Stopped before the end.", `"3" is not in the list of calls`, `"t1"`, "Nothing changed.",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not said:\n%s", want, out)
		}
	}
	if len(s.ran)+len(s.no) != 0 {
		t.Fatalf("ran %v, refused %v:\n%s", s.ran, s.no, out)
	}
	out = b.dialogue(0, "calls", "calls 1", "run 1", "y", "run 1", "refuse 2", "Not", "these.", ".", "no", "refuse 2", "Not these.", ".", "y", "calls", "calls 2")
	if want := []string{asked(1, "").ID + " " + strings.Repeat("d", 64)}; !slices.Equal(s.ran, want) {
		t.Errorf("ran %v; want %v\n%s", s.ran, want, out)
	}
	if want := []string{asked(2, "").ID + " Not these."}; !slices.Equal(s.no, want) {
		t.Errorf("refused %v; want %v\n%s", s.no, want, out)
	}
	for _, want := range []string{"Ran tool:global/delete_tasks; The eval gate was late.\n", "It is done, not waiting.", "0 calls wait for you.", "Answered by user:mara", "⟨U+202E⟩"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not said:\n%s", want, out)
		}
	}
}

// TestDialogueWritesInTheEditor drafts, submits and revises with an editor, and
// keeps what is not sent.
func TestDialogueWritesInTheEditor(t *testing.T) {
	b := newBench(t, 80, 24)
	if out := b.dialogue(0, "new tool:user/x"); !strings.Contains(out, "set VISUAL or EDITOR first") {
		t.Errorf("without an editor:\n%s", out)
	}
	b.editor("exit 3")
	if out := b.dialogue(0, "new", "new x y", "new tool:user/word_counts"); !strings.Contains(out, "Say new and its subject") || !strings.Contains(out, "the draft is in") || !strings.Contains(out, "exit status 3") {
		t.Errorf("an editor that fails:\n%s", out)
	}
	draft := b.file("name_bank.json")
	text, err := draft.Markdown()
	if err != nil {
		t.Fatal(err)
	}
	whole := filepath.Join(t.TempDir(), "whole.md")
	if err := os.WriteFile(whole, text, 0o600); err != nil {
		t.Fatal(err)
	}
	b.editor(`cp "` + whole + `" "$2"`)
	out := b.dialogue(0, "new tool:user/name_bank", "")
	if !strings.Contains(out, "Nothing was sent. The draft is in") {
		t.Errorf("left:\n%s", out)
	}
	b.editor(`sed -i '0,/Bank/s/Bank/Bank x/' "$2"`)
	out = b.dialogue(0, "new tool:user/name_bank", "e", "d", "revise", "y", "submit", "y", "overview")
	for _, want := range []string{"Proposed tool:user/name_bank as", "Submitted as #1", "Revision 2"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not said:\n%s", want, out)
		}
	}
	if got := b.state(); got != proposals.UserReview {
		t.Errorf("state %s\n%s", got, out)
	}
	kept, err := filepath.Glob(filepath.Join(b.config.Drafts, "*name_bank*"))
	if err != nil || len(kept) != 0 {
		t.Errorf("kept are %v: %v", kept, err)
	}
}

// TestDialogueTakesSides rebases without an editor (T11).
func TestDialogueTakesSides(t *testing.T) {
	b := newBench(t, 80, 24, conflicting)
	if out := b.dialogue(0, "open 2", "rebase", "y", "live", "here", "n"); !strings.Contains(out, "Nothing changed.") {
		t.Errorf("saved without a yes:\n%s", out)
	}
	if out := b.dialogue(0, "open 2", "rebase", "y", "live", "here", "y"); !strings.Contains(out, "Saved revision 2 of tool:user/name_bank.") {
		t.Errorf("not finished:\n%s", out)
	}
	checkTaken(b, "Theirs.\nSame.", 5)
}

// TestDialogueFinishesARebase reads the conflicts out, keeps its hands off
// without a yes, and writes the merge in the editor.
func TestDialogueFinishesARebase(t *testing.T) {
	b := newBench(t, 80, 24, conflicting)
	out := b.dialogue(0, "open 2", "rebase", "y", "", "")
	for _, want := range []string{"This proposal and version 2 conflict. Nothing was saved.", "goals, line 1:", "| Mine.", "| Theirs.", "| One thing.", "limits", "set VISUAL or EDITOR first"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not said:\n%s", want, out)
		}
	}
	b.editor(`sed -i -e '/^<<<<<<</,/^=======/d' -e '/^>>>>>>>/d' "$2"`)
	if out := b.dialogue(0, "open 2", "rebase", "y", "", "here", "n"); !strings.Contains(out, "Nothing changed.") {
		t.Errorf("edited without a yes:\n%s", out)
	}
	out = b.dialogue(0, "open 2", "rebase", "y", "", "here", "y", "y")
	if !strings.Contains(out, "No problems found.") || !strings.Contains(out, "Saved revision 2 of tool:user/name_bank.") {
		t.Errorf("not finished:\n%s", out)
	}
	page, err := b.desk.List(context.Background(), review.Query{State: proposals.UserReview})
	if err != nil || len(page.Proposals) != 1 || page.Proposals[0].BaseVersion != 2 {
		t.Errorf("%v: %v", page.Proposals, err)
	}
}
