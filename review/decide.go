package review

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/review/proof"
	"toolcrib/review/rules"
)

// Approve makes proposals live: all of them or none, in one transaction that
// is durable when Approve returns. A member of a change set is approved
// together with all the others or not at all.
func (d *deciding) Approve(ctx context.Context, actor proposals.Actor, choices []Choice, note string) ([]proposals.Decision, error) {
	if err := checkText("note", note); err != nil {
		return nil, err
	}
	return d.decide(ctx, actor, choices, true, d.approvalCheck(ctx, actor, len(choices) == 1), func(tx Tx, views []view, showings []proposals.Showing, act *proof.SignedAct) ([]proposals.Decision, error) {
		if err := together(views); err != nil {
			return nil, err
		}
		if err := shownOrAccepted(choices, views, showings); err != nil {
			return nil, err
		}
		return d.approve(ctx, tx, actor, views, showings, note, act)
	})
}

// Decide gives proposals a verdict: Approve, RequestChanges or Reject. It is the one way
// to decide of all interfaces.
func (d *deciding) Decide(ctx context.Context, actor proposals.Actor, choices []Choice, verdict proposals.Verdict, note string) ([]proposals.Decision, error) {
	switch verdict {
	case proposals.VerdictNeedsChanges:
		return d.RequestChanges(ctx, actor, choices, note)
	case proposals.VerdictRejected:
		return d.Reject(ctx, actor, choices, note)
	case proposals.VerdictApproved, proposals.VerdictEndorsed: // which of the two it is, the policy decides
	}
	return d.Approve(ctx, actor, choices, note)
}

// check looks at a proposal, and returns an error if something is in the way of
// a decision.
type check func(*reviewCache, Bundle, Choice) (view, error)

// decide decides on proposals in one transaction, all of them or none. check
// refuses those that may not be decided so; decide writes the decisions. strict
// is passed on to Desk.showings.
func (d *deciding) decide(ctx context.Context, actor proposals.Actor, choices []Choice, strict bool,
	check check, decide func(Tx, []view, []proposals.Showing, *proof.SignedAct) ([]proposals.Decision, error),
) ([]proposals.Decision, error) {
	decisions, err := write(ctx, d.office, func(tx Tx) ([]proposals.Decision, error) {
		views, showings, err := d.decidable(ctx, tx.Reader, actor, choices, strict, check)
		if err != nil {
			return nil, err
		}
		act, err := d.signing.Open(ctx, tx, actor, d.signed)
		if err != nil {
			return nil, err
		}
		return decide(tx, views, showings, act)
	})
	if err != nil {
		return nil, err
	}
	return decisions, nil
}

// decidable loads the proposals of choices, and returns an error if one cannot be
// decided. strict is for approvals.
func (d *deciding) decidable(ctx context.Context, rd Reader, actor proposals.Actor, choices []Choice, strict bool, check check,
) ([]view, []proposals.Showing, error) {
	r := newReviewCache(rd)
	bundles, err := r.bundles(ctx, chosen(choices)...)
	if err != nil {
		return nil, nil, err
	}
	views := make([]view, len(choices))
	seen := map[proposals.ID]bool{}
	for i, c := range choices {
		if seen[c.ID] {
			return nil, nil, fmt.Errorf("%w: %s is named twice", proposals.ErrConflict, bundles[i].Proposal.Name())
		}
		seen[c.ID] = true
		if views[i], err = check(r, bundles[i], c); err != nil {
			return nil, nil, err
		}
	}
	showings, err := d.showings(ctx, rd, actor, choices, views, strict)
	if err == nil && strict {
		err = d.addUp(ctx, r, actor, views, showings)
	}
	return views, showings, err
}

