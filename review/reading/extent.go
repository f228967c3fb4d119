package reading

import (
	"context"
	"errors"

	"toolcrib/history/diff"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/review/records"
)

// maxCompared is how many bytes a revision has at most that is compared for a list.
const maxCompared = 64 << 10

// Extents reads how much proposals change against the versions that they were drafted
// against, in one snapshot. Its cost is that of decoding them: a list asks for the rows
// that it shows.
func (d *Reader) Extents(ctx context.Context, ids []proposals.ID) (map[proposals.ID]review.Extent, error) {
	return records.Read(ctx, d.records, func(r review.Reader) (map[proposals.ID]review.Extent, error) {
		bundles, err := r.Bundles(ctx, ids)
		if err != nil {
			return nil, err
		}
		out := make(map[proposals.ID]review.Extent, len(ids))
		for _, b := range bundles {
			if out[b.Proposal.ID], err = extent(ctx, r, b); err != nil {
				return nil, err
			}
		}
		return out, nil
	})
}

func extent(ctx context.Context, r review.Reader, b review.Bundle) (review.Extent, error) {
	e := review.Extent{Rationale: b.Revision.Draft.Rationale}
	if size := len(b.Revision.Canonical()); size > maxCompared {
		e.Size = size
		return e, nil
	}
	var before diff.Content
	base, err := records.Definition(ctx, r, b.Proposal.Subject, b.Proposal.BaseVersion)
	switch {
	case err == nil:
		before.Definition = base
	case !errors.Is(err, proposals.ErrNotFound):
		return e, err
	}
	for _, f := range diff.Contents(before, diff.Content{Definition: b.Revision.Draft.Definition}) {
		removed, added := f.Patch().Changed()
		e.Added, e.Removed = e.Added+added, e.Removed+removed
	}
	return e, nil
}
