package service_test

import (
	"strings"
	"testing"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/approval"
	"toolcrib/store/storetest"
)

var (
	mara = proposals.Actor{Kind: proposals.User, Name: "mara"}
	kim  = proposals.Actor{Kind: proposals.User, Name: "kim"}
)

// owners returns a rule that requires a number of approvals by some users for subjects that match a pattern.
func owners(t testing.TB, pattern string, approvals int, who ...proposals.Actor) approval.Rule {
	t.Helper()
	p, err := approval.ParsePattern(pattern)
	if err != nil {
		t.Fatal(err)
	}
	r := approval.Rule{Subjects: []approval.Pattern{p}, Approvals: approvals, From: "user"}
	for _, a := range who {
		r.Owners = append(r.Owners, a.String())
	}
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
	return r
}

// verdicts returns the verdicts of decisions and their approval progress.
func verdicts(ds []proposals.Decision) string {
	var words []string
	for _, d := range ds {
		word := string(d.Verdict)
		if d.Approvals != nil {
			word += " " + d.Approvals.Text
		}
		words = append(words, word)
	}
	return strings.Join(words, "; ")
}

func (o testDesk) verdicts(by proposals.Actor, want string, ps ...proposals.Proposal) []proposals.Decision {
	o.Helper()
	ds := o.approve(by, ps...)
	if got := verdicts(ds); got != want {
		o.Errorf("%s approves: %s; want %s", by, got, want)
	}
	return ds
}

// approvalOf returns a function that approves proposals.
func (o testDesk) approvalOf(by proposals.Actor, ps ...proposals.Proposal) func() error {
	return func() error {
		_, err := o.desk.Deciding.Approve(o.Context(), by, choices(ps...), "")
		return err
	}
}

// progress returns the approval progress of a proposal, as in a list.
func (o testDesk) progress(p proposals.Proposal) string {
	o.Helper()
	page, err := o.desk.Reading.List(o.Context(), review.Query{Subject: p.Subject.String(), Limit: 1})
	if err != nil {
		o.Fatal(err)
	}
	if a := page.Proposals[0].Approvals; a != nil {
		return a.Text
	}
	return ""
}

// TestTwoOwnersApprove tests a proposal that needs two approvals.
func TestTwoOwnersApprove(t *testing.T) {
	o := open(t, review.Policy{Approvals: approval.Rules{owners(t, "tool:user/*", 2, ada, mara)}})
	p := o.propose(scout, storetest.Prompt("scene_pacer"))
	if got := o.progress(p); got != "0 of 2, waits for user:ada and user:mara" {
		t.Errorf("it waits: %s", got)
	}
	o.refused(proposals.ErrAuthority, o.approvalOf(bob, p))
	o.refused(proposals.ErrAuthority, o.approvalOf(scout, p))

	d := o.verdicts(ada, "endorsed 1 of 2, waits for user:mara", p)[0]
	if d.Version != 0 || d.VersionHash != "" || d.ReviewDigest == "" {
		t.Errorf("the decision is %+v", d)
	}
	o.assigned(p, proposals.UserReview, proposals.AssigneeUser, proposals.IssueOpen)
	o.refused(proposals.ErrNotFound, func() error { return o.notLive(p.Subject) })
	if got := o.progress(p); got != "1 of 2, waits for user:mara" {
		t.Errorf("it waits: %s", got)
	}
	o.refused(proposals.ErrConflict, o.approvalOf(ada, p)) // a second approval by the same owner has no effect

	if got := o.verdicts(mara, "approved 2 of 2", p)[0]; got.Version != 1 {
		t.Errorf("the decision is %+v", got)
	}
	v := o.firstVersion(p.Subject)
	if len(v.Approvals) != 1 || v.Approvals[0].By != ada.String() || v.Approvals[0].Decision != d.ID || v.DecidedBy != mara.String() || v.Sum() != v.Hash {
		t.Errorf("the version has %+v, decided by %s", v.Approvals, v.DecidedBy)
	}
	o.assigned(p, proposals.Approved, "", proposals.IssueClosed)
	o.refused(proposals.ErrState, o.approvalOf(mara, p))

	free := o.propose(scout, storetest.Agent("drafter")) // no rule applies to agents
	o.verdicts(bob, "approved", free)
	o.sound()
}

