// Package deciding implements the decisions of users: approvals, rejections, requests for changes, and waivers of
// findings, with signatures if the policy requires them.
package deciding

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/admission"
	"toolcrib/review/inspection"
	"toolcrib/review/proof"
	"toolcrib/review/records"
	"toolcrib/review/rules"
	"toolcrib/review/rules/ruleset"
	"toolcrib/signing/statement"
)

// Decider makes decisions. It is safe for concurrent use.
type Decider struct {
	records   *records.Records
	inspector *inspection.Inspector
	policy    review.Policy
	rules     ruleset.Set
	signing   proof.Signing
	signed    *proof.Signed // signed statement for the next act, or nil
}

// New returns a decider. signing verifies and records signatures. signed is the signed statement for the next act of
// the decider, or nil.
func New(r *records.Records, inspector *inspection.Inspector, policy review.Policy, rules ruleset.Set, signing proof.Signing, signed *proof.Signed) *Decider {
	return &Decider{r, inspector, policy, rules, signing, signed}
}

// Approve atomically makes the chosen proposals live, in a durable transaction. If the policy requires further
// approvals, it records an endorsement instead. The members of a change set can only be approved together.
func (d *Decider) Approve(ctx context.Context, actor proposals.Actor, choices []review.Choice, note string) ([]proposals.Decision, error) {
	if err := review.CheckText("note", note); err != nil {
		return nil, err
	}
	return d.decide(ctx, actor, choices, true, d.approvalCheck(ctx, actor, len(choices) == 1), func(tx review.Tx, views []inspection.View, showings []proposals.Showing, act *proof.SignedAct) ([]proposals.Decision, error) {
		read, err := approvable(ctx, tx.Reader, choices, views, showings)
		if err != nil {
			return nil, err
		}
		return d.approve(ctx, tx, actor, views, showings, read, note, act)
	})
}

// check inspects a proposal for a decision. It returns an error if the user cannot make this decision.
type check func(*inspection.Cache, review.Bundle, review.Choice) (inspection.View, error)

// decide atomically makes the same decision about all chosen proposals. check rejects proposals that cannot be decided,
// and write writes the decisions. decide passes strict to shownTo.
func (d *Decider) decide(ctx context.Context, actor proposals.Actor, choices []review.Choice, strict bool,
	check check, write func(review.Tx, []inspection.View, []proposals.Showing, *proof.SignedAct) ([]proposals.Decision, error),
) ([]proposals.Decision, error) {
	return records.Write(ctx, d.records, func(tx review.Tx) ([]proposals.Decision, error) {
		views, showings, err := d.decidable(ctx, tx.Reader, actor, choices, strict, check)
		if err != nil {
			return nil, err
		}
		act, err := d.signing.Open(ctx, tx, actor, d.signed)
		if err != nil {
			return nil, err
		}
		return write(tx, views, showings, act)
	})
}

// decidable inspects the chosen proposals. It returns an error if any proposal cannot be decided. strict is true for
// approvals.
func (d *Decider) decidable(ctx context.Context, rd review.Reader, actor proposals.Actor, choices []review.Choice, strict bool, check check,
) ([]inspection.View, []proposals.Showing, error) {
	r := inspection.NewCache(rd, records.Snapshot(rd))
	bundles, err := r.Bundles(ctx, chosen(choices))
	if err != nil {
		return nil, nil, err
	}
	views := make([]inspection.View, len(choices))
	seen := map[proposals.ID]bool{}
	for i, c := range choices {
		if seen[c.ID] {
			return nil, nil, fmt.Errorf("%w: %s is listed more than once", proposals.ErrConflict, bundles[i].Proposal.Name())
		}
		seen[c.ID] = true
		if views[i], err = check(r, bundles[i], c); err != nil {
			return nil, nil, err
		}
	}
	showings, err := d.shownTo(ctx, rd, actor, choices, views, strict)
	if err == nil && strict {
		err = d.checkInteraction(ctx, r, actor, views, showings)
	}
	return views, showings, err
}

// approvalCheck returns the check for approvals. single indicates that the user chose only one proposal.
func (d *Decider) approvalCheck(ctx context.Context, actor proposals.Actor, single bool) check {
	return func(r *inspection.Cache, b review.Bundle, c review.Choice) (inspection.View, error) {
		p := b.Proposal
		// An actor who may not approve must not learn anything about the proposal.
		if err := proposals.Authorize(actor, proposals.ActApprove, p.Author); err != nil {
			return inspection.View{}, fmt.Errorf("%s: %w", p.Name(), err)
		}
		v, err := d.inspector.Inspect(ctx, r, b)
		if err != nil {
			return v, err
		}
		if obstacles := d.inspector.Obstacles(actor, v); len(obstacles) > 0 {
			if !single && p.State == proposals.Rejected && p.ChangeSet != "" {
				return v, v.ChangeSet.Broken
			}
			return v, fmt.Errorf("%s: %w", p.Name(), obstacles[0])
		}
		if c.Expect == "" && d.policy.RequireExpect {
			return v, fmt.Errorf("%s: %w; pass the digest that you reviewed with --expect", p.Name(), review.ErrNoExpect)
		}
		return v, nil
	}
}