// approvalCheck returns the check that refuses a proposal unless everything allows
// its approval. single reports whether it is the only choice of the call.
func (d *deciding) approvalCheck(ctx context.Context, actor proposals.Actor, single bool) check {
	return func(r *reviewCache, b Bundle, c Choice) (view, error) {
		p := b.Proposal
		// Who may not approve learns nothing else about the proposal's state.
		if err := proposals.Authorize(actor, proposals.ActApprove, p.Author); err != nil {
			return view{}, fmt.Errorf("%s: %w", p.Name(), err)
		}
		v, err := d.look(ctx, r, b)
		if err != nil {
			return v, err
		}
		if obstacles := d.obstacles(actor, v); len(obstacles) > 0 {
			if !single && p.State == proposals.Rejected && p.ChangeSet != "" {
				return v, v.changeSet.broken
			}
			return v, fmt.Errorf("%s: %w", p.Name(), obstacles[0])
		}
		if c.Expect == "" && d.policy.RequireExpect {
			return v, fmt.Errorf("%s: %w; pass the digest that you reviewed with --expect", p.Name(), ErrNoExpect)
		}
		return v, nil
	}
}

// approve writes the versions, then makes them live, then closes the proposals
// and their issues. What still needs the approval of another is recorded as
// endorsed instead. It runs inside the transaction that looked at views.
func (d *deciding) approve(ctx context.Context, tx Tx, actor proposals.Actor, views []view, showings []proposals.Showing, note string, act *proof.SignedAct) ([]proposals.Decision, error) {
	next := newSuccession(tx)
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
		if err := v.apart(actor, act); err != nil {
			return nil, err
		}
	}
	a := approving{deciding: d, views: views, complete: d.complete(actor, views), versions: d.versions(actor, views, note, act)}
	if err := a.write(ctx, tx); err != nil {
		return nil, err
	}
	if err := d.sign(ctx, tx, act, proposals.VerdictApproved, views, a.versions, note); err != nil {
		return nil, err
	}
	if err := a.setLive(ctx, tx); err != nil {
		return nil, err
	}
	decisions := make([]proposals.Decision, len(views))
	for i, v := range views {
		p, version := v.Proposal, a.versions[i]
		decisions[i] = proposals.Decision{
			ID: d.newID(), Proposal: p.ID, Issue: p.Issue, Subject: p.Subject, Revision: p.Revision, ContentHash: v.Revision.ContentHash, Verdict: proposals.VerdictApproved,
			Note: note, By: actor, At: version.DecidedAt, Assessment: v.Assessment.ID, ReviewDigest: v.Digest, Version: version.Number, VersionHash: version.Hash,
			Shown: showings[i], Unassigned: v.unassigned, Signature: act.Hash(), Approvals: progress(v.need, d.tally(v, actor.String())),
		}
		if one := &decisions[i]; !a.complete[i] {
			one.Verdict, one.Version, one.VersionHash, one.Unassigned, one.Members = proposals.VerdictEndorsed, 0, "", false, v.changeSet.seal
		}
	}
	return decisions, a.close(ctx, tx, decisions, act)
}

// versions returns the versions that the approval of views writes, without the
// hashes that depend on the version before.
func (d *deciding) versions(actor proposals.Actor, views []view, note string, act *proof.SignedAct) []history.Version {
	versions := make([]history.Version, len(views))
	for i, v := range views {
		p, rev := v.Proposal, v.Revision
		versions[i] = history.Version{
			Subject: p.Subject, Number: p.BaseVersion + 1, Definition: rev.Draft.Definition.Canonical(),
			Proposal: string(p.ID), Revision: p.Revision, Author: rev.Author.String(), Assessment: v.Assessment.ID,
			ReviewDigest: v.Digest, Rendered: v.Rendered, RulesVersion: v.Assessment.RulesVersion,
			DecidedBy: actor.String(), DecidedAt: act.Time(d.stamp()), Note: note, Waivers: inForce(v.Standing), Signature: act.Hash(), Approvals: v.approvals(),
		}
	}
	return versions
}

