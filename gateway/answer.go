package gateway

import (
	"context"
	"fmt"
	"strings"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/proof"
	"toolcrib/signing/statement"
)

// MaxReason is the longest reason for a no, in characters.
const MaxReason = 2_000

// Approve approves a pending call and runs it. expect is the digest of the call as
// the user saw it, "" for no comparison.
//
// The approval claims the call: it is recorded, together with the beginning of the
// call, before anything runs, and there is one answer at most. So the call runs at
// most once, with the arguments that were shown: when the program ends in between,
// it is shown as interrupted and not run again. A cooldown or daily limit that
// prevents the call at the moment is returned before the approval is recorded, and
// the call keeps waiting. A guarded call runs when its client makes it again, once.
func (g *Gateway) Approve(ctx context.Context, actor proposals.Actor, id, expect string) (Result, error) {
	return g.Unsigned().Approve(ctx, actor, id, expect)
}

// Answering is a gateway for one act of the user, signed or not.
type Answering struct {
	gateway *Gateway
	signed  *proof.Signed
}

// Signed returns the gateway for the one act of a signed statement that
// PrepareAnswer or PrepareTiers returned.
func (g *Gateway) Signed(s proof.Signed) Answering { return Answering{g, &s} }

// Unsigned returns the gateway for acts that are not signed.
func (g *Gateway) Unsigned() Answering { return Answering{gateway: g} }

// Approve is Gateway.Approve.
func (a Answering) Approve(ctx context.Context, actor proposals.Actor, id, expect string) (Result, error) {
	if err := proposals.Authorize(actor, proposals.ActApproveCall, proposals.Actor{}); err != nil {
		return Result{}, err
	}
	p, err := a.claim(ctx, actor, id, expect)
	if err != nil {
		return Result{}, err
	}
	if p.call.Caller.guarded() {
		return Result{
			Call: p.call.ID, Tool: p.tool.Subject, Version: p.tool.Version, At: p.call.At, Output: []byte(`{}`),
			Warnings: []string{"The call runs when its client makes it again, before the pending call expires."},
		}, nil
	}
	admitted, err := a.gateway.pass(ctx, p)
	if err != nil {
		return Result{}, err
	}
	return a.gateway.perform(ctx, admitted)
}

// claim records the yes.
func (a Answering) claim(ctx context.Context, actor proposals.Actor, id, expect string) (*prepared, error) {
	g := a.gateway
	pending, err := g.PendingCall(ctx, id)
	if err != nil {
		return nil, err
	}
	known, err := g.toolsets.of(ctx, pending.Caller)
	if err != nil {
		return nil, err
	}
	p := &prepared{set: known, answers: pending.ID, args: pending.Args, said: pending.Said, call: Call{
		ID: g.newID(), At: g.stamp(), Caller: pending.Caller, Name: pending.Tool.ID, Tool: pending.Tool, Version: pending.Version,
		ContentHash: pending.ContentHash, ArgsHash: registry.HashBytes(pending.Args), Pending: pending.ID,
	}}
	answer := Answer{ID: g.newID(), Approved: true, Digest: pending.Digest, By: actor, At: p.call.At, Call: p.call.ID}
	err = g.ledger.Durable(ctx, func(tx LedgerTx) error {
		now, err := g.open(ctx, tx.LedgerReader, actor, proposals.ActApproveCall, pending.ID, expect)
		if err != nil {
			return err
		}
		if p.set, err = g.toolsets.current(ctx, tx, known); err != nil {
			return err
		}
		e := p.set.allowed[pending.Tool].Entry
		if e.Definition.Tool == nil || e.Version != now.Version || e.ContentHash != now.ContentHash {
			return fmt.Errorf("%s: %w: the definition that the agent %s has of %s changed or was removed; the agent must call again", now.ID, review.ErrStale, now.Caller.Agent, now.Tool)
		}
		p.tool, p.call.Annotations = e.Live, g.hints(e.Definition.Tool)
		if err := g.admit(ctx, tx.LedgerReader, p); err != nil {
			return err
		}
		if p.refused != nil {
			return p.refused
		}
		if err := a.sign(ctx, tx, actor, now, &answer); err != nil {
			return err
		}
		if err := tx.AddAnswer(ctx, pending.ID, answer); err != nil {
			return err
		}
		if p.call.Caller.guarded() { // its guard alone reaches the server
			return nil
		}
		return tx.AddCall(ctx, p.call)
	})
	return p, err
}

// open returns a pending call that can be answered by actor.
func (g *Gateway) open(ctx context.Context, tx LedgerReader, actor proposals.Actor, act proposals.Act, id, expect string) (Pending, error) {
	if err := proposals.Authorize(actor, act, proposals.Actor{}); err != nil {
		return Pending{}, err
	}
	p, err := tx.Pending(ctx, id)
	if err != nil {
		return p, err
	}
	digest, err := p.digest()
	if err != nil {
		return p, err
	}
	switch {
	case digest != p.Digest:
		return p, fmt.Errorf("the pending call %s: %w: it differs from the recorded call", p.ID, proposals.ErrTampered)
	case expect != "" && !strings.EqualFold(expect, p.Digest):
		return p, fmt.Errorf("%s: %w: the call differs from the one shown; run toolcrib calls show again", p.ID, review.ErrDigest)
	}
	switch g.State(p) {
	case PendingWaiting:
		return p, nil
	case PendingExpired:
		return p, fmt.Errorf("%s: %w: it expired at %s; the agent must call again", p.ID, review.ErrStale, p.ExpiresAt.Format("2006-01-02 15:04:05 UTC"))
	case PendingOutdated:
		return p, fmt.Errorf("%s: %w: %s is no longer at version %d; the agent must call again", p.ID, review.ErrStale, p.Tool, p.Version)
	case PendingRefused, PendingRunning, PendingDone, PendingFailed, PendingInterrupted:
	}
	word := "refused"
	if p.Answer.Approved {
		word = "approved"
	}
	return p, fmt.Errorf("%s: %w: %s %s it already", p.ID, proposals.ErrConflict, p.Answer.By, word)
}

