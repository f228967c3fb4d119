package service_test

import (
	"errors"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/store/storetest"
)

// TestEveryActInEveryState performs every act on a proposal in every state, as an actor with the required permission,
// and compares the result with the state table. Acts that are not in the table must be rejected and not change
// anything.
func TestEveryActInEveryState(t *testing.T) {
	shortrun.OneGoroutine(t)
	for i, state := range proposals.States() {
		t.Run(string(state), func(t *testing.T) {
			for j, a := range acts() {
				if a.name == proposals.ActComment || (i+j)%shortrun.Every(3) != 0 {
					continue // comments are always possible
				}
				o := open(t, review.Policy{ManualChief: true})
				p := o.in(state, a.name)
				by := ada
				if a.name == proposals.ActAssess {
					by = carla
				}
				want, refusal := proposals.Next(state, a.name)
				if refusal != nil {
					o.refused(proposals.ErrState, func() error { return a.try(t.Context(), o.desk, by, p) })
					continue
				}
				if err := a.try(t.Context(), o.desk, by, p); err != nil {
					t.Errorf("%s in %s: %v", a.name, state, err)
				} else if got := o.show(ada, p).Proposal.State; got != want {
					t.Errorf("%s in %s leads to %s; want %s", a.name, state, got, want)
				}
				o.sound()
			}
		})
	}
}

// in returns a proposal in the given state for which act is possible, if the state permits it. The chief must be
// manual.
func (o testDesk) in(state proposals.State, act proposals.Act) proposals.Proposal {
	o.Helper()
	draft := storetest.Prompt("scene_pacer")
	if act == proposals.ActWaive {
		draft = withAlias(draft, "get_task")
	}
	p := o.draft(ada, draft)
	do := func(err error) {
		o.Helper()
		if err != nil {
			o.Fatal(err)
		}
	}
	if state == proposals.Drafted {
		return p
	}
	_, err := o.desk.Drafting.Submit(o.Context(), ada, p.ID)
	do(err)
	if state == proposals.ChiefReview {
		return p
	}
	_, err = o.desk.Assessing.Assess(o.Context(), carla, p.ID, review.Opinion{})
	do(err)
	switch state { //nolint:exhaustive // the others were returned above
	case proposals.NeedsChanges:
		_, err = o.desk.Deciding.Decide(o.Context(), bob, choices(p), proposals.VerdictNeedsChanges, "Not yet.")
	case proposals.Approved:
		if act == proposals.ActWaive {
			o.waive(p, "N103")
		}
		_, err = o.desk.Deciding.Approve(o.Context(), bob, choices(p), "")
	case proposals.Rejected:
		_, err = o.desk.Deciding.Decide(o.Context(), bob, choices(p), proposals.VerdictRejected, "No.")
	case proposals.Withdrawn:
		_, err = o.desk.Drafting.Withdraw(o.Context(), ada, p.ID, "")
	}
	do(err)
	return p
}

// TestReasons checks that decisions against an author, waivers, and comments require a text.
func TestReasons(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	p := o.waiting(scout, "scene_pacer")
	for name, try := range map[string]func(reason string) error{
		"needs changes": func(reason string) error {
			_, err := o.desk.Deciding.Decide(t.Context(), ada, choices(p), proposals.VerdictNeedsChanges, reason)
			return err
		},
		"reject": func(reason string) error {
			_, err := o.desk.Deciding.Decide(t.Context(), ada, choices(p), proposals.VerdictRejected, reason)
			return err
		},
		"waive": func(reason string) error {
			_, err := o.desk.Deciding.Waive(t.Context(), ada, p.ID, "N103", reason, nil)
			return err
		},
		"comment": func(reason string) error {
			_, err := o.desk.Drafting.Comment(t.Context(), ada, p.ID, reason, review.Anchor{})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := testDesk{Database: o.Database, T: t, desk: o.desk}
			for _, reason := range []string{"", " ", "\n\t", "\u00a0"} {
				o.refused(review.ErrNoReason, func() error { return try(reason) })
			}
		})
	}
}

func isMissing(err error) bool { return errors.Is(err, proposals.ErrNotFound) }
