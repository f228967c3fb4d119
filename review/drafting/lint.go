package drafting

import (
	"context"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/review/admission"
	"toolcrib/review/assessing"
	"toolcrib/review/impact"
	"toolcrib/review/records"
)

// Lint runs the rules over a draft as if actor submitted it, in the context of the live registry and the other
// proposals. It returns the errors of a submission, but writes nothing and does not count toward any limit.
func (d *Drafter) Lint(ctx context.Context, actor proposals.Actor, draft proposals.Draft) (review.Lint, error) {
	return records.Read(ctx, d.records, func(r review.Reader) (review.Lint, error) {
		var p proposals.Proposal
		submission, err := d.accept(ctx, r, actor, admission.NewSubmission(draft))
		if err != nil {
			return review.Lint{}, err
		}
		if actor.Kind == proposals.Agent {
			own, err := openBy(ctx, r, actor, draft.Subject)
			if err != nil {
				return review.Lint{}, err
			}
			if own != nil {
				p = *own
				p.Revision++
			}
		}
		return d.lint(ctx, r, actor, p, submission)
	})
}

// LintProposal is like Lint, for the current revision of a proposal.
func (d *Drafter) LintProposal(ctx context.Context, actor proposals.Actor, id proposals.ID) (review.Lint, error) {
	return records.Read(ctx, d.records, func(r review.Reader) (review.Lint, error) {
		p, rev, err := impact.Current(ctx, r, id)
		if err != nil {
			return review.Lint{}, err
		}
		return d.lint(ctx, r, actor, p, admission.NewSubmission(rev.Draft))
	})
}

// lint runs the rules over an existing or possible revision of p, which is zero for a new proposal.
func (d *Drafter) lint(ctx context.Context, r review.Reader, actor proposals.Actor, p proposals.Proposal, submission admission.Submission) (out review.Lint, err error) {
	if err := admission.Gate(ctx, r, d.rules, actor, submission); err != nil {
		return out, err
	}
	report, _, err := d.chief.Examine(ctx, r, p.ID, submission)
	if err != nil {
		return out, err
	}
	var waivers []history.Waiver
	if p.ID != "" {
		if waivers, err = r.Waivers(ctx, p.ID); err != nil {
			return out, err
		}
	}
	out.Standing = review.ApplyWaivers(report.Findings, waivers, p.Revision, d.records.Time())
	open, _ := review.Unwaived(out.Standing)
	out.Recommendation = assessing.Recommend(open)
	return out, nil
}
