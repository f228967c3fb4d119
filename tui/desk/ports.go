// Interfaces that the actions need.

package desk

import (
	"context"
	"time"

	"toolcrib/gateway"
	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
)

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

// Desk is the part of the review service that the actions use.
type Desk interface {
	Reader
	Decider
	Proposer
	Assessor
}

// Calls reads and answers the waiting calls.
type Calls interface {
	Pending(ctx context.Context, q gateway.PendingQuery) ([]gateway.Pending, error)
	State(p gateway.Pending) gateway.PendingState
	Answerer
}

// Signer signs the user's decisions. Each method returns the desk for one decision, and calls ask before it uses the
// key.
type Signer interface {
	Decide(ctx context.Context, act proposals.Act, choices []review.Choice, note string, ask AskToSign) (Decider, error)
	// Waive signs the waiver of a finding (ActWaive) or its end (ActUnwaive).
	Waive(ctx context.Context, act proposals.Act, id proposals.ID, handle, reason string, ask AskToSign) (Decider, error)
	Answer(ctx context.Context, p gateway.Pending, approve bool, reason string, ask AskToSign) (Answerer, error)
}

// Answerer answers waiting calls.
type Answerer interface {
	Approve(ctx context.Context, actor proposals.Actor, id, expect string) (gateway.Result, error)
	Refuse(ctx context.Context, actor proposals.Actor, id, reason string) (gateway.Pending, error)
}

// SignRequest is a statement to be signed.
type SignRequest struct {
	Principal, Key string
	Statement      string // short hash
	Terminal       bool   // Run may ask for a passphrase or a PIN at the terminal
	Run            func() error
}

// Line describes the signer, the key, and the statement.
func (r SignRequest) Line() string {
	return "Signing as " + r.Principal + " with " + r.Key + "; statement " + r.Statement + "."
}

// AskToSign shows a request and runs it if the user agrees. It returns the result of Run, or ErrNotSigned.
type AskToSign func(ctx context.Context, r SignRequest) error
