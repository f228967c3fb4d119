package service_test

import (
	"slices"
	"testing"

	"toolcrib/history"
	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/store/storetest"
)

// TestFromDraftToVersion follows a proposal by each kind of author from the draft to the version, with its issue.
func TestFromDraftToVersion(t *testing.T) {
	shortrun.OneGoroutine(t)
	for _, author := range []proposals.Actor{ada, scout, carla} {
		t.Run(string(author.Kind), func(t *testing.T) {
			o := open(t, review.Policy{ManualChief: true})
			draft := storetest.Prompt("scene_pacer")
			p := o.draft(author, draft)
			o.stands(p, proposals.Drafted, nil)

			p, err := o.desk.Drafting.Submit(t.Context(), author, p.ID)
			if err != nil {
				t.Fatal(err)
			}
			o.stands(p, proposals.ChiefReview, &proposals.Issue{
				Number: 1, Proposal: p.ID, Title: "[Tool Proposal] Tool scene_pacer", Assignee: proposals.AssigneeChief,
				Status: proposals.IssueOpen, Labels: []string{"tool-proposal", "new", "user"},
			})

			a, err := o.desk.Assessing.Assess(t.Context(), carla, p.ID, review.Opinion{Recommendation: proposals.RecommendApprove, Comment: "Fine."})
			if err != nil {
				t.Fatal(err)
			}
			if a.Reviewer != carla || a.Recommendation != proposals.RecommendApprove {
				t.Errorf("the assessment is %+v", a)
			}
			o.assigned(p, proposals.UserReview, proposals.AssigneeUser, proposals.IssueOpen)

			d := o.approve(bob, p)[0]
			o.assigned(p, proposals.Approved, "", proposals.IssueClosed)
			o.kept(draft, author, d, a)
		})
	}
}

// TestBuiltinReviewerAssessesAtOnce submits without a manual chief, so that the assessment is made immediately.
func TestBuiltinReviewerAssessesAtOnce(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	p := o.propose(scout, storetest.Prompt("scene_pacer"))
	o.assigned(p, proposals.UserReview, proposals.AssigneeUser, proposals.IssueOpen)
	a := o.show(ada, p).Assessment()
	if a == nil || a.Reviewer != proposals.BuiltinChief() || a.ContentHash != p.ContentHash || a.RulesVersion != o.desk.RulesVersion() {
		t.Errorf("the assessment is %+v", a)
	}
	if p.Summary.Recommendation != proposals.RecommendApprove {
		t.Errorf("the summary is %+v", p.Summary)
	}
}

// TestNeedsChangesAndBack requests changes to a proposal, which then waits for its author, and revises it.
func TestNeedsChangesAndBack(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	draft := storetest.Prompt("scene_pacer")
	p := o.propose(scout, draft)
	if _, err := o.desk.Deciding.Decide(t.Context(), ada, choices(p), proposals.VerdictNeedsChanges, "Say what slow means."); err != nil {
		t.Fatal(err)
	}
	o.assigned(p, proposals.NeedsChanges, "agent:scout", proposals.IssueOpen)

	tool := *draft.Definition.Tool
	tool.Prompt += "\nSlow is a paragraph in which nothing changes."
	draft.Definition.Tool = &tool
	p = o.revise(scout, p, draft)
	o.assigned(p, proposals.UserReview, proposals.AssigneeUser, proposals.IssueOpen)
	o.approve(ada, p)

	d := o.show(ada, p)
	if len(d.Revisions) != 2 || len(d.Decisions) != 2 || d.Decisions[0].Verdict != proposals.VerdictNeedsChanges ||
		d.Decisions[0].Note != "Say what slow means." || d.Decisions[0].Revision != 1 || d.Decisions[1].Revision != 2 {
		t.Errorf("revisions %d, decisions %+v", len(d.Revisions), d.Decisions)
	}
	if got := o.acts(); !slices.Equal(got, []string{"draft", "submit", "assess", "needs-changes", "revise", "assess", "approve"}) {
		t.Errorf("the events are %v", got)
	}
}

