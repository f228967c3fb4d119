package service_test

import (
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/store/storetest"
)

// TestRetract withdraws proposals made by toolcrib itself that nobody has revised. All other proposals must be
// rejected, and no caller can act as toolcrib itself.
func TestRetract(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	made, err := o.desk.Drafting.Observe(t.Context(), []proposals.Draft{storetest.Prompt("tool_a"), storetest.Prompt("tool_b")})
	if err != nil {
		t.Fatal(err)
	}
	retract := func(p proposals.Proposal) error {
		_, err := o.desk.Drafting.Retract(t.Context(), p.ID, p.Revision, "The server took the change back.")
		return err
	}
	theirs := o.waiting(scout, "tool_c")
	o.refused(proposals.ErrAuthority, func() error { return retract(theirs) })
	o.refused(proposals.ErrAuthority, func() error {
		_, err := o.desk.Drafting.Withdraw(t.Context(), proposals.Actor{Kind: proposals.System}, made[0].ID, "")
		return err
	})
	better := storetest.Prompt("tool_a")
	better.Definition.Tool.Goals += " Better."
	if _, err := o.desk.Drafting.Revise(t.Context(), ada, made[0].ID, better); err != nil {
		t.Fatal(err)
	}
	o.refused(proposals.ErrConflict, func() error { return retract(made[0]) })
	if p, err := o.desk.Drafting.Retract(t.Context(), made[1].ID, made[1].Revision, ""); err != nil || p.State != proposals.Withdrawn {
		t.Errorf("it is %s, %v", p.State, err)
	}
}