func (o testDesk) notLive(s registry.Subject) error {
	return o.View(o.Context(), func(r review.Reader) error {
		_, err := r.Live(o.Context(), s)
		return err
	})
}

func (o testDesk) firstVersion(s registry.Subject) history.Version {
	o.Helper()
	vs, err := o.Versions(o.Context(), s, 0, 10)
	if err != nil {
		o.Fatal(err)
	}
	for _, v := range vs {
		if v.Number == 1 {
			return v
		}
	}
	o.Fatalf("there is no version 1 of %s", s)
	return history.Version{}
}

// TestApprovalsLapse checks that approvals are only valid for the revision and the assessment that they refer to.
func TestApprovalsLapse(t *testing.T) {
	o := open(t, review.Policy{Approvals: approval.Rules{owners(t, "tool:**", 2, ada, mara, kim)}})
	first := storetest.Prompt("scene_pacer")
	p := o.propose(scout, first)
	o.verdicts(ada, "endorsed 1 of 2, waits for 1 of user:mara, user:kim", p)
	first.Definition.Tool.Prompt += "\nSlowly."
	p = o.revise(scout, p, first)
	if got := o.progress(p); !strings.HasPrefix(got, "0 of 2") {
		t.Errorf("after a revision: %s", got)
	}
	o.verdicts(mara, "endorsed 1 of 2, waits for 1 of user:ada, user:kim", p)
	if _, err := o.desk.Assessing.Reassess(t.Context(), p.ID); err != nil {
		t.Fatal(err)
	}
	o.verdicts(mara, "endorsed 1 of 2, waits for 1 of user:ada, user:kim", p) // required again, for another assessment
	if _, err := o.desk.Deciding.Decide(t.Context(), bob, choices(p), proposals.VerdictNeedsChanges, "Shorter."); err != nil {
		t.Fatal(err)
	}
	first.Definition.Tool.Prompt += "\nShortly."
	p = o.revise(scout, p, first)
	o.verdicts(kim, "endorsed 1 of 2, waits for 1 of user:ada, user:mara", p)
	o.verdicts(ada, "approved 2 of 2", p)
	if v := o.firstVersion(p.Subject); len(v.Approvals) != 1 || v.Approvals[0].By != kim.String() {
		t.Errorf("the version counts %+v", v.Approvals)
	}
	o.sound()
}

// TestOwnersChangeBetweenApprovals removes an owner and changes the required number between approvals.
func TestOwnersChangeBetweenApprovals(t *testing.T) {
	o := open(t, review.Policy{Approvals: approval.Rules{owners(t, "tool:**", 2, ada, mara, kim)}})
	p := o.propose(scout, storetest.Prompt("scene_pacer"))
	o.approve(ada, p)

	o.desk = o.Desk(t, review.Policy{Severities: storetest.BasicSeverities(), Approvals: approval.Rules{owners(t, "tool:**", 2, mara, kim)}})
	o.verdicts(mara, "endorsed 1 of 2, waits for user:kim", p)
	o.refused(proposals.ErrConflict, o.approvalOf(ada, p)) // approved once, but is no longer an owner

	o.desk = o.Desk(t, review.Policy{Severities: storetest.BasicSeverities(), Approvals: approval.Rules{owners(t, "tool:**", 3, ada, mara, kim)}})
	o.verdicts(kim, "approved 3 of 3", p)
	o.sound()
}

// TestAuthorDoesNotCountAsSecondOwner checks that the author's approval counts, except with four_eyes.
func TestAuthorDoesNotCountAsSecondOwner(t *testing.T) {
	rules := approval.Rules{owners(t, "tool:**", 2, ada, mara, kim)}
	o := open(t, review.Policy{FourEyes: true, Approvals: rules})
	p := o.propose(ada, storetest.Prompt("scene_pacer"))
	if got := o.progress(p); got != "0 of 2, waits for user:mara and user:kim" {
		t.Errorf("it waits: %s", got)
	}
	o.refused(proposals.ErrFourEyes, o.approvalOf(ada, p))
	o.approve(mara, p)
	o.verdicts(kim, "approved 2 of 2", p)

	// An earlier approval by the author is invalid when four_eyes becomes active.
	loose := o.Desk(t, review.Policy{Severities: storetest.BasicSeverities(), Approvals: rules})
	strict := o.desk
	o.desk = loose
	p = o.propose(ada, storetest.Prompt("book_pacer"))
	o.verdicts(ada, "endorsed 1 of 2, waits for 1 of user:mara, user:kim", p)
	o.desk = strict
	if _, err := o.desk.Assessing.Reassess(t.Context(), p.ID); err != nil { // an assessment depends on four_eyes
		t.Fatal(err)
	}
	o.verdicts(mara, "endorsed 1 of 2, waits for user:kim", p)
	o.sound()
}

