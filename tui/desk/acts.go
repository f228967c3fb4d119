// Package desk implements the user's actions on proposals and calls. If decisions must be signed, it requests
// the signatures.
package desk

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"toolcrib/gateway"
	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/proposals/facts"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/tui/editor"
	"toolcrib/tui/wording"
)

// User performs the user's acts on proposals and calls. Each method describes the outcome in a sentence without
// a period.
type User struct {
	Context context.Context //nolint:containedctx // for reads before a dialog opens
	Actor   proposals.Actor
	Layer   registry.Layer // layer in which new drafts are created
	Desk    Desk
	// Versions returns up to limit versions of s, newest first. Their numbers are less than the parameter
	// before, unless it is 0.
	Versions func(ctx context.Context, s registry.Subject, before, limit int) ([]history.Version, error)
	Calls    Calls     // nil if no gateway is available
	Signer   Signer    // nil if decisions are not signed
	Ask      AskToSign // shows the statement before the key signs it
}

// Waive waives a finding (ActWaive) or ends its waiver (ActUnwaive).
func (u *User) Waive(ctx context.Context, act proposals.Act, id proposals.ID, s review.Standing, reason string) (string, error) {
	handle, desk := review.Handle(s.Finding), Decider(u.Desk)
	var err error
	if u.Signer != nil {
		desk, err = u.Signer.Waive(ctx, act, id, handle, reason, u.Ask)
	}
	switch {
	case err != nil:
		return "", err
	case act == proposals.ActWaive:
		_, err = desk.Waive(ctx, u.Actor, id, handle, reason, nil)
	default:
		_, err = desk.Unwaive(ctx, u.Actor, id, handle, reason)
	}
	return act.Form(1).Done + " " + s.Rule + " in " + wording.FieldName(s.Path), err
}

// submit submits a new draft and describes the outcome. If the draft cannot be submitted, submit returns it
// unchanged.
func (u *User) submit(ctx context.Context, draft proposals.Proposal) (p proposals.Proposal, outcome string) {
	p, err := u.Desk.Submit(ctx, u.Actor, draft.ID)
	if err != nil {
		return draft, "Drafted " + draft.Title + ", not submitted: " + wording.OneLine(err)
	}
	return p, "Proposed " + p.Subject.String() + " as " + wording.Reference(p)
}

// Comment adds a comment to the thread of a proposal.
func (u *User) Comment(ctx context.Context, id proposals.ID, body string, at review.Anchor) (string, error) {
	_, err := u.Desk.Comment(ctx, u.Actor, id, body, at)
	return proposals.ActComment.Form(1).Done, err
}

// Perform performs an act that requires no text from the user.
func (u *User) Perform(ctx context.Context, act proposals.Act, id proposals.ID) (string, error) {
	done := act.Form(1).Done
	switch act { //nolint:exhaustive // all other acts require a text
	case proposals.ActSubmit:
		p, err := u.Desk.Submit(ctx, u.Actor, id)
		return done + " as " + wording.Reference(p), err
	case proposals.ActRebase:
		p, err := u.Desk.Rebase(ctx, u.Actor, id)
		return done + ": revision " + strconv.Itoa(p.Revision) + " is based on " + facts.BaseName(p.BaseVersion), err
	case proposals.ActAssess:
		a, err := u.Desk.Reassess(ctx, id)
		return done + ": " + wording.Advice(a.Recommendation), err
	}
	_, err := u.Desk.Withdraw(ctx, u.Actor, id, "")
	return done, err
}

// Fork drafts a new tool based on the core tool named id.
func (u *User) Fork(ctx context.Context, id string) (proposals.Proposal, string, error) {
	p, err := u.Desk.Fork(ctx, u.Actor, id, u.Layer)
	return p, "Drafted " + p.Subject.String(), err
}

// Restore proposes to restore the given version of s.
func (u *User) Restore(ctx context.Context, s registry.Subject, version int, reason string) (proposals.Proposal, string, error) {
	p, err := u.Desk.Rollback(ctx, u.Actor, s, version, reason)
	if err != nil {
		return p, "", err
	}
	p, outcome := u.submit(ctx, p)
	return p, outcome + "; press a to approve it", nil
}

// Send sends a text that the user has edited. If w revises a proposal, the text becomes the next revision of
// that proposal. Otherwise, it becomes a new proposal.
func (u *User) Send(ctx context.Context, w editor.Manuscript, draft proposals.Draft, submit bool) (proposals.Proposal, string, error) {
	if w.ID != "" {
		p, err := u.Desk.Revise(ctx, u.Actor, w.ID, draft)
		return p, "Saved revision " + strconv.Itoa(p.Revision) + " of " + p.Subject.String(), err
	}
	ps, err := u.Desk.Propose(ctx, u.Actor, []proposals.Draft{draft}, submit)
	if err != nil {
		return proposals.Proposal{}, "", err
	}
	return ps[0], "Proposed " + ps[0].Subject.String() + " as " + wording.Reference(ps[0]), nil
}

// RunCall approves the waiting call p. The call then runs with the arguments that the user has seen.
func (u *User) RunCall(ctx context.Context, p gateway.Pending) (string, error) {
	calls, err := u.answerer(ctx, p, true, "")
	if err != nil {
		return "", err
	}
	res, err := calls.Approve(ctx, u.Actor, p.ID, p.Digest)
	return strings.Join(append([]string{proposals.ActApproveCall.Form(1).Done + " " + p.Tool.String()}, res.Warnings...), "; "), err
}

// RefuseCall refuses the waiting call p.
func (u *User) RefuseCall(ctx context.Context, p gateway.Pending, reason string) (string, error) {
	calls, err := u.answerer(ctx, p, false, reason)
	if err != nil {
		return "", err
	}
	_, err = calls.Refuse(ctx, u.Actor, p.ID, reason)
	return proposals.ActRefuseCall.Form(1).Done + " " + p.Tool.String(), err
}

