package review

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/review/rules"
)

// Choice is one proposal that the user decides about. Expect, when set, is the
// review digest that the user looked at.
type Choice struct {
	ID     proposals.ID
	Expect string
}

// Approve makes proposals live: all of them or none, in one transaction that
// is durable when Approve returns. A member of a change set is approved
// together with all the others or not at all.
func (d *Desk) Approve(ctx context.Context, actor proposals.Actor, choices []Choice, note string) ([]Decision, error) {
	if err := checkWords("note", note); err != nil {
		return nil, err
	}
	var decisions []Decision
	err := d.update(ctx, func(tx Tx) error {
		decisions = make([]Decision, 0, len(choices))
		views := make([]view, len(choices))
		r := newGlance(tx)
		for i, c := range choices {
			var err error
			if views[i], err = d.approvable(ctx, r, actor, c, len(choices) == 1); err != nil {
				return err
			}
		}
		if err := together(views); err != nil {
			return err
		}
		for _, v := range views {
			decision, err := d.approve(ctx, tx, actor, v, note)
			if err != nil {
				return err
			}
			decisions = append(decisions, decision)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return decisions, nil
}

// approvable looks at a proposal and refuses it unless everything allows the
// approval. alone says that no other was chosen.
func (d *Desk) approvable(ctx context.Context, r *glance, actor proposals.Actor, c Choice, alone bool) (view, error) {
	p, err := r.Proposal(ctx, c.ID)
	if err != nil {
		return view{}, err
	}
	// Who may not approve learns nothing else about the proposal's state.
	if err := proposals.Authorize(actor, proposals.ActApprove, p.Author); err != nil {
		return view{}, fmt.Errorf("%s: %w", name(p), err)
	}
	v, err := d.look(ctx, r, p)
	if err != nil {
		return v, err
	}
	if obstacles := d.obstacles(actor, v); len(obstacles) > 0 {
		if !alone && p.State == proposals.Rejected && p.ChangeSet != "" {
			return v, broken(p.ChangeSet, v.Members)
		}
		return v, fmt.Errorf("%s: %w", name(p), obstacles[0])
	}
	if c.Expect == "" && d.policy.RequireExpect {
		return v, fmt.Errorf("%s: %w; pass the one you looked at with --expect", name(p), ErrNoExpect)
	}
	if c.Expect != "" && c.Expect != v.Digest {
		return v, fmt.Errorf("%s: %w: something you were shown has changed since; look again: toolcrib show %s", name(p), ErrDigest, p.ID)
	}
	return v, nil
}

// obstacles lists everything that keeps actor from approving what v shows.
func (d *Desk) obstacles(actor proposals.Actor, v view) []error {
	p := v.Proposal
	var errs []error
	if err := proposals.Authorize(actor, proposals.ActApprove, p.Author); err != nil {
		errs = append(errs, err)
	}
	if _, err := proposals.Next(p.State, proposals.ActApprove); err != nil {
		return append(errs, err)
	}
	if err := lockedSubject(p.Subject); err != nil {
		errs = append(errs, err)
	}
	if err := broken(p.ChangeSet, v.Members); err != nil {
		errs = append(errs, err)
	}
	if p.Stale() {
		errs = append(errs, fmt.Errorf("%w: it was made against version %d and %s is live; rebase it: toolcrib rebase %s", ErrStale, p.BaseVersion, liveName(p.LiveVersion), p.ID))
	}
	if v.Assessment.ContentHash != v.Revision.ContentHash || v.Assessment.Revision != p.Revision {
		errs = append(errs, fmt.Errorf("%w: the assessment is about other content", ErrConflict))
	}
	if v.Assessment.RulesVersion != d.RulesVersion() {
		errs = append(errs, fmt.Errorf("%w: it was assessed with other rules or another configuration; have it assessed again: toolcrib review %s --again", ErrConflict, p.ID))
	}
	if d.policy.FourEyes && v.Revision.Author == actor {
		errs = append(errs, fmt.Errorf("%w: %s wrote revision %d and somebody else has to approve it", ErrFourEyes, actor, p.Revision))
	}
	var blocks []string
	for _, s := range v.Standing {
		if s.Blocks() {
			blocks = append(blocks, Handle(s.Finding))
		}
	}
	if len(blocks) > 0 {
		errs = append(errs, fmt.Errorf("%w: %s", ErrBlocked, strings.Join(blocks, ", ")))
	}
	return errs
}

func liveName(version int) string {
	if version == 0 {
		return "nothing"
	}
	return fmt.Sprintf("version %d", version)
}

// approve writes the version, then makes it live, then closes the proposal and
// its issue. It runs inside the transaction that looked at v.
func (d *Desk) approve(ctx context.Context, tx Tx, actor proposals.Actor, v view, note string) (Decision, error) {
	p, rev := v.Proposal, v.Revision
	if err := d.stillFits(ctx, tx, v); err != nil {
		return Decision{}, fmt.Errorf("%s: %w", name(p), err)
	}
	now := d.stamp()
	version, err := tx.AddVersion(ctx, history.Version{
		Subject: p.Subject, Number: p.BaseVersion + 1, Definition: rev.Draft.Definition.Canonical(),
		Proposal: string(p.ID), Revision: p.Revision, Author: rev.Author.String(), Assessment: v.Assessment.ID,
		ReviewDigest: v.Digest, Rendered: v.Rendered, RulesVersion: v.Assessment.RulesVersion,
		DecidedBy: actor.String(), DecidedAt: now, Note: note, Waivers: inForce(v.Standing),
	})
	if err != nil {
		return Decision{}, err
	}
	if err := tx.SetLive(ctx, version, rev.Draft.Definition); err != nil {
		return Decision{}, err
	}
	return d.settle(ctx, tx, p, Decision{
		ID: d.newID(), Proposal: p.ID, Subject: p.Subject, Revision: p.Revision, ContentHash: rev.ContentHash, Verdict: VerdictApproved,
		Note: note, By: actor, At: now, Assessment: v.Assessment.ID, ReviewDigest: v.Digest, Version: version.Number, VersionHash: version.Hash,
	})
}

// stillFits looks at what depends on the rest of the registry, which may have
// changed since the assessment: that the change fits what is live, and that no
// name is taken. Members of a change set are looked at one after the other, so
// they are held against each other too.
func (d *Desk) stillFits(ctx context.Context, tx Tx, v view) error {
	problems, err := fits(ctx, tx, v.Revision.Draft)
	if err != nil {
		return err
	}
	if len(problems) > 0 {
		return fmt.Errorf("%w: %s", ErrConflict, problems.Error())
	}
	findings, err := d.basis().rules.CheckFamilies(ctx, &rules.Change{Draft: v.Revision.Draft, World: world{tx}}, "LN")
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

// inForce returns the waivers that settle findings.
func inForce(standing []Standing) []history.Waiver {
	var ws []history.Waiver
	for _, s := range standing {
		if s.Waiver != nil && !slices.ContainsFunc(ws, func(w history.Waiver) bool { return w.ID == s.Waiver.ID }) {
			ws = append(ws, *s.Waiver)
		}
	}
	return ws
}