// approve writes the versions, makes them live, and closes the proposals and their issues. A proposal that needs
// further approvals is recorded as endorsed instead; its version is computed for the signature but not written. views
// must have been read in the same transaction.
func (d *Decider) approve(ctx context.Context, tx review.Tx, actor proposals.Actor, views []inspection.View, showings []proposals.Showing, read []proposals.Reading, note string, act *proof.SignedAct) ([]proposals.Decision, error) {
	next := &succession{tx, map[registry.Subject]registry.Live{}, map[string][]registry.Subject{}}
	for _, v := range views {
		if err := d.stillFits(ctx, next, v); err != nil {
			return nil, fmt.Errorf("%s: %w", v.Proposal.Name(), err)
		}
		if err := next.approve(v); err != nil {
			return nil, err
		}
		if d.policy.FourEyes {
			if err := act.Apart(v.Revision.Author); err != nil {
				return nil, err
			}
		}
		for _, e := range v.Endorsements {
			if act.Key() != "" && e.By != actor && e.Key == act.Key() {
				return nil, fmt.Errorf("%s: %w: %s already approved the proposal with this key; sign with another key", v.Proposal.Name(), proof.ErrSignature, e.By)
			}
		}
	}
	complete, versions := d.inspector.Complete(actor, views), d.versions(actor, views, note, act)
	var live []history.Version
	var definitions []registry.Definition
	for i, v := range views {
		if complete[i] {
			live, definitions = append(live, versions[i]), append(definitions, v.Revision.Draft.Definition)
		} else if err := placed(ctx, tx, &versions[i]); err != nil {
			return nil, err
		}
	}
	if len(live) > 0 {
		var err error
		if live, err = tx.AddVersions(ctx, live); err != nil {
			return nil, err
		}
	}
	added := live
	for i := range versions {
		if complete[i] {
			versions[i], added = added[0], added[1:]
		}
	}
	if err := d.sign(ctx, tx, act, proposals.VerdictApproved, views, versions, note); err != nil {
		return nil, err
	}
	if len(live) > 0 {
		if err := tx.SetLive(ctx, live, definitions); err != nil {
			return nil, err
		}
	}
	decisions := make([]proposals.Decision, len(views))
	var of [2][]proposals.Decision // of[0] contains the approvals, of[1] the endorsements
	var about [2][]inspection.View
	for i, v := range views {
		one := d.decision(v, actor, proposals.VerdictApproved, note, versions[i].DecidedAt, showings[i], act)
		one.Reading = read[i]
		one.Approvals = inspection.Progress(v.Need, d.inspector.Tally(v, actor.String()))
		group := 0
		if complete[i] {
			one.Version, one.VersionHash, one.Unassigned = versions[i].Number, versions[i].Hash, v.Unassigned
		} else {
			group, one.Verdict, one.Members = 1, proposals.VerdictEndorsed, v.ChangeSet.Seal
		}
		decisions[i], of[group], about[group] = one, append(of[group], one), append(about[group], v)
	}
	for group := range of {
		if len(of[group]) > 0 {
			if err := d.applyVerdict(ctx, tx, of[group][0].Verdict, about[group], of[group], act); err != nil {
				return nil, err
			}
		}
	}
	return decisions, nil
}

// decision returns the record of actor's decision about v.
func (d *Decider) decision(v inspection.View, actor proposals.Actor, verdict proposals.Verdict, note string, at time.Time, showing proposals.Showing, act *proof.SignedAct) proposals.Decision {
	p := v.Proposal
	return proposals.Decision{
		ID: d.records.NewID(), Proposal: p.ID, Issue: p.Issue, Subject: p.Subject, Revision: p.Revision, ContentHash: v.Revision.ContentHash, Verdict: verdict,
		Note: note, By: actor, At: at, Assessment: v.Assessment.ID, ReviewDigest: v.Digest, Shown: showing, Signature: act.Hash(),
	}
}

