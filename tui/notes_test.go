package tui_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/review/rules"
)

// TestFindingsStandInTheDiff reads findings and comments under the lines that they
// are about, folds them, and jumps to their tabs and back (T7).
func TestFindingsStandInTheDiff(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newBench(t, 120, 40, demo("name_bank.json"), assessed)
	page, err := b.desk.Reading.List(context.Background(), review.Query{Subject: nameBank})
	if err != nil {
		t.Fatal(err)
	}
	at := review.Anchor{Revision: 1, Field: "definition.prompt", Line: 3}
	if _, err := b.desk.Drafting.Comment(context.Background(), mara, page.Proposals[0].ID, "Why pass\nover\x1b[2J it?", at); err != nil {
		t.Fatal(err)
	}
	b.press("enter", "2")
	b.wants("+*Pass over", "└ ■ X101 Characters turn", "└ » mara: Why pass over⟨U+001B⟩[2J it?", "F fold")
	b.press("F")
	b.wants("+*Pass over")
	if screen := b.screen(); strings.Contains(screen, "└ ") {
		t.Errorf("folded:\n%s", screen)
	}
	b.press("F")
	b.wants("└ » mara")

	// to the comment and back, to a finding and back
	b.press("/").write("why pass").press("enter", ";", "enter")
	b.wants("▎Diff")
	b.press("esc", "esc")
	for range 20 {
		b.press("J")
		if strings.Contains(b.screen(), "enter show") {
			break
		}
	}
	b.press("enter")
	b.wants("▎Assessment")
	b.press("esc")
	b.wants("▎Diff")

	// from the assessment to the diff, and back where the jump began
	b.press("3", "enter")
	b.wants("▎Diff")
	b.press("esc")
	b.wants("▎Assessment")
	b.press("esc")
	b.wants("SUBJECT")
}

// TestRevisionsAreComparedWhole shows what changed beside the definition (T1).
func TestRevisionsAreComparedWhole(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newBench(t, 120, 40, demo("viewpoint_keeper.md"))
	page, err := b.desk.Reading.List(context.Background(), review.Query{})
	if err != nil {
		t.Fatal(err)
	}
	p := page.Proposals[0]
	d, err := b.desk.Reading.Show(context.Background(), mara, p.ID)
	if err != nil {
		t.Fatal(err)
	}
	draft := d.Revision.Draft
	draft.TestCases = append([]proposals.TestCase{}, draft.TestCases...)
	draft.TestCases[0].Checks = []proposals.Check{{Type: proposals.CheckContains, Value: json.RawMessage(`"e"`)}}
	draft.Rationale = "Because."
	if _, err := b.desk.Drafting.Revise(context.Background(), mara, p.ID, draft); err != nil {
		t.Fatal(err)
	}
	b.press("enter", "2")
	if screen := b.screen(); strings.Contains(screen, "Not part of") || strings.Contains(screen, "testCases") {
		t.Errorf("against the base:\n%s", screen)
	}
	b.press("b")
	b.wants("against revision 1", "Not part of the definition", "rationale", "Because.", "testCases[0].checks")
	if _, err := b.desk.Drafting.Revise(context.Background(), mara, p.ID, d.Revision.Draft); err != nil {
		t.Fatal(err)
	}
	b.press("ctrl+l", "b")
	b.wants("against revision 2", "testCases[0].checks")
}

// TestRepeatedFindingsShareARow draws a finding that a line has several times once, with
// their number: on a small screen, its copies would hide the text.
func TestRepeatedFindingsShareARow(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newBench(t, 60, 15, demo("name_bank.json"), func(b *bench) {
		page, err := b.desk.Reading.List(context.Background(), review.Query{Subject: nameBank})
		if err != nil {
			t.Fatal(err)
		}
		f := rules.Finding{Rule: "X101", Severity: rules.Warn, Path: "definition.prompt", Line: 3, Column: 1, EndLine: 3, EndColumn: 3, Message: "It repeats.", Suggestion: "Once is enough."}
		again, other := f, f
		again.Column, again.EndColumn, again.Passage = 4, 6, "again"
		other.Message, other.Column, other.EndColumn, other.Passage = "It differs.", 7, 9, "other"
		opinion := review.Opinion{Recommendation: proposals.RecommendNeedsChanges, Comment: "See the lines.", Findings: []rules.Finding{f, again, other}}
		if _, err := b.desk.Assessing.Assess(context.Background(), proposals.Actor{Kind: proposals.Chief, Name: "ida"}, page.Proposals[0].ID, opinion); err != nil {
			t.Fatal(err)
		}
	})
	b.press("enter", "2", "J", "J", "J")
	for range 30 {
		if strings.Contains(b.screen(), "It differs.") {
			break
		}
		b.press("j")
	}
	b.wants("└ ▲ X101 It repeats. (2 times)", "└ ▲ X101 It differs.")
}