// maxWaiting is the maximum number of waiting calls that are listed.
const maxWaiting = 200

// CallState returns the state of call p.
func (u *User) CallState(p gateway.Pending) gateway.PendingState { return u.Calls.State(p) }

// PendingCalls returns the waiting calls, followed by recent calls that no longer wait. It looks for recent
// calls among the newest maxRecent calls. waiting is the number of waiting calls.
func (u *User) PendingCalls(ctx context.Context, maxRecent int) (calls []gateway.Pending, waiting int, err error) {
	calls, err = u.Calls.Pending(ctx, gateway.PendingQuery{Waiting: true, Limit: maxWaiting})
	if err != nil {
		return nil, 0, err
	}
	waiting = len(calls)
	all, err := u.Calls.Pending(ctx, gateway.PendingQuery{Limit: maxRecent})
	for _, p := range all {
		if u.Calls.State(p) != gateway.PendingWaiting {
			calls = append(calls, p)
		}
	}
	return calls, waiting, err
}

// ErrNotSigned indicates that the user declined to sign. Nothing was decided.
var ErrNotSigned = errors.New("not signed, so nothing was decided")

// answerer returns the Answerer that approves or refuses call p. If decisions must be signed, it first requests
// the user's signature.
func (u *User) answerer(ctx context.Context, p gateway.Pending, approve bool, reason string) (Answerer, error) {
	if u.Signer == nil {
		return u.Calls, nil
	}
	return u.Signer.Answer(ctx, p, approve, reason, u.Ask)
}

// The interfaces below are implemented by other packages.

// Decider decides on proposals and waives findings.
type Decider interface {
	Decide(ctx context.Context, actor proposals.Actor, choices []review.Choice, verdict proposals.Verdict, note string) ([]proposals.Decision, error)
	Waive(ctx context.Context, actor proposals.Actor, id proposals.ID, handle, reason string, expires *time.Time) (history.Waiver, error)
	Unwaive(ctx context.Context, actor proposals.Actor, id proposals.ID, handle, reason string) (history.Waiver, error)
}

// Proposer drafts, revises, and withdraws proposals, and comments on them.
type Proposer interface {
	Propose(ctx context.Context, actor proposals.Actor, drafts []proposals.Draft, submit bool) ([]proposals.Proposal, error)
	Revise(ctx context.Context, actor proposals.Actor, id proposals.ID, draft proposals.Draft) (proposals.Proposal, error)
	Submit(ctx context.Context, actor proposals.Actor, id proposals.ID) (proposals.Proposal, error)
	Withdraw(ctx context.Context, actor proposals.Actor, id proposals.ID, note string) (proposals.Proposal, error)
	Rebase(ctx context.Context, actor proposals.Actor, id proposals.ID) (proposals.Proposal, error)
	Fork(ctx context.Context, actor proposals.Actor, coreID string, layer registry.Layer) (proposals.Proposal, error)
	Rollback(ctx context.Context, actor proposals.Actor, s registry.Subject, version int, rationale string) (proposals.Proposal, error)
	RollbackSet(ctx context.Context, actor proposals.Actor, changeSet, rationale string) ([]proposals.Proposal, error)
	Comment(ctx context.Context, actor proposals.Actor, id proposals.ID, body string, at review.Anchor) (proposals.Comment, error)
}

// Assessor assesses a proposal again.
type Assessor interface {
	Reassess(ctx context.Context, id proposals.ID) (review.Assessment, error)
}

// Reader reads proposals.
type Reader interface {
	Show(ctx context.Context, actor proposals.Actor, id proposals.ID) (review.Dossier, error)
	ShowSet(ctx context.Context, actor proposals.Actor, changeSet string) (review.ChangeSet, error)
}

// Desk is the part of the review service that User needs.
type Desk interface {
	Reader
	Decider
	Proposer
	Assessor
}

// Calls reads the calls of agents, and approves or refuses waiting calls.
type Calls interface {
	Pending(ctx context.Context, q gateway.PendingQuery) ([]gateway.Pending, error)
	State(p gateway.Pending) gateway.PendingState
	Answerer
}

// Signer signs the user's decisions. Each method calls ask before it uses the key, and returns a desk that
// accepts only the signed decision.
type Signer interface {
	Decide(ctx context.Context, act proposals.Act, choices []review.Choice, note string, ask AskToSign) (Decider, error)
	// Waive signs the waiver of a finding (ActWaive) or the end of a waiver (ActUnwaive).
	Waive(ctx context.Context, act proposals.Act, id proposals.ID, handle, reason string, ask AskToSign) (Decider, error)
	Answer(ctx context.Context, p gateway.Pending, approve bool, reason string, ask AskToSign) (Answerer, error)
}

// Answerer approves and refuses waiting calls.
type Answerer interface {
	Approve(ctx context.Context, actor proposals.Actor, id, expect string) (gateway.Result, error)
	Refuse(ctx context.Context, actor proposals.Actor, id, reason string) (gateway.Pending, error)
}

// SignRequest describes a statement for the user to sign.
type SignRequest struct {
	Principal, Key string
	Statement      string // short hash of the statement
	Terminal       bool   // Run can read a passphrase or a PIN from the terminal
	Run            func() error
}

// Line returns a sentence with the signer, the key, and the statement.
func (r SignRequest) Line() string {
	return "Signing as " + r.Principal + " with " + r.Key + "; statement " + r.Statement + "."
}

// AskToSign shows r to the user. If the user agrees, it calls r.Run and returns the error of r.Run. If the user
// declines, it returns ErrNotSigned.
type AskToSign func(ctx context.Context, r SignRequest) error