// stillFits repeats the checks that depend on the rest of the registry, which may
// have changed since the assessment: the change fits the live version, and no name
// is taken. It checks members of a change set one after the other, so also against
// each other.
func (d *deciding) stillFits(ctx context.Context, r RegistryReader, v view) error {
	problems, err := fits(ctx, r, v.Revision.Draft)
	if err != nil {
		return err
	}
	if len(problems) > 0 {
		return fmt.Errorf("%w: %s", proposals.ErrConflict, problems)
	}
	findings, err := d.rules.CheckFamilies(ctx, &rules.Change{Draft: v.Revision.Draft, World: world{RegistryReader: r}}, "LN")
	if err != nil {
		return err
	}
	for _, f := range findings {
		known := slices.ContainsFunc(v.Standing, func(s Standing) bool { return key(s.Finding) == key(f) })
		if f.Severity == rules.Block && !known {
			return fmt.Errorf("%w: since it was assessed, %s: %s", ErrBlocked, Handle(f), f.Message)
		}
	}
	return nil
}

// inForce returns the waivers that cover findings.
func inForce(standing []Standing) []history.Waiver {
	var ws []history.Waiver
	for _, s := range standing {
		if s.Waiver != nil && !slices.ContainsFunc(ws, func(w history.Waiver) bool { return w.ID == s.Waiver.ID }) {
			ws = append(ws, *s.Waiver)
		}
	}
	return ws
}

// RequestChanges sends a proposal back to its author with the reason.
func (d *deciding) RequestChanges(ctx context.Context, actor proposals.Actor, choices []Choice, reason string) ([]proposals.Decision, error) {
	return d.refuse(ctx, actor, choices, proposals.ActRequestChanges, proposals.VerdictNeedsChanges, reason)
}

// Reject ends a proposal with the reason.
func (d *deciding) Reject(ctx context.Context, actor proposals.Actor, choices []Choice, reason string) ([]proposals.Decision, error) {
	return d.refuse(ctx, actor, choices, proposals.ActReject, proposals.VerdictRejected, reason)
}

// refuse decides on proposals with any verdict but approval: all of them or none.
func (d *deciding) refuse(ctx context.Context, actor proposals.Actor, choices []Choice, act proposals.Act, verdict proposals.Verdict, reason string) ([]proposals.Decision, error) {
	if err := checkText("reason", reason); err != nil {
		return nil, err
	}
	return d.decide(ctx, actor, choices, false, d.refusing(ctx, actor, act, reason), func(tx Tx, views []view, showings []proposals.Showing, signed *proof.SignedAct) ([]proposals.Decision, error) {
		if err := d.sign(ctx, tx, signed, verdict, views, nil, reason); err != nil {
			return nil, err
		}
		decisions := make([]proposals.Decision, len(views))
		for i, v := range views {
			p := v.Proposal
			decisions[i] = proposals.Decision{
				ID: d.newID(), Proposal: p.ID, Issue: p.Issue, Subject: p.Subject, Revision: p.Revision, ContentHash: p.ContentHash, Verdict: verdict,
				Note: reason, By: actor, At: signed.Time(d.stamp()), Assessment: v.Assessment.ID, ReviewDigest: v.Digest, Shown: showings[i], Signature: signed.Hash(),
			}
		}
		return decisions, d.applyVerdict(ctx, tx, verdict, views, decisions, signed)
	})
}

// refusing returns the check of a decision that is not an approval.
func (d *deciding) refusing(ctx context.Context, actor proposals.Actor, act proposals.Act, reason string) check {
	return func(r *reviewCache, b Bundle, _ Choice) (view, error) {
		if _, err := permit(actor, act, b.Proposal); err != nil {
			return view{}, err
		}
		if strings.TrimSpace(reason) == "" {
			return view{}, fmt.Errorf("%s: %w: write a reason for the author", b.Proposal.Name(), ErrNoReason)
		}
		return d.look(ctx, r, b)
	}
}