// TestChangeSetWaitsForItsMembers approves a set with members that have different owners.
func TestChangeSetWaitsForItsMembers(t *testing.T) {
	o := open(t, review.Policy{Approvals: approval.Rules{owners(t, "tool:user/a_*", 1, ada), owners(t, "tool:user/b_*", 1, mara)}})
	set := func(ids ...string) []proposals.Proposal {
		var drafts []proposals.Draft
		for _, id := range ids {
			d := storetest.Prompt(id)
			d.ChangeSet = "spring"
			drafts = append(drafts, d)
		}
		return o.proposeAll(scout, drafts...)
	}
	ps := set("a_pacer", "b_pacer", "c_pacer")
	o.refused(review.ErrChangeSet, o.approvalOf(ada, ps[0]))
	o.verdicts(ada, "endorsed 1 of 1; endorsed 0 of 1, waits for user:mara; endorsed", ps...)
	o.refused(proposals.ErrConflict, o.approvalOf(ada, ps...))

	joined := set("d_pacer") // the approval was for three members, and now there are four
	all := append(ps, joined...)
	o.verdicts(mara, "endorsed 0 of 1, waits for user:ada; endorsed 1 of 1; endorsed; endorsed", all...)
	if _, err := o.desk.Drafting.Withdraw(t.Context(), scout, joined[0].ID, ""); err != nil {
		t.Fatal(err)
	}
	// The set has three members again. mara's approval was for four.
	if got := o.progress(ps[1]); got != "0 of 1, waits for user:mara" {
		t.Errorf("it waits: %s", got)
	}
	ds := o.verdicts(mara, "approved 1 of 1; approved 1 of 1; approved", ps...)
	for i, d := range ds {
		if v := o.firstVersion(d.Subject); len(v.Approvals) != 1 || v.Approvals[0].By != ada.String() {
			t.Errorf("version 1 of member %d counts %+v", i, v.Approvals)
		}
	}
	o.sound()
}

// TestBatchIsPartlyEndorsed approves several proposals, one of which then has all required approvals.
func TestBatchIsPartlyEndorsed(t *testing.T) {
	o := open(t, review.Policy{Approvals: approval.Rules{owners(t, "tool:user/two_*", 2, ada, mara)}})
	ps := o.proposeAll(scout, storetest.Prompt("two_pacer"), storetest.Prompt("one_pacer"), storetest.Prompt("two_timer"))
	o.verdicts(ada, "endorsed 1 of 2, waits for user:mara; approved; endorsed 1 of 2, waits for user:mara", ps...)
	o.verdicts(mara, "approved 2 of 2; approved 2 of 2", ps[0], ps[2])
	o.sound()
}

// TestWhatWasShownToEachApprover checks that each approval requires its own digest.
func TestWhatWasShownToEachApprover(t *testing.T) {
	o := open(t, review.Policy{RequireExpect: true, Approvals: approval.Rules{owners(t, "tool:**", 2, ada, mara)}})
	p := o.propose(scout, storetest.Prompt("scene_pacer"))
	o.refused(review.ErrNoExpect, o.approvalOf(ada, p))
	digest := o.show(ada, p).Digest
	if _, err := o.desk.Deciding.Approve(t.Context(), ada, []review.Choice{{ID: p.ID, Expect: digest}}, ""); err != nil {
		t.Fatal(err)
	}
	if again := o.show(mara, p).Digest; again != digest {
		t.Errorf("an approval changed the review digest")
	}
	o.refused(review.ErrNoExpect, o.approvalOf(mara, p))
	o.refused(review.ErrDigest, func() error {
		_, err := o.desk.Deciding.Approve(t.Context(), mara, []review.Choice{{ID: p.ID, Expect: strings.Repeat("0", 64)}}, "")
		return err
	})
	if _, err := o.desk.Deciding.Approve(t.Context(), mara, []review.Choice{{ID: p.ID, Expect: digest}}, ""); err != nil {
		t.Fatal(err)
	}
	o.sound()
}
