package proposals

import (
	"errors"
	"fmt"
)

// Act is an action on a proposal, on a call of a tool, or on a token.
type Act string

// The acts.
const (
	ActDraft          Act = "draft"
	ActSubmit         Act = "submit"
	ActRevise         Act = "revise" // includes rebases
	ActWithdraw       Act = "withdraw"
	ActComment        Act = "comment"
	ActAssess         Act = "assess"
	ActApprove        Act = "approve"
	ActEndorse        Act = "endorse" // an approval that is not the last required one
	ActRequestChanges Act = "needs-changes"
	ActReject         Act = "reject"
	ActWaive          Act = "waive"
	ActUnwaive        Act = "unwaive"      // ends a waiver
	ActApproveCall    Act = "approve-call" // approves a pending call of a tool
	ActRefuseCall     Act = "refuse-call"
	ActSetTier        Act = "set-tier" // sets the approval tier of a tool for the calls of a user
	ActCreateToken    Act = "create-token"
	ActRevokeToken    Act = "revoke-token"
	ActPruneCalls     Act = "prune-calls" // moves old calls from the log to a file
	ActChangeSigners  Act = "change-signers"
)

// reach describes the proposals on which an actor is allowed to perform an act.
type reach int

const (
	never   reach = iota
	ownOnly       // proposals that the actor wrote
	anyones       // all proposals
)

// authority lists the allowed acts by kind of actor. Acts and kinds that are missing
// are not allowed. The system proposes the tools of guarded servers. It also revises
// earlier imports of the same tool, and withdraws imports of tools that a server has
// removed.
var authority = map[Act]map[ActorKind]reach{
	ActDraft:    {User: anyones, Agent: anyones, Chief: anyones, System: anyones},
	ActSubmit:   {User: anyones, Agent: ownOnly, Chief: ownOnly, System: ownOnly},
	ActRevise:   {User: anyones, Agent: ownOnly, Chief: ownOnly, System: anyones},
	ActWithdraw: {User: anyones, Agent: ownOnly, Chief: ownOnly, System: anyones},
	ActComment:  {User: anyones, Agent: anyones, Chief: anyones},

	ActAssess: {Chief: anyones},

	ActApprove:        {User: anyones},
	ActEndorse:        {User: anyones},
	ActRequestChanges: {User: anyones},
	ActReject:         {User: anyones},
	ActWaive:          {User: anyones},
	ActUnwaive:        {User: anyones},

	ActApproveCall: {User: anyones},
	ActRefuseCall:  {User: anyones},
	ActSetTier:     {User: anyones},
	ActCreateToken: {User: anyones},
	ActRevokeToken: {User: anyones},
	ActPruneCalls:  {User: anyones},

	ActChangeSigners: {User: anyones},
}

// ErrAuthority indicates that an actor is not allowed to perform an act.
var ErrAuthority = errors.New("not allowed")

// Decides reports whether only users can perform the act.
func (a Act) Decides() bool { return userOnly[a] != "" }

// Authorize returns nil if actor is allowed to perform act on a proposal by author.
// Otherwise it returns an error that wraps ErrAuthority and lists the kinds of actors
// that are allowed.
func Authorize(actor Actor, act Act, author Actor) error {
	switch authority[act][actor.Kind] {
	case anyones:
		return nil
	case ownOnly:
		if actor == author {
			return nil
		}
		return fmt.Errorf("%w: %s can %s only its own proposals, but this proposal is by %s", ErrAuthority, actor, act, author)
	case never:
	}
	if phrase := userOnly[act]; phrase != "" {
		return fmt.Errorf("%w: only a user can %s, but you act as %s", ErrAuthority, phrase, actor)
	}
	if act == ActAssess {
		return fmt.Errorf("%w: only a chief can assess; act as a chief with --as chief:NAME", ErrAuthority)
	}
	return fmt.Errorf("%w: %s cannot %s", ErrAuthority, actor, act)
}

// userOnly describes the acts that only a user can perform, as phrases for messages.
var userOnly = map[Act]string{
	ActApprove:        "approve a proposal",
	ActEndorse:        "approve a proposal",
	ActRequestChanges: "send a proposal back",
	ActReject:         "reject a proposal",
	ActWaive:          "waive a finding",
	ActUnwaive:        "end a waiver",
	ActApproveCall:    "approve a call",
	ActRefuseCall:     "refuse a call",
	ActSetTier:        "set an approval tier",
	ActCreateToken:    "create a token",
	ActRevokeToken:    "revoke a token",
	ActPruneCalls:     "move calls out of the log",
	ActChangeSigners:  "change the signers",
}
