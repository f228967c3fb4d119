package review

import (
	"context"
	"errors"
	"fmt"

	"toolcrib/proposals"
)

// Revise makes a new revision of a proposal from draft. A draft stays a draft;
// anything else goes back to the Chief of Staff, so it has to be whole.
func (d *Desk) Revise(ctx context.Context, actor proposals.Actor, id proposals.ID, draft proposals.Draft) (proposals.Proposal, error) {
	if err := fromOutside(actor); err != nil {
		return proposals.Proposal{}, err
	}
	d.try(ctx, draft)
	p, err := write(ctx, d, func(tx Tx) (proposals.Proposal, error) {
		p, err := tx.Proposal(ctx, id)
		if err != nil {
			return p, err
		}
		if draft, err = complete(ctx, tx, draft); err != nil {
			return p, err
		}
		p, _, err = d.revise(ctx, tx, actor, p, draft)
		return p, err
	})
	return d.consulted(ctx, p, err)
}

// revise writes the next revision of a proposal in the actor's own words.
func (d *Desk) revise(ctx context.Context, tx Tx, actor proposals.Actor, p proposals.Proposal, draft proposals.Draft) (proposals.Proposal, proposals.Revision, error) {
	return d.revised(ctx, tx, actor, actor, p, draft)
}

// revised writes the next revision of a proposal, in which the words are those
// of author.
func (d *Desk) revised(ctx context.Context, tx Tx, actor, author proposals.Actor, p proposals.Proposal, draft proposals.Draft) (proposals.Proposal, proposals.Revision, error) {
	var rev proposals.Revision
	to, err := permit(actor, proposals.ActRevise, p)
	if err != nil {
		return p, rev, err
	}
	if draft.Subject != p.Subject {
		return p, rev, fmt.Errorf("%w: %s is about %s; propose %s separately", ErrConflict, name(p), p.Subject, draft.Subject)
	}
	if err := checkSize(draft); err != nil {
		return p, rev, err
	}
	last, err := tx.Revision(ctx, p.ID, p.Revision)
	if err != nil {
		return p, rev, err
	}
	if last.Canonical() == string(draft.Canonical()) {
		return p, last, fmt.Errorf("%s: %w since revision %d", name(p), ErrUnchanged, p.Revision)
	}
	if err := d.admits(ctx, tx, actor, p, draft, to); err != nil {
		return p, rev, err
	}
	if p, rev, err = d.addRevision(ctx, tx, actor, author, p, draft, to); err != nil || to == proposals.Drafted {
		return p, rev, err
	}
	if err := tx.AssignIssue(ctx, p.ID, proposals.AssigneeChief, proposals.IssueOpen); err != nil {
		return p, rev, err
	}
	p, err = d.receive(ctx, tx, p, rev)
	return p, rev, err
}

// admits refuses a revision that comes too soon after others, joins a change
// set of somebody else, or, unless it stays a draft, would not pass the gate.
func (d *Desk) admits(ctx context.Context, tx Tx, actor proposals.Actor, p proposals.Proposal, draft proposals.Draft, to proposals.State) error {
	if err := d.withinPace(ctx, tx, actor); err != nil {
		return err
	}
	if draft.ChangeSet != p.ChangeSet {
		if err := d.joins(ctx, tx, actor, draft.ChangeSet); err != nil {
			return err
		}
	}
	if to == proposals.Drafted {
		return nil
	}
	if err := d.gate(ctx, tx, actor, draft); err != nil {
		return err
	}
	return d.prefetchSimilar(ctx, tx, draft)
}

// addRevision writes draft as the next revision of p and moves p to a state.
func (d *Desk) addRevision(ctx context.Context, tx Tx, actor, author proposals.Actor, p proposals.Proposal, draft proposals.Draft, to proposals.State) (proposals.Proposal, proposals.Revision, error) {
	data := map[string]any{}
	if draft.ChangeSet != p.ChangeSet {
		data["change_set"], data["change_set_before"] = draft.ChangeSet, p.ChangeSet
	}
	from := p.State
	describe(&p, draft)
	p.Revision++
	p.UpdatedAt = d.stamp()
	rev := proposals.Revision{Proposal: p.ID, Number: p.Revision, Draft: draft, ContentHash: p.ContentHash, Author: author, CreatedAt: p.UpdatedAt}
	seal, err := tx.AddRevision(ctx, p, rev)
	if err != nil {
		return p, rev, err
	}
	p.State, p.Summary = to, proposals.Summary{}
	if err := tx.MoveProposal(ctx, p, from); err != nil {
		return p, rev, err
	}
	data["content_hash"] = p.ContentHash
	return p, rev, d.log(ctx, tx, actor, "revise", p, p.UpdatedAt, seal, data)
}

// Withdraw ends an open proposal without a decision.
func (d *Desk) Withdraw(ctx context.Context, actor proposals.Actor, id proposals.ID, note string) (proposals.Proposal, error) {
	if err := errors.Join(fromOutside(actor), checkText("note", note)); err != nil {
		return proposals.Proposal{}, err
	}
	return d.withdraw(ctx, actor, id, 0, note)
}

// Retract withdraws what Observe proposed, as toolcrib itself, if revision is still
// its current one.
func (d *Desk) Retract(ctx context.Context, id proposals.ID, revision int, note string) (proposals.Proposal, error) {
	return d.withdraw(ctx, proposals.Actor{Kind: proposals.System}, id, revision, note)
}

// withdraw ends a proposal with a current revision; 0 for any.
func (d *Desk) withdraw(ctx context.Context, actor proposals.Actor, id proposals.ID, revision int, note string) (proposals.Proposal, error) {
	return write(ctx, d, func(tx Tx) (proposals.Proposal, error) {
		p, err := tx.Proposal(ctx, id)
		if err == nil && revision > 0 && p.Revision != revision {
			err = fmt.Errorf("%s: %w: it has a newer revision", name(p), ErrConflict)
		}
		if err != nil {
			return p, err
		}
		to, err := permit(actor, proposals.ActWithdraw, p)
		if err != nil {
			return p, err
		}
		from := p.State
		p.State, p.UpdatedAt = to, d.stamp()
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
		return p, d.log(ctx, tx, actor, "withdraw", p, p.UpdatedAt, "", data)
	})
}
