package service_test

import (
	"context"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/review/service"
	"toolcrib/store/storetest"
)

// act is an operation on a proposal that waits for the user.
type act struct {
	name proposals.Act
	try  func(ctx context.Context, desk *service.Desk, by proposals.Actor, p proposals.Proposal) error
}

// acts returns all operations on a proposal after the draft. They succeed unless the state or missing permissions
// prevent it.
func acts() []act {
	return []act{
		{proposals.ActSubmit, func(ctx context.Context, desk *service.Desk, by proposals.Actor, p proposals.Proposal) error {
			_, err := desk.Drafting.Submit(ctx, by, p.ID)
			return err
		}},
		{proposals.ActRevise, func(ctx context.Context, desk *service.Desk, by proposals.Actor, p proposals.Proposal) error {
			d := withAlias(storetest.Prompt(p.Subject.ID), "get_task")
			d.Rationale = "A better reason, given by " + by.String()
			_, err := desk.Drafting.Revise(ctx, by, p.ID, d)
			return err
		}},
		{proposals.ActWithdraw, func(ctx context.Context, desk *service.Desk, by proposals.Actor, p proposals.Proposal) error {
			_, err := desk.Drafting.Withdraw(ctx, by, p.ID, "")
			return err
		}},
		{proposals.ActComment, func(ctx context.Context, desk *service.Desk, by proposals.Actor, p proposals.Proposal) error {
			_, err := desk.Drafting.Comment(ctx, by, p.ID, "A comment.", review.Anchor{})
			return err
		}},
		{proposals.ActAssess, func(ctx context.Context, desk *service.Desk, by proposals.Actor, p proposals.Proposal) error {
			_, err := desk.Assessing.Assess(ctx, by, p.ID, review.Opinion{})
			return err
		}},
		{proposals.ActWaive, func(ctx context.Context, desk *service.Desk, by proposals.Actor, p proposals.Proposal) error {
			_, err := desk.Deciding.Waive(ctx, by, p.ID, "N103", "The old name is wanted.", nil)
			return err
		}},
		{proposals.ActApprove, func(ctx context.Context, desk *service.Desk, by proposals.Actor, p proposals.Proposal) error {
			_, err := desk.Deciding.Approve(ctx, by, choices(p), "")
			return err
		}},
		{proposals.ActRequestChanges, func(ctx context.Context, desk *service.Desk, by proposals.Actor, p proposals.Proposal) error {
			_, err := desk.Deciding.Decide(ctx, by, choices(p), proposals.VerdictNeedsChanges, "Not yet.")
			return err
		}},
		{proposals.ActReject, func(ctx context.Context, desk *service.Desk, by proposals.Actor, p proposals.Proposal) error {
			_, err := desk.Deciding.Decide(ctx, by, choices(p), proposals.VerdictRejected, "No.")
			return err
		}},
	}
}

// TestDeskAuthority performs every act as every kind of actor, on the actor's own proposal and on those of others, and
// compares the results with the table of permissions. Rejected acts must not change anything.
func TestDeskAuthority(t *testing.T) {
	shortrun.OneGoroutine(t)
	nobody := []proposals.Actor{{}, {Kind: proposals.System}, {Kind: "root", Name: "ada"}}
	for _, a := range acts() {
		t.Run(string(a.name), func(t *testing.T) {
			o := open(t, review.Policy{})
			for i, author := range []proposals.Actor{ada, scout, carla} {
				p := o.waiting(author, "tool_"+string(rune('a'+i)))
				for _, by := range append([]proposals.Actor{scout, rover, carla, {Kind: proposals.Chief, Name: "carl"}}, nobody...) {
					if proposals.Authorize(by, a.name, author) == nil {
						continue
					}
					o.refused(proposals.ErrAuthority, func() error { return a.try(t.Context(), o.desk, by, p) })
				}
			}
		})
	}
}

// TestDeskAllows performs every act as every actor who has the permission.
func TestDeskAllows(t *testing.T) {
	shortrun.OneGoroutine(t)
	n := 0
	for _, a := range acts() {
		for _, by := range []proposals.Actor{ada, scout, carla} {
			for _, author := range []proposals.Actor{ada, bob, scout, rover, carla} {
				if proposals.Authorize(by, a.name, author) != nil {
					continue
				}
				if n++; n%shortrun.Every(3) != 0 {
					continue
				}
				t.Run(string(a.name)+" by "+by.String()+" of "+author.String(), func(t *testing.T) {
					o := open(t, review.Policy{})
					var p proposals.Proposal
					if a.name == proposals.ActSubmit {
						p = o.draft(author, storetest.Prompt("scene_pacer"))
					} else {
						p = o.waiting(author, "scene_pacer")
					}
					if a.name == proposals.ActApprove {
						o.waive(p, "N103")
					}
					if err := a.try(t.Context(), o.desk, by, p); err != nil {
						t.Error(err)
					}
				})
			}
		}
	}
}

// TestNobodyActsAsToolcribItself drafts as actors that callers cannot use.
func TestNobodyActsAsToolcribItself(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	for _, by := range []proposals.Actor{{}, {Kind: proposals.System}, {Kind: "root", Name: "ada"}} {
		o.refused(proposals.ErrAuthority, func() error {
			_, err := o.desk.Drafting.Propose(t.Context(), by, []proposals.Draft{storetest.Prompt("scene_pacer")}, false)
			return err
		})
	}
}

// waiting returns a proposal in user_review with one blocking finding that can be waived: an alias that is a retired
// name.
func (o testDesk) waiting(author proposals.Actor, id string) proposals.Proposal {
	o.Helper()
	p := o.propose(author, withAlias(storetest.Prompt(id), "get_task"))
	if p.State != proposals.UserReview || p.Summary.Blocks != 1 {
		o.Fatalf("the proposal is in %s with %+v", p.State, p.Summary)
	}
	return p
}

func (o testDesk) waive(p proposals.Proposal, handle string) {
	o.Helper()
	if _, err := o.desk.Deciding.Waive(o.Context(), ada, p.ID, handle, "It is meant so.", nil); err != nil {
		o.Fatal(err)
	}
}

// withAlias returns d with other aliases.
func withAlias(d proposals.Draft, aliases ...string) proposals.Draft {
	tool := *d.Definition.Tool
	tool.Aliases = aliases
	d.Definition.Tool = &tool
	return d
}
