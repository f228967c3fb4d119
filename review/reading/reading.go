// Package reading shows proposals: dossiers, change sets, and lists. It records what a user
// was shown.
package reading

import (
	"context"
	"errors"
	"slices"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/review/impact"
	"toolcrib/review/inspection"
	"toolcrib/review/records"
)

// Reader shows proposals. It is safe for concurrent use.
type Reader struct {
	records   *records.Records
	inspector *inspection.Inspector
	policy    review.Policy
}

// New returns a reader.
func New(r *records.Records, inspector *inspection.Inspector, policy review.Policy) *Reader {
	return &Reader{r, inspector, policy}
}

// Show collects the dossier of a proposal for actor, in one snapshot.
func (d *Reader) Show(ctx context.Context, actor proposals.Actor, id proposals.ID) (review.Dossier, error) {
	var out review.Dossier
	err := d.records.View(ctx, func(r review.Reader, live *impact.Snapshot) error {
		dossiers, err := d.dossiers(ctx, inspection.NewCache(r, live), actor, id)
		if err != nil {
			return err
		}
		out = dossiers[0]
		return nil
	})
	return out, err
}

// ShowSet collects the dossiers of a change set for actor, in one snapshot.
func (d *Reader) ShowSet(ctx context.Context, actor proposals.Actor, changeSet string) (review.ChangeSet, error) {
	set := review.ChangeSet{Name: changeSet}
	err := d.records.View(ctx, func(r review.Reader, live *impact.Snapshot) error {
		ids, err := resolveSet(ctx, r, changeSet)
		if err != nil {
			return err
		}
		if set.Members, err = d.dossiers(ctx, inspection.NewCache(r, live), actor, ids...); err != nil {
			return err
		}
		digests := make([]string, len(set.Members))
		for i, m := range set.Members {
			digests[i] = m.Digest
		}
		set.Digest = inspection.SetDigest(changeSet, digests)
		return nil
	})
	return set, err
}

// dossiers collects the dossiers of proposals in one snapshot.
func (d *Reader) dossiers(ctx context.Context, r *inspection.Cache, actor proposals.Actor, ids ...proposals.ID) ([]review.Dossier, error) {
	bundles, err := r.Bundles(ctx, ids)
	if err != nil {
		return nil, err
	}
	out := make([]review.Dossier, len(bundles))
	for i, b := range bundles {
		v, err := d.inspector.Look(ctx, r, b)
		if err != nil {
			return nil, err
		}
		out[i] = review.Dossier{
			Proposal: v.Proposal, Revision: v.Revision, Standing: v.Standing, Waivers: v.Waivers, Members: slices.Clone(v.ChangeSet.Members),
			Rendered: v.Rendered, Digest: v.Digest, Unassigned: v.Unassigned, Policy: slices.Concat(d.policy.Settings(), review.Ownership(v.Need)), Obstacles: d.inspector.Obstacles(actor, v),
		}
		if err := d.collect(ctx, r.Reader, &out[i]); err != nil {
			return nil, err
		}
		shown := []*proposals.Proposal{&out[i].Proposal}
		for _, others := range [][]proposals.Proposal{out[i].Members, out[i].Others} {
			for j := range others {
				shown = append(shown, &others[j])
			}
		}
		if err := d.inspector.Refresh(ctx, r.Reader, shown...); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// collect reads what a dossier has beyond what a decision depends on.
func (d *Reader) collect(ctx context.Context, r review.Reader, out *review.Dossier) error {
	p := out.Proposal
	var err error
	if out.Revisions, err = r.Revisions(ctx, p.ID); err != nil {
		return err
	}
	if out.Assessments, err = r.Assessments(ctx, p.ID, p.Revision); err != nil {
		return err
	}
	if out.Decisions, err = r.Decisions(ctx, p.ID); err != nil {
		return err
	}
	if n := len(out.Decisions); n > 0 && !p.State.Open() {
		out.Digest = out.Decisions[n-1].ReviewDigest
	}
	if out.Comments, err = r.Comments(ctx, p.ID); err != nil {
		return err
	}
	if out.Live, err = impact.Live(ctx, r, p.Subject); err != nil {
		return err
	}
	if p.Issue > 0 {
		issue, err := r.Issue(ctx, p.ID)
		if err != nil {
			return err
		}
		out.Issue = &issue
	}
	base, err := records.Definition(ctx, r, p.Subject, p.BaseVersion)
	switch {
	case err == nil:
		out.Base = &base
		if out.BaseSource, err = records.Source(ctx, r, base); err != nil {
			return err
		}
		if out.BaseTests, err = impact.CasesOf(ctx, r, p.Subject, p.BaseVersion); err != nil {
			return err
		}
	case !errors.Is(err, proposals.ErrNotFound):
		return err
	}
	if out.Source, err = records.Source(ctx, r, out.Revision.Draft.Definition); err != nil {
		return err
	}
	if !p.State.Open() {
		return nil
	}
	out.OtherRules = d.inspector.OtherRules(out.Assessment())
	open, err := r.OpenOn(ctx, p.Subject)
	if err != nil {
		return err
	}
	for _, other := range open {
		if other.ID != p.ID {
			out.Others = append(out.Others, other)
		}
	}
	return nil
}

// Counts returns how many proposals are in each state.
func (d *Reader) Counts(ctx context.Context) (map[proposals.State]int, error) {
	return records.Read(ctx, d.records, func(r review.Reader) (map[proposals.State]int, error) { return r.Counts(ctx) })
}

// List returns one page of the queue.
func (d *Reader) List(ctx context.Context, q review.Query) (review.Page, error) {
	q.Approvals, q.FourEyes = d.policy.Approvals.At(d.records.Time()), d.policy.FourEyes
	return records.Read(ctx, d.records, func(r review.Reader) (review.Page, error) {
		page, err := r.List(ctx, q)
		if err != nil {
			return page, err
		}
		all := make([]*proposals.Proposal, len(page.Proposals))
		for i := range page.Proposals {
			all[i] = &page.Proposals[i]
		}
		return page, d.inspector.Refresh(ctx, r, all...)
	})
}
