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

// refuse decides on proposals with any verdict but approval: all of them or none.
func (d *Desk) refuse(ctx context.Context, actor proposals.Actor, choices []Choice, act proposals.Act, verdict Verdict, reason string) ([]Decision, error) {
	if err := checkText("reason", reason); err != nil {
		return nil, err
	}
	return d.decide(ctx, actor, choices, false, d.refusing(ctx, actor, act, reason), func(tx Tx, views []view, showings []Showing, signed *SignedAct) ([]Decision, error) {
		if err := d.signing.seal(ctx, tx, signed, verdict, views, nil, reason); err != nil {
			return nil, err
		}
		decisions := make([]Decision, len(views))
		about := make([]proposals.Proposal, len(views))
		for i, v := range views {
			p := v.Proposal
			about[i] = p
			decisions[i] = Decision{
				ID: d.newID(), Proposal: p.ID, Issue: p.Issue, Subject: p.Subject, Revision: p.Revision, ContentHash: p.ContentHash, Verdict: verdict,
				Note: reason, By: actor, At: signed.Time(d.stamp()), Assessment: v.Assessment.ID, ReviewDigest: v.Digest, Shown: showings[i], Signature: signed.Hash(), need: v.need,
			}
		}
		return decisions, d.applyVerdict(ctx, tx, verdict, about, decisions, signed)
	})
}

// refusing returns the check of a decision that is not an approval.
func (d *Desk) refusing(ctx context.Context, actor proposals.Actor, act proposals.Act, reason string) check {
	return func(r *reviewCache, b Bundle, _ Choice) (view, error) {
		if _, err := permit(actor, act, b.Proposal); err != nil {
			return view{}, err
		}
		if strings.TrimSpace(reason) == "" {
			return view{}, fmt.Errorf("%s: %w: write a reason for the author", name(b.Proposal), ErrNoReason)
		}
		return d.look(ctx, r, b)
	}
}