// versions returns the versions that an approval of views creates. Their hashes are not set, because they depend on the
// previous versions.
func (d *Decider) versions(actor proposals.Actor, views []inspection.View, note string, act *proof.SignedAct) []history.Version {
	versions, at := make([]history.Version, len(views)), act.Time(d.records.Time())
	for i, v := range views {
		p, rev := v.Proposal, v.Revision
		var approvals []history.Approval
		for _, e := range v.Endorsements {
			approvals = append(approvals, history.Approval{Decision: e.ID, By: e.By.String(), At: e.At, Note: e.Note, ReviewDigest: e.ReviewDigest, Signature: e.Signature})
		}
		versions[i] = history.Version{
			Subject: p.Subject, Number: p.BaseVersion + 1, Definition: rev.Draft.Definition.Canonical(),
			Proposal: string(p.ID), Revision: p.Revision, Author: rev.Author.String(), Assessment: v.Assessment.ID,
			ReviewDigest: v.Digest, Rendered: v.Rendered, RulesVersion: v.Assessment.RulesVersion,
			DecidedBy: actor.String(), DecidedAt: at, Note: note, Waivers: review.WaiversInForce(v.Standing), Signature: act.Hash(), Approvals: approvals,
		}
	}
	return versions
}

// stillFits repeats the checks that depend on other definitions, because the other definitions may have changed since
// the assessment. The change must fit the live version, and its names must be available. The members of a change set
// are checked in sequence, so stillFits also finds conflicts between them.
func (d *Decider) stillFits(ctx context.Context, r review.RegistryReader, v inspection.View) error {
	problems, err := admission.Fits(ctx, r, v.Revision.Draft)
	if err != nil {
		return err
	}
	if len(problems) > 0 {
		return fmt.Errorf("%w: %s", proposals.ErrConflict, problems)
	}
	findings, err := d.rules.CheckFamilies(ctx, &rules.Change{Draft: v.Revision.Draft, World: records.World{RegistryReader: r}}, "LN")
	if err != nil {
		return err
	}
	for _, f := range findings {
		known := slices.ContainsFunc(v.Standing, func(s review.Standing) bool { return review.FindingKey(s.Finding) == review.FindingKey(f) })
		if f.Severity == rules.Block && !known {
			return fmt.Errorf("%w: the proposal has a new finding since its assessment: %s: %s", review.ErrBlocked, review.Handle(f), f.Message)
		}
	}
	return nil
}

// Decide atomically makes a decision with the given verdict about all chosen proposals. For an approval, it calls
// Approve; the policy determines whether the result is an approval or an endorsement. All other verdicts need a reason
// in note.
func (d *Decider) Decide(ctx context.Context, actor proposals.Actor, choices []review.Choice, verdict proposals.Verdict, note string) ([]proposals.Decision, error) {
	if verdict != proposals.VerdictNeedsChanges && verdict != proposals.VerdictRejected {
		return d.Approve(ctx, actor, choices, note)
	}
	if err := review.CheckText("reason", note); err != nil {
		return nil, err
	}
	return d.decide(ctx, actor, choices, false, d.declineCheck(ctx, actor, verdict, note), func(tx review.Tx, views []inspection.View, showings []proposals.Showing, signed *proof.SignedAct) ([]proposals.Decision, error) {
		if err := d.sign(ctx, tx, signed, verdict, views, nil, note); err != nil {
			return nil, err
		}
		decisions := make([]proposals.Decision, len(views))
		for i, v := range views {
			decisions[i] = d.decision(v, actor, verdict, note, signed.Time(d.records.Time()), showings[i], signed)
		}
		return decisions, d.applyVerdict(ctx, tx, verdict, views, decisions, signed)
	})
}

// declineCheck returns the check for a rejection or a request for changes.
func (d *Decider) declineCheck(ctx context.Context, actor proposals.Actor, verdict proposals.Verdict, reason string) check {
	return func(r *inspection.Cache, b review.Bundle, _ review.Choice) (inspection.View, error) {
		if _, err := proposals.Permit(actor, verdictMoves[verdict].act, b.Proposal); err != nil {
			return inspection.View{}, err
		}
		if strings.TrimSpace(reason) == "" {
			return inspection.View{}, fmt.Errorf("%s: %w: write a reason for the author", b.Proposal.Name(), review.ErrNoReason)
		}
		return d.inspector.Inspect(ctx, r, b)
	}
}

