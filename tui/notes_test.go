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

// TestFindingsAppearInTheDiff reads findings and comments below their lines, hides them, and jumps to their tabs and
// back (T7).
func TestFindingsAppearInTheDiff(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newWorkbench(t, 120, 40, demo("name_bank.json"), assessed)
	page, err := b.desk.Reading.List(context.Background(), review.Query{Subject: nameBank})
	if err != nil {
		t.Fatal(err)
	}
	at := review.Anchor{Revision: 1, Field: "definition.prompt", Line: 3}
	if _, err := b.desk.Drafting.Comment(context.Background(), mara, page.Proposals[0].ID, "Why pass\nover\x1b[2J it?", at); err != nil {
		t.Fatal(err)
	}
	b.press("enter", "2")
	b.wants("+*Pass over", "└ ■ X101 Characters reverse", "└ » mara: Why pass over⟨U+001B⟩[2J it?", "F fold")
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

	// from the assessment to the diff, and back to where the jump began
	b.press("3", "enter")
	b.wants("▎Diff")
	b.press("esc")
	b.wants("▎Assessment")
	b.press("esc")
	b.wants("SUBJECT")
}

// TestRevisionsAreComparedWhole checks that changes outside the definition are shown (T1).
func TestRevisionsAreComparedWhole(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newWorkbench(t, 120, 40, demo("viewpoint_keeper.md"))
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

// TestRepeatedFindingsShareARow checks that a finding that occurs several times in a line is drawn once with a count,
// because copies would hide the text on a small screen.
func TestRepeatedFindingsShareARow(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newWorkbench(t, 60, 15, demo("name_bank.json"), func(b *workbench) {
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

// TestFindingsShareALine checks that findings on the same passage share a line, and that every screen quotes the
// passage once (T51). W waives them one by one.
func TestFindingsShareALine(t *testing.T) {
	shortrun.OneGoroutine(t)
	const quote = "the cast list"
	b := newWorkbench(t, 160, 40, demo("name_bank.json"), func(b *workbench) {
		page, err := b.desk.Reading.List(context.Background(), review.Query{Subject: nameBank})
		if err != nil {
			t.Fatal(err)
		}
		found := func(id string, severity rules.Severity, deed string) rules.Finding {
			return rules.Finding{Rule: id, Severity: severity, Path: "definition.prompt", Line: 3, Column: 1, EndLine: 3, EndColumn: 14, Message: deed + ": " + rules.Quotation(quote) + ".", Passage: quote, Waivable: true}
		}
		opinion := review.Opinion{Recommendation: proposals.RecommendNeedsChanges, Comment: "See the lines.", Findings: []rules.Finding{
			found("X102", rules.Block, "Hides it"), found("X103", rules.Block, "Sends it"), {Rule: "X105", Severity: rules.Warn, Path: "rationale", Message: "It is short."}, found("X131", rules.Warn, "Reads it"),
		}}
		if _, err := b.desk.Assessing.Assess(context.Background(), proposals.Actor{Kind: proposals.Chief, Name: "ida"}, page.Proposals[0].ID, opinion); err != nil {
			t.Fatal(err)
		}
	})
	once := func() {
		t.Helper()
		if n := strings.Count(b.screen(), quote); n != 1 {
			t.Errorf("the passage is on the screen %d times:\n%s", n, b.screen())
		}
	}
	b.wants("Hides it · Sends it: \"the cast list\"", "Reads it")
	once()
	b.press("a").wants("X102 X103: Hides it · Sends it")
	b.press("esc", "enter", "3").wants("■ block  X102 X103  definition.prompt 3:1", "Hides it · Sends it", "▲ warn   X131", "▲ warn   X105  rationale")
	b.press("W").wants("X102 in definition.prompt")
	b.write("It is meant.").press("ctrl+s", "y")
	b.wants("□ waived X102", "■ block  X103")
	b.press("j", "W").wants("X103 in definition.prompt")
}
