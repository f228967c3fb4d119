package proposals

import (
	"errors"
	"fmt"
)

// State is where a proposal stands.
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

// States lists every state, the open ones first, in the order of the workflow.
func States() []State {
	return []State{Drafted, ChiefReview, UserReview, NeedsChanges, Approved, Rejected, Withdrawn}
}

// Open reports whether something can still happen to a proposal in s.
func (s State) Open() bool { return len(next[s]) > 0 }

// next lists every move. A move not listed is refused. What is revised while
// it is being reviewed goes back to the chief: an assessment of other content
// counts for nothing.
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

// ErrState is wrapped when a proposal is not in a state that allows an act.
var ErrState = errors.New("not possible in this state")

// Next returns the state that act leads to from s, or an error that wraps
// ErrState.
func Next(s State, act Act) (State, error) {
	if to, ok := next[s][act]; ok {
		return to, nil
	}
	switch {
	case !s.Open():
		return s, fmt.Errorf("%w: it is %s already, so %s has no effect", ErrState, s, act)
	case s == ChiefReview:
		return s, fmt.Errorf("%w: it waits for the Chief of Staff's assessment, so %s has to wait", ErrState, act)
	}
	return s, fmt.Errorf("%w: it is in %s, which %s does not follow", ErrState, s, act)
}

// Permit returns the state that an act of actor takes p to. The error wraps ErrAuthority
// when the actor may not do it, and ErrState when nobody may while p is in its state.
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
