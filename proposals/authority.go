package proposals

import (
	"errors"
	"fmt"
)

// Act is something an actor does to a proposal, to a call of a tool, or to a token.
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
	ActEndorse        Act = "endorse" // an approval that waits for another
	ActRequestChanges Act = "needs-changes"
	ActReject         Act = "reject"
	ActWaive          Act = "waive"
	ActUnwaive        Act = "unwaive"      // ends a waiver
	ActApproveCall    Act = "approve-call" // a call of a tool that waits for the user
	ActRefuseCall     Act = "refuse-call"
	ActSetTier        Act = "set-tier" // the user's own approval tier of a tool
	ActCreateToken    Act = "create-token"
	ActRevokeToken    Act = "revoke-token"
	ActChangeSigners  Act = "change-signers"
)

// reach selects the authors to whose proposals an actor may do an act.
type reach int

const (
	never   reach = iota
	ownOnly       // proposals the actor wrote
	anyones
)

// authority is the whole of who may do what. An act or a kind of actor that is
// not in it may not. The system proposes what a guarded server lists, revises an
// import of the same tool, and withdraws an import that the server took back.
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

	ActChangeSigners: {User: anyones},
}

// ErrAuthority is wrapped when an actor may not do an act.
var ErrAuthority = errors.New("not allowed")

// Decides reports whether an act is one that only a user can do.
func (a Act) Decides() bool { return userOnly[a] != "" }

// Authorize returns nil when actor may do act to a proposal written by author,
// else an error that wraps ErrAuthority and names who may.
func Authorize(actor Actor, act Act, author Actor) error {
	switch authority[act][actor.Kind] {
	case anyones:
		return nil
	case ownOnly:
		if actor == author {
			return nil
		}
		return fmt.Errorf("%w: %s can %s only its own proposals; this one is by %s", ErrAuthority, actor, act, author)
	case never:
	}
	if phrase := userOnly[act]; phrase != "" {
		return fmt.Errorf("%w: only a user can %s; you act as %s", ErrAuthority, phrase, actor)
	}
	if act == ActAssess {
		return fmt.Errorf("%w: only a chief can assess; act as one with --as chief:NAME", ErrAuthority)
	}
	return fmt.Errorf("%w: %s cannot %s", ErrAuthority, actor, act)
}

// userOnly names the acts that only a user can do, as a sentence needs them.
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
	ActChangeSigners:  "change the signers",
}
