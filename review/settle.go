package review

import (
	"context"

	"toolcrib/history"
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

// settle moves the proposals of decisions, hands their issues on and writes the
// decisions, all with one verdict. Each decision is about the proposal of the
// same place.
func (d *Desk) settle(ctx context.Context, tx Tx, verdict Verdict, about []proposals.Proposal, decisions []Decision) error {
	s := settlements[verdict]
	settled := make([]Settled, len(about))
	for i, p := range about {
		to, err := proposals.Next(p.State, s.act)
		if err != nil {
			return err
		}
		from := p.State
		p.State, p.UpdatedAt = to, decisions[i].At
		settled[i] = Settled{Proposal: p, From: from, Assignee: s.assignee(p), Status: s.status}
	}
	if err := tx.Settle(ctx, settled); err != nil {
		return err
	}
	seals, err := tx.AddDecisions(ctx, decisions)
	if err != nil {
		return err
	}
	policy, err := d.policy.Settings().record()
	if err != nil {
		return err
	}
	events := make([]history.Event, len(decisions))
	for i, decision := range decisions {
		data := map[string]any{"decision": decision.ID, "review_digest": decision.ReviewDigest, "note": decision.Note, "policy": policy, "shown": string(decision.Shown)}
		if verdict == VerdictApproved {
			data["version"], data["version_hash"] = decision.Version, decision.VersionHash
		}
		if events[i], err = d.event(decision.By, string(s.act), settled[i].Proposal, decision.At, seals[i], data); err != nil {
			return err
		}
	}
	return tx.AppendEvents(ctx, events)
}
