package tui_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/uuid"

	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/review/service"
	"toolcrib/tui"
)

// retested approves the first revision of the viewpoint keeper, and proposes one with a different recorded answer,
// one test case removed, and one added.
func retested(b *bench) {
	b.t.Helper()
	draft := b.file("viewpoint_keeper.md")
	b.approved(draft)
	tool, other := *draft.Definition.Tool, "Nothing to report.\u202e"
	tool.Goals += "\nBe brief."
	base := 1
	draft.Type, draft.BaseVersion, draft.Definition.Tool = proposals.Modify, &base, &tool
	cases := append([]proposals.TestCase{}, draft.TestCases...)
	cases[0].Output = &other
	cases[1].Input += " Please."
	draft.TestCases = cases
	b.propose(draft)
}

// TestBehaviour runs the test cases with the live and the proposed version.
func TestBehaviour(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newBench(t, 120, 50, retested)
	b.press("enter", "7")
	b.wants("▎Tests", "compared   version 1, then revision 1", "before  ✓ passed", "after   ✗ failed", "changed", "+ Nothing to report.⟨U+202E⟩")
	b.wants("dropped by the proposal", "No answer of version 1 to this input is recorded", "No answer of the proposal to this input is recorded")
	b.press("t")
	b.wants("t: no model is connected; name one under [model]")
	b.press("s")
	b.wants("Nothing to report.")
	page, err := b.desk.Reading.List(context.Background(), review.Query{State: proposals.UserReview})
	if err != nil {
		t.Fatal(err)
	}
	d, err := b.desk.Reading.Show(context.Background(), mara, page.Proposals[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	draft := d.Revision.Draft
	draft.TestCases[1].Name = "renamed"
	if _, err := b.desk.Drafting.Revise(context.Background(), mara, d.Proposal.ID, draft); err != nil {
		t.Fatal(err)
	}
	b.press("ctrl+l")
	b.wants("then revision 2", "renamed")
}

// saying is a model whose answer depends on its instruction.
type saying struct{}

func (saying) Answer(_ context.Context, prompt, _ string) (string, error) {
	return strings.Repeat("word ", len(prompt)%7+1) + "\x1b[2J", nil
}

// TestModelAnswersBothVersions asks a model about every test case, twice.
func TestModelAnswersBothVersions(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newBench(t, 120, 50, retested)
	policy := quiet()
	policy.Model = saying{}
	desk, err := service.New(b.db, policy, b.now, uuid.NewString)
	if err != nil {
		t.Fatal(err)
	}
	b.config.Desk, b.config.HasModel = tui.DeskOf(desk), true
	b.m = tui.New(b.config)
	b.m.Prime(120, 50)
	b.drain(b.m.Init())
	b.press("enter", "7", "t")
	b.wants("Ask the model", "cases changed.")
	b.press("esc")
	b.wants("(model)", "⟨U+001B⟩[2J")
}
