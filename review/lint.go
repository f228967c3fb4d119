package review

import (
	"context"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/review/impact"
)

// Lint holds what the rules find in a draft that is not submitted yet.
type Lint struct {
	// Recommendation follows from the findings. A reviewer that is not built in
	// can lower it once the draft is submitted.
	Recommendation proposals.Recommendation
	Standing       []Standing
}

// Lint runs the rules over a draft as a submission by actor would: next to the
// live registry and the other proposals. It refuses what a submission refuses,
// writes nothing and counts towards no limit.
func (d *drafting) Lint(ctx context.Context, actor proposals.Actor, draft proposals.Draft) (Lint, error) {
	return d.lint(ctx, actor, func(r Reader) (p proposals.Proposal, _ proposals.Draft, err error) {
		whole, err := d.acceptable(ctx, r, actor, draft)
		if err != nil || actor.Kind != proposals.Agent {
			return p, whole, err
		}
		own, err := openBy(ctx, r, actor, draft.Subject)
		if err != nil || own == nil {
			return p, whole, err
		}
		p = *own
		p.Revision++
		return p, whole, nil
	})
}

// LintProposal is Lint of the current revision of a proposal.
func (d *drafting) LintProposal(ctx context.Context, actor proposals.Actor, id proposals.ID) (Lint, error) {
	return d.lint(ctx, actor, func(r Reader) (proposals.Proposal, proposals.Draft, error) {
		p, rev, err := impact.Current(ctx, r, id)
		return p, rev.Draft, err
	})
}

// lint runs the rules over a draft, which choose returns with the proposal and the
// revision that it is or would be; these are zero for a new proposal.
func (d *drafting) lint(ctx context.Context, actor proposals.Actor, choose func(Reader) (proposals.Proposal, proposals.Draft, error)) (Lint, error) {
	var out Lint
	err := d.view(ctx, func(r *reviewCache) error {
		p, draft, err := choose(r.Reader)
		if err != nil {
			return err
		}
		if err := d.gate(ctx, r.Reader, actor, draft); err != nil {
			return err
		}
		report, _, err := d.examine(ctx, r.Reader, p.ID, draft)
		if err != nil {
			return err
		}
		var waivers []history.Waiver
		if p.ID != "" {
			if waivers, err = r.Waivers(ctx, p.ID); err != nil {
				return err
			}
		}
		out.Standing = stand(report.Findings, waivers, p.Revision, d.stamp())
		open, _ := unwaived(out.Standing)
		out.Recommendation = recommend(open)
		return nil
	})
	return out, err
}
