package service_test

import (
	"errors"
	"fmt"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/prompt"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/store/storetest"
)

// TestTwoApprovalsOfOneSubject approves two changes of one subject in one call. The second is based on the version that
// the first replaces, so neither may go live.
func TestTwoApprovalsOfOneSubject(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	o.Approved(t, o.desk, ada, storetest.Prompt("scene_pacer"))
	var choices []review.Choice
	for _, text := range []string{"Name the slow lines.", "Name the quick lines."} {
		d := storetest.Prompt("scene_pacer")
		d.Type, d.BaseVersion = proposals.Modify, new(int)
		*d.BaseVersion = 1
		d.Definition.Tool.Goals = text
		choices = append(choices, o.seen(o.propose(ada, d)))
	}
	before := o.Dump(t)
	if _, err := o.desk.Deciding.Approve(t.Context(), ada, choices, ""); !errors.Is(err, review.ErrStale) && !errors.Is(err, review.ErrDigest) {
		t.Errorf("got %v", err)
	}
	for _, line := range storetest.Difference(before, o.Dump(t)) {
		t.Errorf("changed: %s", line)
	}
}

// TestSentBackTogether requests changes to proposals of several authors in one call. Each must wait for its author.
func TestSentBackTogether(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	made := []proposals.Proposal{o.propose(scout, storetest.Prompt("scene_pacer")), o.propose(rover, storetest.Prompt("line_pacer")), o.propose(ada, storetest.Prompt("word_pacer"))}
	choices := make([]review.Choice, len(made))
	for i, p := range made {
		choices[i].ID = p.ID
	}
	if _, err := o.desk.Deciding.Decide(t.Context(), ada, append(choices, choices[0]), proposals.VerdictNeedsChanges, "Say more."); !errors.Is(err, proposals.ErrConflict) {
		t.Errorf("one named twice: %v", err)
	}
	if _, err := o.desk.Deciding.Decide(t.Context(), ada, choices, proposals.VerdictNeedsChanges, "Say more."); err != nil {
		t.Fatal(err)
	}
	for i, p := range made {
		d, err := o.desk.Reading.Show(t.Context(), ada, p.ID)
		if err != nil {
			t.Fatal(err)
		}
		if d.Proposal.State != proposals.NeedsChanges || d.Issue.Assignee != made[i].Author.String() || d.Issue.Status != proposals.IssueOpen ||
			len(d.Decisions) != 1 || d.Decisions[0].Note != "Say more." || !d.Proposal.UpdatedAt.Equal(d.Decisions[0].At) {
			t.Errorf("%s: %+v, %+v, %+v", p.Subject, d.Proposal, d.Issue, d.Decisions)
		}
	}
}

// TestPromptsBeyondTheCut approves more prompt tools than a prompt contains. A tool among the first ones changes the
// prompts of the assistant; one after them does not, whether it is approved alone or in a change set.
func TestPromptsBeyondTheCut(t *testing.T) {
	shortrun.NeedsLong(t)
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{Severities: storetest.BasicSeverities()})
	drafts := make([]proposals.Draft, prompt.MaxOfKind+1)
	for i := range drafts {
		drafts[i] = storetest.Prompt(fmt.Sprintf("m%03d_pacer", i))
	}
	o.Approved(t, o.desk, ada, drafts...)
	rendered := func(p proposals.Proposal) int {
		d, err := o.desk.Reading.Show(t.Context(), ada, p.ID)
		if err != nil {
			t.Fatal(err)
		}
		return len(d.Rendered)
	}
	first, last := o.propose(ada, storetest.Prompt("a_pacer")), o.propose(ada, storetest.Prompt("z_pacer"))
	if rendered(first) == 0 || rendered(last) != 0 {
		t.Errorf("%d and %d prompts change", rendered(first), rendered(last))
	}
	near, far := storetest.Prompt("b_pacer"), storetest.Prompt("y_pacer")
	near.ChangeSet, far.ChangeSet = "both", "both"
	made, err := o.desk.Drafting.Propose(t.Context(), ada, []proposals.Draft{near, far}, true)
	if err != nil {
		t.Fatal(err)
	}
	if n := rendered(made[0]); n == 0 {
		t.Error("a set with a tool among the first changes no prompt")
	}
	again := storetest.Prompt("m000_pacer")
	again.Type, again.BaseVersion = proposals.Modify, new(int)
	*again.BaseVersion = 1
	again.Definition.Tool.UsageNotes = "Use it when a scene drags on."
	if rendered(o.propose(ada, again)) == 0 {
		t.Error("another text of a tool that the prompt tells of changes no prompt")
	}
}
