package gateway

import (
	"context"

	"toolcrib/proposals"
	"toolcrib/signing/statement"
)

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
