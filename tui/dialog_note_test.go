package tui_test

import (
	"context"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/tui/edit"
)

// TestTypedNoteNeverApproves types a note into the dialog of an approval as if its field had the focus. No letter
// before the key of the note is recorded, and none counts as an answer (C40, T44).
func TestTypedNoteNeverApproves(t *testing.T) {
	shortrun.OneGoroutine(t)
	const note = "Nice, they asked for it, just so. Yes."
	b := newWorkbench(t, 100, 50, demo("name_bank.json"))
	b.press("enter", "2", "space", "space", "a").wants("━━ Approve ━━")
	if strings.Contains(b.m.View().Content, string(edit.CursorStyle)) {
		t.Error("the note has a cursor and no focus")
	}
	b.write("they asked, you see").wants("n adds a note; y approve")
	if strings.Contains(b.screen(), "▎") && strings.Contains(b.screen(), "they") || b.state() != proposals.UserReview {
		t.Fatalf("letters without a field did something:\n%s", b.screen())
	}
	b.press("n").write(note).wants("▎ " + note)
	if got := b.state(); got != proposals.UserReview {
		t.Fatalf("the note approved it: %s", got)
	}
	if b.m.View().Cursor == nil {
		t.Error("the note that is being written has no cursor")
	}
	b.press("ctrl+s", "y").wants("Live: tool:user/name_bank version 1")
	b.checkNotes(note)
}

// TestOnlyItsKeyBeginsANote presses a key without effect in the sheet, leaves the sheet, and approves. The letter is
// not recorded (T44).
func TestOnlyItsKeyBeginsANote(t *testing.T) {
	b := newWorkbench(t, 120, 60, demo("name_bank.json"))
	b.wants("◆ prompt")
	b.press("a", "u", "esc", "a", "y").wants("Live: ")
	b.checkNotes("")
}

// TestTypedNoteOfSeveral types a note that begins with the number of marked proposals and a word that begins with y.
func TestTypedNoteOfSeveral(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newWorkbench(t, 120, 60, demo("name_bank.json", "word_counts.json"))
	b.press("*")
	for range 2 {
		b.press("a", "u", "space", "space", "space", "esc")
	}
	b.press("a").wants("Approve 2 proposals", "2y approve all")
	b.write("2 years, and no more")
	if n := b.count(proposals.UserReview); n != 2 {
		t.Fatalf("the note approved: %v", b.states())
	}
	b.press("esc", "a", "2", "down", "y").wants("Type 2, then y, to confirm")
	b.press("2", "y").wants("Live: ")
}

// TestLetterContinuesTheReason checks that a letter returns the focus to an empty reason.
func TestLetterContinuesTheReason(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newWorkbench(t, 100, 30, demo("name_bank.json"))
	b.press("enter", "x", "tab").write("no, not yet").press("ctrl+s", "y").wants("Rejected")
	b.checkNotes("no, not yet")
}

// TestReasonShowsItsLimit checks that the field has several lines and shows the limit before the reason is sent.
func TestReasonShowsItsLimit(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newWorkbench(t, 80, 24, demo(demoFiles...))
	b.press("x")
	b.send(tea.PasteMsg{Content: "first\nsecond\nthird\nfourth"})
	b.wants("▎ first", "▎ fourth")
	b.send(tea.PasteMsg{Content: strings.Repeat("word ", 3200)})
	b.wants("16024 of at most 20000 characters")
	b.send(tea.PasteMsg{Content: strings.Repeat("word ", 1000)})
	b.wants("the text has 21024 characters; the limit is 20000")
	b.press("ctrl+s", "y").wants("Nothing changed: the text has 21024 characters", "Reason ▎")
}

