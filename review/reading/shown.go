package reading

import (
	"context"
	"slices"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/review/records"
)

// Shown records that actor was shown dossiers; an approval without a digest then
// applies to exactly that content. Only users approve, so it records nothing for
// anybody else, nor for closed proposals.
func (d *Reader) Shown(ctx context.Context, actor proposals.Actor, ds ...review.Dossier) error {
	if actor.Kind != proposals.User || d.records.DryRun {
		return nil
	}
	now := make([]review.Shown, 0, len(ds))
	ids := make([]proposals.ID, 0, len(ds))
	for _, o := range ds {
		if o.Proposal.State.Open() {
			now, ids = append(now, d.shownOf(o)), append(ids, o.Proposal.ID)
		}
	}
	before, err := records.Read(ctx, d.records, func(r review.Reader) (map[proposals.ID]review.Shown, error) { return r.Shown(ctx, actor, ids) })
	if err != nil {
		return err
	}
	now = slices.DeleteFunc(now, func(s review.Shown) bool {
		known, ok := before[s.Proposal]
		return ok && known.Digest == s.Digest && known.Revision == s.Revision
	})
	if len(now) == 0 {
		return nil
	}
	return d.records.Storage.Remember(ctx, actor, now)
}

// shownOf returns the state that a dossier shows.
func (d *Reader) shownOf(o review.Dossier) review.Shown {
	s := review.Shown{Proposal: o.Proposal.ID, Digest: o.Digest, At: d.records.Time()}
	var a review.Assessment
	if latest := o.Assessment(); latest != nil {
		a = *latest
	}
	s.ShownParts = review.NewShownParts(o.Proposal, a, o.Standing, o.Members, o.Rendered)
	return s
}