// TestCommentsFromAnybody adds comments to open and closed proposals.
func TestCommentsFromAnybody(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	p := o.propose(scout, storetest.Prompt("scene_pacer"))
	o.reject(ada, p, "Not needed.")
	for _, by := range []proposals.Actor{ada, rover, carla} {
		if _, err := o.desk.Drafting.Comment(t.Context(), by, p.ID, "From "+by.String(), review.Anchor{Field: "definition.prompt", Line: 3}); err != nil {
			t.Error(err)
		}
	}
	for i, c := range o.show(ada, p).Comments {
		if want := []proposals.Actor{ada, rover, carla}[i]; c.Author != want || c.Line != 3 || c.Revision != 1 {
			t.Errorf("comment %d is %+v", i, c)
		}
	}
}

// stands checks the state of a proposal and of its issue.
func (o testDesk) stands(p proposals.Proposal, state proposals.State, issue *proposals.Issue) {
	o.Helper()
	d := o.show(ada, p)
	if d.Proposal.State != state {
		o.Errorf("the proposal is in %s; want %s", d.Proposal.State, state)
	}
	switch {
	case (d.Issue == nil) != (issue == nil):
		o.Errorf("the issue is %+v; want %+v", d.Issue, issue)
	case issue != nil && (d.Issue.Number != issue.Number || d.Issue.Title != issue.Title || d.Issue.Assignee != issue.Assignee ||
		d.Issue.Status != issue.Status || !slices.Equal(d.Issue.Labels, issue.Labels)):
		o.Errorf("the issue is %+v; want %+v", d.Issue, issue)
	}
}

func (o testDesk) assigned(p proposals.Proposal, state proposals.State, assignee string, status proposals.IssueStatus) {
	o.Helper()
	d := o.show(ada, p)
	if d.Proposal.State != state || d.Issue == nil || d.Issue.Assignee != assignee || d.Issue.Status != status {
		o.Errorf("the proposal is in %s with issue %+v; want %s, %s by %q", d.Proposal.State, d.Issue, state, status, assignee)
	}
}

// kept checks all data stored by the approval of a new subject.
func (o testDesk) kept(draft proposals.Draft, author proposals.Actor, d proposals.Decision, a review.Assessment) {
	o.Helper()
	versions, err := o.Versions(o.Context(), draft.Subject, 0, 10)
	if err != nil {
		o.Fatal(err)
	}
	v := versions[0]
	if len(versions) != 1 || v.Number != 1 || string(v.Definition) != string(draft.Definition.Canonical()) || v.Hash != v.Sum() || v.PrevHash != "" ||
		v.Author != author.String() || v.DecidedBy != d.By.String() || v.Assessment != a.ID || v.ReviewDigest != d.ReviewDigest || v.Hash != d.VersionHash {
		o.Errorf("the version is %+v, the decision %+v", v, d)
	}
	if l := o.inForce(draft.Subject); l.Version != 1 || l.ContentHash != draft.Definition.Hash() || l.Locked {
		o.Errorf("live is %+v", l)
	}
	if want := []string{"draft", "submit", "assess", "approve"}; !slices.Equal(o.acts(), want) {
		o.Errorf("the events are %v; want %v", o.acts(), want)
	}
	o.sound()
}

// acts returns the acts since the creation of the database.
func (o testDesk) acts() []string {
	o.Helper()
	var acts []string
	err := o.Audit(o.Context(), func(l history.Ledger) error {
		acts = nil // discards the results of an attempt that the engine has aborted
		return l.Rows(o.Context(), "events", func(r history.Row) error {
			if act := r.Fields[5]; act != "ship" {
				acts = append(acts, act)
			}
			return nil
		})
	})
	if err != nil {
		o.Fatal(err)
	}
	return acts
}

// sound verifies the database.
func (o testDesk) sound() {
	o.Helper()
	storetest.Sound(o, o.DB)
}
