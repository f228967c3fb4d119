package proposals

import (
	"errors"
	"testing"
)

// TestForms compares the texts of acts with the authority table: every question has
// a consequence, and single and multiple forms agree on reasons.
func TestForms(t *testing.T) {
	for act, forms := range forms {
		one := act.Form(1)
		if _, known := authority[act]; !known && act != ActRebase {
			t.Errorf("%s has texts but no authority", act)
		}
		if one.Done == "" || one.Undone == "" || one.Title != "" && one.Verb == "" {
			t.Errorf("%s has missing texts: %+v", act, one)
		}
		if several := act.Form(2); forms[1].Verb != "" && (several.Reason != one.Reason || several.Done != one.Done || several.Verb == one.Verb) {
			t.Errorf("%s on two: %+v", act, several)
		}
	}
}

// TestCan checks the actor before the state, and that only stale proposals can be
// rebased.
func TestCan(t *testing.T) {
	user, agent := Actor{Kind: User, Name: "ada"}, Actor{Kind: Agent, Name: "scout"}
	p := Proposal{State: UserReview, Author: user, BaseVersion: 1, LiveVersion: 1}
	for _, c := range []struct {
		actor Actor
		act   Act
		state State
		live  int
		want  error
	}{
		{user, ActApprove, UserReview, 1, nil},
		{agent, ActApprove, Drafted, 1, ErrAuthority},
		{user, ActApprove, Drafted, 1, ErrState},
		{user, ActComment, Rejected, 1, nil},
		{user, ActRebase, UserReview, 1, ErrNotStale},
		{user, ActRebase, UserReview, 2, nil},
		{user, ActRebase, Rejected, 2, ErrState},
		{agent, ActRebase, UserReview, 2, ErrAuthority},
	} {
		p.State, p.LiveVersion = c.state, c.live
		if err := Can(c.actor, c.act, p); !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
			t.Errorf("%s %s in %s: %v, want %v", c.actor, c.act, c.state, err, c.want)
		}
	}
}