// TestDraftsStayWithTheirProposals leaves a note for one proposal and a reason for another, and opens the dialogs of
// others. None of them contains the text, and the right one shows what it was written for (C41).
func TestDraftsStayWithTheirProposals(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newWorkbench(t, 120, 60, demo("name_bank.json", "word_counts.json", "viewpoint_keeper.md"))
	for _, key := range []string{"c", "x"} {
		b.press(key).write("Only for #3.").press("esc").wants("Draft saved")
		b.press("j", key)
		if screen := b.screen(); strings.Contains(screen, "Only for #3") || strings.Contains(screen, "Restored") {
			t.Errorf("%s: the reason for #3 stands at #2:\n%s", key, screen)
		}
		b.press("esc", "k", key).wants("Only for #3.", "Restored your draft for #3 tool:user/viewpoint_keeper")
		b.press("ctrl+s", "esc")
	}

	// for several proposals, the set of proposals counts, not the order of marking
	b.press("space", "space", "x").wants("Reject 2 proposals")
	b.write("For #3 and #2.").press("esc")
	b.press("space", "x").wants("Reject 3 proposals")
	if screen := b.screen(); strings.Contains(screen, "For #3 and #2") {
		t.Errorf("the reason for two stands at three:\n%s", screen)
	}
	b.press("esc", "+").wants("* 2 marked")
	b.press("x").wants("For #3 and #2.", "Restored your draft for #2 tool:user/get_word_counts and 1 more")
	b.press("ctrl+s", "y").wants("Rejected: ")
	if s := b.states(); s["name_bank"] != proposals.UserReview || s["viewpoint_keeper"] != proposals.Rejected {
		t.Errorf("states %v", s)
	}
}

// TestDraftOfAChangeSetIsForItsMembers adds a member to a change set after a note about the set was begun.
func TestDraftOfAChangeSetIsForItsMembers(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newWorkbench(t, 120, 60, demo("research_notes.json"))
	b.press("enter", "a").wants("━━ Approve 3 proposals ━━")
	b.press("n").write("All three.").press("esc")
	b.press("a").wants("All three.", "Restored your draft for #1 tool:user/get_research_notes and 2 more")
	b.press("esc")
	d := b.file("name_bank.json")
	d.ChangeSet = "research-notes"
	if _, err := b.desk.Drafting.Propose(context.Background(), mara, []proposals.Draft{d}, true); err != nil {
		t.Fatal(err)
	}
	b.press("ctrl+l", "a").wants("━━ Approve 4 proposals ━━")
	if screen := b.screen(); strings.Contains(screen, "All three.") {
		t.Errorf("the note for three members stands at four:\n%s", screen)
	}
}

// TestNoteInTheEditor continues a note in the user's editor and then in the dialog.
func TestNoteInTheEditor(t *testing.T) {
	b := newWorkbench(t, 100, 30, demo("name_bank.json"))
	b.press("enter", "c").write("First. ")
	b.press("ctrl+o")
	b.wants("First.")
	b.editor("printf 'Then\n\u202e more.\n' >> \"$2\"")
	b.press("ctrl+o")
	b.wants("▎ First. Then", "▎ ⟨U+202E⟩ more.", "ctrl+o editor")
	b.write("!").press("ctrl+s", "y")
	b.wants("Sent back")
	comments, err := b.desk.Reading.List(t.Context(), review.Query{State: proposals.NeedsChanges})
	if err != nil || len(comments.Proposals) != 1 {
		t.Fatalf("%v, %v", comments, err)
	}
	d, err := b.desk.Reading.Show(t.Context(), mara, comments.Proposals[0].ID)
	if err != nil || d.Decisions[0].Note != "First. Then\n⟨U+202E⟩ more.!" {
		t.Errorf("%v, %q", err, d.Decisions[0].Note)
	}
}

// TestEditsAPaste pastes into the middle of a note, undoes that, and kills and yanks a word.
func TestEditsAPaste(t *testing.T) {
	b := newWorkbench(t, 100, 30, demo("name_bank.json"))
	b.press("enter", "c").write("one four")
	b.send(tea.KeyPressMsg{Code: 'b', Mod: tea.ModAlt})
	b.send(tea.PasteMsg{Content: "two \u200bthree "})
	b.wants("▎ one two ⟨U+200B⟩three four")
	b.press("ctrl+_")
	b.wants("▎ one four")
	b.press("ctrl+k", "ctrl+a", "ctrl+y")
	b.wants("▎ fourone")
}
