package deciding

import (
	"context"
	"slices"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/inspection"
	"toolcrib/review/proof"
	"toolcrib/signing/statement"
)

// verdictMoves maps each verdict to the act and to the next assignee and status of the issue.
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

// applyVerdict applies a verdict: it moves the proposals, assigns their issues, and writes the decisions and events.
// decisions[i] is for views[i]. A signed decision has the time of its statement; its event has the time at which it was
// recorded, so that the log is ordered.
func (d *Decider) applyVerdict(ctx context.Context, tx review.Tx, verdict proposals.Verdict, views []inspection.View, decisions []proposals.Decision, signed *proof.SignedAct) error {
	s := verdictMoves[verdict]
	decided := make([]review.DecidedProposal, len(views))
	for i, v := range views {
		p := v.Proposal
		to, err := proposals.Next(p.State, s.act)
		if err != nil {
			return err
		}
		from := p.State
		p.State, p.UpdatedAt = to, signed.RecordedAt(decisions[i].At)
		decided[i] = review.DecidedProposal{Proposal: p, From: from, Assignee: s.assignee(p), Status: s.status}
	}
	if err := tx.ApplyVerdict(ctx, decided); err != nil {
		return err
	}
	seals, err := tx.AddDecisions(ctx, decisions)
	if err != nil {
		return err
	}
	settings := d.policy.Settings()
	policy := settings.Record()
	events := make([]history.Event, len(decisions))
	for i, decision := range decisions {
		data := map[string]any{"decision": decision.ID, "review_digest": decision.ReviewDigest, "note": decision.Note, "policy": policy, "shown": string(decision.Shown)}
		if need := views[i].Need; len(need) > 0 {
			data["policy"] = slices.Concat(settings, review.Ownership(need)).Record()
		}
		if !decision.Reading.IsZero() {
			data["reading"] = decision.Reading
		}
		if a := decision.Approvals; a != nil {
			data["approvals"] = map[string]any{"required": a.Required, "given": a.Given, "waits_for": a.WaitsFor}
		}
		if verdict == proposals.VerdictApproved {
			data["version"], data["version_hash"] = decision.Version, decision.VersionHash
		}
		if events[i], err = d.records.Event(decision.By, string(s.act), decided[i].Proposal, decided[i].Proposal.UpdatedAt, seals[i], data); err != nil {
			return err
		}
	}
	return tx.AppendEvents(ctx, events)
}

// decisionAct returns the act for the statement of a decision. versions[i] is the version that an approval of views[i]
// writes; versions is nil for other verdicts.
func decisionAct(verdict proposals.Verdict, views []inspection.View, versions []history.Version) *statement.Decision {
	act := &statement.Decision{Verdict: statement.Verdict(verdict), Items: make([]statement.Item, len(views))}
	for i, v := range views {
		p := v.Proposal
		if i == 0 {
			act.Set = p.ChangeSet
		} else if act.Set != p.ChangeSet {
			act.Set = "" // several change sets, or none
		}
		item := statement.Item{
			Proposal: string(p.ID), Revision: p.Revision, Subject: p.Subject.String(), ContentHash: v.Revision.ContentHash, ReviewDigest: v.Digest,
		}
		if versions != nil {
			item.Version, item.Previous, item.Sum = versions[i].Number, versions[i].PrevHash, versions[i].UnsignedSum()
		}
		act.Items[i] = item
	}
	return act
}

// placed fills in the hashes of a version that is written next.
func placed(ctx context.Context, r review.RegistryReader, v *history.Version) error {
	v.ContentHash = registry.HashBytes(v.Definition)
	if v.Number == 1 {
		return nil
	}
	before, err := r.Version(ctx, v.Subject, v.Number-1)
	v.PrevHash = before.Hash
	return err
}

// sign verifies that the signed statement matches a decision, and records it.
func (d *Decider) sign(ctx context.Context, w proof.SignatureWriter, signed *proof.SignedAct, verdict proposals.Verdict, views []inspection.View, versions []history.Version, note string) error {
	if signed == nil {
		return nil
	}
	if err := signed.Match(decisionAct(verdict, views, versions), note); err != nil {
		return err
	}
	return d.signing.Record(ctx, w, signed)
}
