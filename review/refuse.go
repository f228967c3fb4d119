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
		r := newGlance(tx)
		bundles, err := r.bundles(ctx, chosen(choices)...)
		if err != nil {
			return err
		}
		seen := map[proposals.ID]bool{}
		about := make([]proposals.Proposal, len(choices))
		decisions = make([]Decision, len(choices))
		for i, c := range choices {
			p := bundles[i].Proposal
			if seen[p.ID] {
				return fmt.Errorf("%w: %s is named twice", ErrConflict, name(p))
			}
			seen[p.ID], about[i] = true, p
			if decisions[i], err = d.refusal(ctx, r, actor, bundles[i], c, act, verdict, reason); err != nil {
				return err
			}
		}
		return d.settle(ctx, tx, verdict, about, decisions)
	})
	if err != nil {
		return nil, err
	}
	return decisions, nil
}

// refusal is the decision about a proposal, unless something is in its way.
func (d *Desk) refusal(ctx context.Context, r *glance, actor proposals.Actor, b Bundle, c Choice, act proposals.Act, verdict Verdict, reason string) (Decision, error) {
	p := b.Proposal
	if _, err := permit(actor, act, p); err != nil {
		return Decision{}, err
	}
	if strings.TrimSpace(reason) == "" {
		return Decision{}, fmt.Errorf("%s: %w: the author has to know why", name(p), ErrNoReason)
	}
	v, err := d.look(ctx, r, b)
	if err != nil {
		return Decision{}, err
	}
	if c.Expect != "" && c.Expect != v.Digest {
		return Decision{}, fmt.Errorf("%s: %w: something you were shown has changed since; look again: toolcrib show %s", name(p), ErrDigest, p.ID)
	}
	return Decision{
		ID: d.newID(), Proposal: p.ID, Subject: p.Subject, Revision: p.Revision, ContentHash: p.ContentHash, Verdict: verdict,
		Note: reason, By: actor, At: d.stamp(), Assessment: v.Assessment.ID, ReviewDigest: v.Digest,
	}, nil
}
