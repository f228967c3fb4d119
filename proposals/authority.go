package proposals

import (
	"errors"
	"fmt"
)

// Act is something an actor does to a proposal, or to a call of a tool.
type Act string

// The acts.
const (
	ActDraft          Act = "draft"
	ActSubmit         Act = "submit"
	ActRevise         Act = "revise" // a rebase is a revision too
	ActWithdraw       Act = "withdraw"
	ActComment        Act = "comment"
	ActAssess         Act = "assess"
	ActApprove        Act = "approve"
	ActRequestChanges Act = "needs-changes"
	ActReject         Act = "reject"
	ActWaive          Act = "waive"
	ActApproveCall    Act = "approve-call" // a call of a tool that waits for the user
	ActRefuseCall     Act = "refuse-call"
	ActSetTier        Act = "set-tier" // the user's own approval tier of a tool
)

// reach says whose proposals an actor may do an act to.
type reach int

const (
	never   reach = iota
	ownOnly       // proposals the actor wrote
	anyones
)

// authority is the whole of who may do what. An act or a kind of actor that is
// not in it may not.
var authority = map[Act]map[ActorKind]reach{
	ActDraft:    {User: anyones, Agent: anyones, Chief: anyones},
	ActSubmit:   {User: anyones, Agent: ownOnly, Chief: ownOnly},
	ActRevise:   {User: anyones, Agent: ownOnly, Chief: ownOnly},
	ActWithdraw: {User: anyones, Agent: ownOnly, Chief: ownOnly},
	ActComment:  {User: anyones, Agent: anyones, Chief: anyones},

	ActAssess: {Chief: anyones},

	ActApprove:        {User: anyones},
	ActRequestChanges: {User: anyones},
	ActReject:         {User: anyones},
	ActWaive:          {User: anyones},

	ActApproveCall: {User: anyones},
	ActRefuseCall:  {User: anyones},
	ActSetTier:     {User: anyones},
}

// ErrAuthority is wrapped when an actor may not do what it tried.
var ErrAuthority = errors.New("not allowed")

// Authorize returns nil when actor may do act to a proposal written by author,
// else an error that wraps ErrAuthority and says who may.
func Authorize(actor Actor, act Act, author Actor) error {
	switch authority[act][actor.Kind] {
	case anyones:
		return nil
	case ownOnly:
		if actor == author {
			return nil
		}
		return fmt.Errorf("%w: %s may %s only its own proposals; this one is by %s", ErrAuthority, actor, act, author)
	case never:
	}
	switch act { //nolint:exhaustive // the other acts are open to every kind
	case ActApprove, ActRequestChanges, ActReject, ActWaive:
		return fmt.Errorf("%w: only the user may %s; %s can propose and comment", ErrAuthority, act, actor)
	case ActApproveCall, ActRefuseCall, ActSetTier:
		return fmt.Errorf("%w: only the user may %s; %s can call tools and wait", ErrAuthority, act, actor)
	case ActAssess:
		return fmt.Errorf("%w: only a chief may assess; act as one with --as chief:NAME", ErrAuthority)
	}
	return fmt.Errorf("%w: %s may not %s", ErrAuthority, actor, act)
}
