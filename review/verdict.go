package review

import (
	"context"
	"slices"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/review/proof"
)

// verdictMoves gives for each verdict the act, and the next assignee and status
// of the issue.
var verdictMoves = map[proposals.Verdict]struct {
	act      proposals.Act
	assignee func(proposals.Proposal) string
	status   proposals.IssueStatus
}{
	proposals.VerdictApproved:     {proposals.ActApprove, nobody, proposals.IssueClosed},
	proposals.VerdictEndorsed:     {proposals.ActEndorse, func(proposals.Proposal) string { return proposals.AssigneeUser }, proposals.IssueOpen},
	proposals.VerdictRejected:     {proposals.ActReject, nobody, proposals.IssueClosed},
	proposals.VerdictNeedsChanges: {proposals.ActRequestChanges, func(p proposals.Proposal) string { return p.Author.String() }, proposals.IssueOpen},
}

func nobody(proposals.Proposal) string { return "" }

// applyVerdict moves proposals, assigns their issues, and writes the decisions
// and events, all with one verdict. decisions[i] is about views[i]. A signed
// decision has the time of its statement, its event the time at which it was
// recorded: the log stays in order.
func (d *deciding) applyVerdict(ctx context.Context, tx Tx, verdict proposals.Verdict, views []view, decisions []proposals.Decision, signed *proof.SignedAct) error {
	s := verdictMoves[verdict]
	decided := make([]DecidedProposal, len(views))
	for i, v := range views {
		p := v.Proposal
		to, err := proposals.Next(p.State, s.act)
		if err != nil {
			return err
		}
		from := p.State
		p.State, p.UpdatedAt = to, signed.RecordedAt(decisions[i].At)
		decided[i] = DecidedProposal{Proposal: p, From: from, Assignee: s.assignee(p), Status: s.status}
	}
	if err := tx.ApplyVerdict(ctx, decided); err != nil {
		return err
	}
	seals, err := tx.AddDecisions(ctx, decisions)
	if err != nil {
		return err
	}
	settings := d.policy.Settings()
	policy := settings.record()
	events := make([]history.Event, len(decisions))
	for i, decision := range decisions {
		data := map[string]any{"decision": decision.ID, "review_digest": decision.ReviewDigest, "note": decision.Note, "policy": policy, "shown": string(decision.Shown)}
		if need := views[i].need; len(need) > 0 {
			data["policy"] = slices.Concat(settings, ownership(need)).record()
		}
		if a := decision.Approvals; a != nil {
			data["approvals"] = map[string]any{"required": a.Required, "given": a.Given, "waits_for": a.WaitsFor}
		}
		if verdict == proposals.VerdictApproved {
			data["version"], data["version_hash"] = decision.Version, decision.VersionHash
		}
		if events[i], err = d.event(decision.By, string(s.act), decided[i].Proposal, decided[i].Proposal.UpdatedAt, seals[i], data); err != nil {
			return err
		}
	}
	return tx.AppendEvents(ctx, events)
}
