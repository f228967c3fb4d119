package review

import (
	"context"

	"toolcrib/proposals"
)

// settlements says for each verdict which act it is and whose turn it is then.
var settlements = map[Verdict]struct {
	act      proposals.Act
	assignee func(proposals.Proposal) string
	status   proposals.IssueStatus
}{
	VerdictApproved:     {proposals.ActApprove, nobody, proposals.IssueClosed},
	VerdictRejected:     {proposals.ActReject, nobody, proposals.IssueClosed},
	VerdictNeedsChanges: {proposals.ActRequestChanges, func(p proposals.Proposal) string { return p.Author.String() }, proposals.IssueOpen},
}

func nobody(proposals.Proposal) string { return "" }

// settle writes a decision, moves the proposal and hands its issue on.
func (d *Desk) settle(ctx context.Context, tx Tx, p proposals.Proposal, decision Decision) (Decision, error) {
	s := settlements[decision.Verdict]
	to, err := proposals.Next(p.State, s.act)
	if err != nil {
		return decision, err
	}
	from := p.State
	p.State, p.UpdatedAt = to, decision.At
	if err := tx.MoveProposal(ctx, p, from); err != nil {
		return decision, err
	}
	if err := tx.AssignIssue(ctx, p.ID, s.assignee(p), s.status); err != nil {
		return decision, err
	}
	seal, err := tx.AddDecision(ctx, decision)
	if err != nil {
		return decision, err
	}
	data := map[string]any{"decision": decision.ID, "review_digest": decision.ReviewDigest, "note": decision.Note}
	if decision.Verdict == VerdictApproved {
		data["version"], data["version_hash"] = decision.Version, decision.VersionHash
	}
	return decision, d.log(ctx, tx, decision.By, string(s.act), p, p.UpdatedAt, seal, data)
}
