package drafting

import (
	"context"
	"errors"
	"fmt"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/review/records"
)

// Withdraw ends an open proposal without a decision.
func (d *Drafter) Withdraw(ctx context.Context, actor proposals.Actor, id proposals.ID, note string) (proposals.Proposal, error) {
	if err := errors.Join(fromOutside(actor), review.CheckText("note", note)); err != nil {
		return proposals.Proposal{}, err
	}
	return d.withdraw(ctx, actor, id, 0, note)
}

// Retract withdraws, as toolcrib itself, what Observe or an import proposed and a server
// took back, if revision is still its current one.
func (d *Drafter) Retract(ctx context.Context, id proposals.ID, revision int, note string) (proposals.Proposal, error) {
	return d.withdraw(ctx, proposals.Actor{Kind: proposals.System}, id, revision, note)
}

// withdraw ends a proposal. As toolcrib itself it ends a current revision that an
// import wrote.
func (d *Drafter) withdraw(ctx context.Context, actor proposals.Actor, id proposals.ID, revision int, note string) (proposals.Proposal, error) {
	return records.Write(ctx, d.records, func(tx review.Tx) (proposals.Proposal, error) {
		p, err := tx.Proposal(ctx, id)
		if err == nil && actor.Kind == proposals.System {
			err = retractable(ctx, tx.Reader, p, revision)
		}
		if err != nil {
			return p, err
		}
		to, err := proposals.Permit(actor, proposals.ActWithdraw, p)
		if err != nil {
			return p, err
		}
		from := p.State
		p.State, p.UpdatedAt = to, d.records.Time()
		if err := tx.MoveProposal(ctx, p, from); err != nil {
			return p, err
		}
		if p.Issue > 0 {
			if err := tx.AssignIssue(ctx, p.ID, "", proposals.IssueClosed); err != nil {
				return p, err
			}
		}
		data := map[string]any{}
		if note != "" {
			data["note"] = note
		}
		return p, d.records.Log(ctx, tx, actor, "withdraw", p, p.UpdatedAt, "", data)
	})
}

// retractable returns why toolcrib itself may not withdraw a revision of p.
func retractable(ctx context.Context, r review.Reader, p proposals.Proposal, revision int) error {
	if p.Revision != revision {
		return fmt.Errorf("%s: %w: it has a newer revision", p.Name(), proposals.ErrConflict)
	}
	rev, err := r.Revision(ctx, p.ID, revision)
	if err != nil {
		return err
	}
	generated, err := isGenerated(ctx, r, rev)
	if err == nil && !generated {
		err = fmt.Errorf("%s: %w: no import wrote it", p.Name(), proposals.ErrAuthority)
	}
	return err
}