// Refuse refuses a pending call. The reason is shown to the agent.
func (g *Gateway) Refuse(ctx context.Context, actor proposals.Actor, id, reason string) (Pending, error) {
	return g.Unsigned().Refuse(ctx, actor, id, reason)
}

// Refuse is Gateway.Refuse.
func (a Answering) Refuse(ctx context.Context, actor proposals.Actor, id, reason string) (Pending, error) {
	g := a.gateway
	if err := proposals.Authorize(actor, proposals.ActRefuseCall, proposals.Actor{}); err != nil {
		return Pending{}, err
	}
	reason, err := checkReason(reason)
	if err != nil {
		return Pending{}, err
	}
	var p Pending
	err = g.ledger.Durable(ctx, func(tx LedgerTx) error {
		found, err := tx.Pending(ctx, id)
		if err != nil {
			return err
		}
		if p, err = g.open(ctx, tx.LedgerReader, actor, proposals.ActRefuseCall, found.ID, ""); err != nil {
			return err
		}
		answer := Answer{ID: g.newID(), Digest: p.Digest, Reason: reason, By: actor, At: g.stamp()}
		if err := a.sign(ctx, tx, actor, p, &answer); err != nil {
			return err
		}
		p.Answer = &answer
		return tx.AddAnswer(ctx, p.ID, answer)
	})
	return p, err
}

// checkReason returns the reason for a no, and an error if it cannot be one.
func checkReason(reason string) (string, error) {
	reason = strings.TrimSpace(reason)
	if reason == "" {
		return "", fmt.Errorf("%w: give a reason for the refusal; the agent sees it", review.ErrNoReason)
	}
	return reason, CheckReason(reason)
}

// PrepareAnswer returns the statement by which actor would approve a pending call,
// or refuse it for a reason, to be signed and then passed on by Gateway.Signed to
// Approve or Refuse. expect is as Approve has it.
func (g *Gateway) PrepareAnswer(ctx context.Context, actor proposals.Actor, id, expect string, approve bool, reason string) ([]byte, error) {
	act := proposals.ActApproveCall
	if !approve {
		act = proposals.ActRefuseCall
		var err error
		if reason, err = checkReason(reason); err != nil {
			return nil, err
		}
	}
	var prepared []byte
	err := g.ledger.View(ctx, func(r LedgerReader) error {
		found, err := r.Pending(ctx, id)
		if err != nil {
			return err
		}
		p, err := g.open(ctx, r, actor, act, found.ID, expect)
		if err != nil {
			return err
		}
		prepared, err = g.signing.Prepare(ctx, r, actor, g.stamp(), p.StatementAct(approve), reason)
		return err
	})
	return prepared, err
}

// StatementAct returns what a statement about the answer to p is about.
func (p Pending) StatementAct(approved bool) *statement.CallAnswer {
	return &statement.CallAnswer{
		Approved: approved, Pending: p.ID, Tool: p.Tool.String(), Version: p.Version, ContentHash: p.ContentHash, Digest: p.Digest,
	}
}

// sign checks the signature of an answer to p and records it, and gives the answer
// its hash. The answer keeps the time at which it was given: the call runs now.
func (a Answering) sign(ctx context.Context, tx LedgerTx, actor proposals.Actor, p Pending, answer *Answer) error {
	signed, err := a.gateway.signing.Open(ctx, tx, actor, a.signed)
	if err != nil {
		return err
	}
	if err := signed.Match(p.StatementAct(answer.Approved), answer.Reason); err != nil {
		return err
	}
	answer.Signature = signed.Hash()
	return a.gateway.signing.Record(ctx, tx, signed)
}

// PrepareTiers returns the statement by which actor would choose tiers, to be
// signed and then passed on by Gateway.Signed to SetTiers with the same choice.
func (g *Gateway) PrepareTiers(ctx context.Context, actor proposals.Actor, c TierChoice) ([]byte, error) {
	var prepared []byte
	err := g.ledger.View(ctx, func(r LedgerReader) error {
		change, err := g.tierChange(ctx, r, actor, c)
		if err != nil {
			return err
		}
		prepared, err = g.signing.Prepare(ctx, r, actor, g.stamp(), tierAct(c, change.Set), "")
		return err
	})
	return prepared, err
}

// tierAct returns the act of a statement that chooses tiers.
func tierAct(c TierChoice, set []Override) *statement.Tier {
	act := &statement.Tier{Tier: string(c.Tier), User: statement.Text(c.User)}
	for _, o := range set {
		act.Tools = append(act.Tools, o.Tool.String())
	}
	return act
}

// StatementAct returns what a statement about o is about, which may be about other
// tools as well.
func (o Override) StatementAct() *statement.Tier {
	return tierAct(TierChoice{User: o.User, Tier: o.Tier}, []Override{o})
}
