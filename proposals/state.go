package proposals

import (
	"errors"
	"fmt"
)

// State is the state of a proposal in the workflow.
type State string

// The states. A proposal is open until it is approved, rejected or withdrawn.
const (
	Drafted      State = "draft"
	ChiefReview  State = "chief_review"
	UserReview   State = "user_review"
	NeedsChanges State = "needs_changes"
	Approved     State = "approved"
	Rejected     State = "rejected"
	Withdrawn    State = "withdrawn"
)

// States lists all states in the order of the workflow, open states first.
func States() []State {
	return []State{Drafted, ChiefReview, UserReview, NeedsChanges, Approved, Rejected, Withdrawn}
}

// Open reports whether a proposal in state s can still change.
func (s State) Open() bool { return len(next[s]) > 0 }

// next lists all legal transitions by state and act. Revising a proposal during a review
// returns it to the chief, because the assessment does not cover the new content.
var next = map[State]map[Act]State{
	Drafted: {
		ActRevise:   Drafted,
		ActSubmit:   ChiefReview,
		ActWithdraw: Withdrawn,
	},
	ChiefReview: {
		ActAssess:   UserReview,
		ActRevise:   ChiefReview,
		ActWithdraw: Withdrawn,
	},
	UserReview: {
		ActAssess:         UserReview,
		ActWaive:          UserReview,
		ActUnwaive:        UserReview,
		ActEndorse:        UserReview,
		ActApprove:        Approved,
		ActRequestChanges: NeedsChanges,
		ActReject:         Rejected,
		ActRevise:         ChiefReview,
		ActWithdraw:       Withdrawn,
	},
	NeedsChanges: {
		ActRevise:   ChiefReview,
		ActWithdraw: Withdrawn,
	},
}

// ErrState indicates that the state of a proposal does not permit an act.
var ErrState = errors.New("not possible in this state")

// Next returns the state that follows s after act. The error wraps ErrState.
func Next(s State, act Act) (State, error) {
	if to, ok := next[s][act]; ok {
		return to, nil
	}
	switch {
	case !s.Open():
		return s, Reason(ErrState, "already %s", s)
	case s == NeedsChanges:
		return s, Reason(ErrState, "in state needs_changes, the author must revise the proposal (toolcrib revise) or withdraw it (toolcrib withdraw)")
	case s == ChiefReview:
		return s, Reason(ErrState, "not possible before the Chief of Staff has assessed the proposal")
	}
	return s, Reason(ErrState, "not possible in state %s", s)
}

// Permit returns the state of p after actor performs act. The error wraps ErrAuthority if the actor is not allowed to
// perform the act. It wraps ErrState if the current state of p does not permit the act.
func Permit(actor Actor, act Act, p Proposal) (State, error) {
	if err := Authorize(actor, act, p.Author); err != nil {
		return "", fmt.Errorf("%s: %w", p.Name(), err)
	}
	to, err := Next(p.State, act)
	if err != nil {
		return "", fmt.Errorf("%s: %w", p.Name(), err)
	}
	return to, nil
}
