package review

import (
	"context"
	"fmt"
	"strings"

	"toolcrib/proposals"
)

// RequestChanges sends a proposal back to its author with the reason.
func (d *Desk) RequestChanges(ctx context.Context, actor proposals.Actor, choices []Choice, reason string) ([]Decision, error) {
	return d.refuse(ctx, actor, choices, proposals.ActRequestChanges, VerdictNeedsChanges, reason)
}

// Reject ends a proposal with the reason.
func (d *Desk) Reject(ctx context.Context, actor proposals.Actor, choices []Choice, reason string) ([]Decision, error) {
	return d.refuse(ctx, actor, choices, proposals.ActReject, VerdictRejected, reason)
}

// refuse settles proposals with anything but an approval: all of them or none.
func (d *Desk) refuse(ctx context.Context, actor proposals.Actor, choices []Choice, act proposals.Act, verdict Verdict, reason string) ([]Decision, error) {
	if err := checkWords("reason", reason); err != nil {
		return nil, err
	}
	var decisions []Decision
	err := d.update(ctx, func(tx Tx) error {
		decisions = make([]Decision, 0, len(choices))
		for _, c := range choices {
			decision, err := d.refuseOne(ctx, tx, actor, c, act, verdict, reason)
			if err != nil {
				return err
			}
			decisions = append(decisions, decision)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return decisions, nil
}

func (d *Desk) refuseOne(ctx context.Context, tx Tx, actor proposals.Actor, c Choice, act proposals.Act, verdict Verdict, reason string) (Decision, error) {
	p, err := tx.Proposal(ctx, c.ID)
	if err != nil {
		return Decision{}, err
	}
	if err := proposals.Authorize(actor, act, p.Author); err != nil {
		return Decision{}, fmt.Errorf("%s: %w", name(p), err)
	}
	if _, err := proposals.Next(p.State, act); err != nil {
		return Decision{}, fmt.Errorf("%s: %w", name(p), err)
	}
	if strings.TrimSpace(reason) == "" {
		return Decision{}, fmt.Errorf("%s: %w: the author has to know why", name(p), ErrNoReason)
	}
	v, err := d.look(ctx, newGlance(tx), p)
	if err != nil {
		return Decision{}, err
	}
	if c.Expect != "" && c.Expect != v.Digest {
		return Decision{}, fmt.Errorf("%s: %w: something you were shown has changed since; look again: toolcrib show %s", name(p), ErrDigest, p.ID)
	}
	return d.settle(ctx, tx, p, Decision{
		ID: d.newID(), Proposal: p.ID, Subject: p.Subject, Revision: p.Revision, ContentHash: p.ContentHash, Verdict: verdict,
		Note: reason, By: actor, At: d.stamp(), Assessment: v.Assessment.ID, ReviewDigest: v.Digest,
	})
}