// Prepare returns the statement that actor must sign for a decision. The caller has the statement signed, passes it to
// Desk.Signed, and then calls the method that makes the decision. Prepare reads one snapshot and returns the same
// errors as that method.
func (d *Decider) Prepare(ctx context.Context, actor proposals.Actor, choices []review.Choice, verdict proposals.Verdict, note string) ([]byte, error) {
	return records.Read(ctx, d.records, func(r review.Reader) ([]byte, error) {
		check, strict := d.declineCheck(ctx, actor, verdict, note), false
		if verdict == proposals.VerdictApproved {
			check, strict = d.approvalCheck(ctx, actor, len(choices) == 1), true
		}
		if err := review.CheckText("note", note); err != nil {
			return nil, err
		}
		views, showings, err := d.decidable(ctx, r, actor, choices, strict, check)
		if err != nil {
			return nil, err
		}
		at := d.records.Time()
		var versions []history.Version
		if verdict == proposals.VerdictApproved {
			if _, err := approvable(ctx, r, choices, views, showings); err != nil {
				return nil, err
			}
			versions = d.versions(actor, views, note, nil)
			for i := range versions {
				versions[i].DecidedAt = at
				if err := placed(ctx, r, &versions[i]); err != nil {
					return nil, err
				}
			}
		}
		return d.signing.Prepare(ctx, r, actor, at, decisionAct(verdict, views, versions), note)
	})
}

// PrepareWaiver returns the statement that actor must sign to waive a finding. The caller has the statement signed,
// passes it to Desk.Signed, and then calls Waive with the same arguments.
func (d *Decider) PrepareWaiver(ctx context.Context, actor proposals.Actor, id proposals.ID, handle, reason string, expires *time.Time) ([]byte, error) {
	return d.prepareWaiver(ctx, actor, id, waiverRequest{handle: handle, reason: reason, expires: expires})
}

// PrepareUnwaive returns the statement that actor must sign to end a waiver with Unwaive.
func (d *Decider) PrepareUnwaive(ctx context.Context, actor proposals.Actor, id proposals.ID, handle, reason string) ([]byte, error) {
	return d.prepareWaiver(ctx, actor, id, waiverRequest{handle: handle, reason: reason, end: true})
}

func (d *Decider) prepareWaiver(ctx context.Context, actor proposals.Actor, id proposals.ID, req waiverRequest) ([]byte, error) {
	return records.Read(ctx, d.records, func(r review.Reader) ([]byte, error) {
		v, err := d.waivable(ctx, r, actor, id, req)
		if err != nil {
			return nil, err
		}
		return d.signing.Prepare(ctx, r, actor, v.now, proof.WaiverAct(v.proposal, v.waiver(v.now)), req.reason)
	})
}

// verdictMoves maps each verdict to the act that changes the state of the proposal, and to the next assignee and status
// of the issue. The issue of a proposal that needs changes is assigned to the author of the proposal.
var verdictMoves = map[proposals.Verdict]struct {
	act      proposals.Act
	assignee string
	status   proposals.IssueStatus
}{
	proposals.VerdictApproved:     {proposals.ActApprove, "", proposals.IssueClosed},
	proposals.VerdictEndorsed:     {proposals.ActEndorse, proposals.AssigneeUser, proposals.IssueOpen},
	proposals.VerdictRejected:     {proposals.ActReject, "", proposals.IssueClosed},
	proposals.VerdictNeedsChanges: {proposals.ActRequestChanges, "", proposals.IssueOpen},
}

// applyVerdict moves the proposals, assigns their issues, and writes the decisions and events. decisions[i] is the
// decision about views[i]. A signed decision has the time of its statement. Its event has the time of the recording
// instead, because the log must be ordered by time.
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
		decided[i] = review.DecidedProposal{Proposal: p, From: from, Assignee: s.assignee, Status: s.status}
		if verdict == proposals.VerdictNeedsChanges {
			decided[i].Assignee = p.Author.String()
		}
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

// decisionAct returns the part of a signed statement that describes a decision. versions[i] is the version that an
// approval of views[i] creates. versions is nil for all other verdicts.
func decisionAct(verdict proposals.Verdict, views []inspection.View, versions []history.Version) *statement.Decision {
	act := &statement.Decision{Verdict: statement.Verdict(verdict), Items: make([]statement.Item, len(views))}
	for i, v := range views {
		p := v.Proposal
		if i == 0 {
			act.Set = p.ChangeSet
		} else if act.Set != p.ChangeSet {
			act.Set = "" // views belong to several change sets
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

// placed sets the content hash and the hash of the previous version in v, which must be the next version of its
// subject.
func placed(ctx context.Context, r review.RegistryReader, v *history.Version) error {
	v.ContentHash = registry.HashBytes(v.Definition)
	if v.Number == 1 {
		return nil
	}
	before, err := r.Version(ctx, v.Subject, v.Number-1)
	v.PrevHash = before.Hash
	return err
}

// sign verifies that the signed statement describes this decision and records the statement. It does nothing for an
// unsigned decision.
func (d *Decider) sign(ctx context.Context, w proof.SignatureWriter, signed *proof.SignedAct, verdict proposals.Verdict, views []inspection.View, versions []history.Version, note string) error {
	if signed == nil {
		return nil
	}
	if err := signed.Match(decisionAct(verdict, views, versions), note); err != nil {
		return err
	}
	return d.signing.Record(ctx, w, signed)
}
