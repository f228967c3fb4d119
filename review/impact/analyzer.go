// This file defines the analyzer, and the interfaces that it uses to read the registry and the proposals.

package impact

import (
	"context"
	"errors"

	"toolcrib/history"
	"toolcrib/prompt/tokens"
	"toolcrib/proposals"
	"toolcrib/registry"
)

// Reader reads one snapshot of the live registry and of the open proposals. Its methods return proposals.ErrNotFound
// for unknown objects.
type Reader interface {
	stateReader
	revisionReader
	// Members returns the proposals of changeSet that have not been withdrawn, oldest first.
	Members(ctx context.Context, changeSet string) ([]proposals.Proposal, error)
	Version(ctx context.Context, s registry.Subject, number int) (history.Version, error)
}

// Analyzer renders prompts and predicts the effects of proposals on prompts. Each call reads one snapshot. An
// Analyzer is safe for concurrent use.
type Analyzer struct {
	view   func(context.Context, func(Reader) error) error
	pool   *Pool
	tokens *tokens.Counter
}

// New returns an analyzer. view must call the given function with a Reader of a single snapshot. pool caches the live
// registry between calls.
func New[R Reader](view func(context.Context, func(R) error) error, pool *Pool) *Analyzer {
	return &Analyzer{
		view: func(ctx context.Context, fn func(Reader) error) error {
			return view(ctx, func(r R) error { return fn(r) })
		},
		pool: pool, tokens: tokens.NewCounter(),
	}
}

// Counter returns the token counter of the analyzer. Other users of the counter share its cache.
func (a *Analyzer) Counter() *tokens.Counter { return a.tokens }

// cached calls fn with a Reader and with a cache of the live registry. Both belong to the same snapshot.
func (a *Analyzer) cached(ctx context.Context, fn func(Reader, *Snapshot) error) error {
	return a.view(ctx, func(r Reader) error {
		live, done, err := a.pool.Take(ctx, r)
		if err != nil {
			return err
		}
		defer done()
		return fn(r, live)
	})
}

// Current returns the proposal with the given id, and the current revision of this proposal.
func Current(ctx context.Context, r revisionReader, id proposals.ID) (proposals.Proposal, proposals.Revision, error) {
	p, err := r.Proposal(ctx, id)
	if err != nil {
		return p, proposals.Revision{}, err
	}
	rev, err := r.Revision(ctx, id, p.Revision)
	return p, rev, err
}

// revisionReader reads proposals and their revisions.
type revisionReader interface {
	Proposal(ctx context.Context, id proposals.ID) (proposals.Proposal, error)
	Revision(ctx context.Context, id proposals.ID, number int) (proposals.Revision, error)
}

// Live returns the live definition of s, or nil if there is none.
func Live(ctx context.Context, r definitionReader, s registry.Subject) (*registry.Live, error) {
	l, err := r.Live(ctx, s)
	switch {
	case errors.Is(err, proposals.ErrNotFound):
		return nil, nil //nolint:nilnil // nil means that nothing is live
	case err != nil:
		return nil, err
	}
	return &l, nil
}

// definitionReader reads single definitions.
type definitionReader interface {
	Live(ctx context.Context, s registry.Subject) (registry.Live, error)
}

// Coming returns the definitions that an approval of p would make live: the definition in rev, and the current
// definitions of the other open proposals in the change set. members contains the proposals of this change set.
func Coming(ctx context.Context, r revisionReader, p proposals.Proposal, rev proposals.Revision, members []proposals.Proposal) (map[registry.Subject]registry.Live, error) {
	changed := map[registry.Subject]registry.Live{}
	set := func(p proposals.Proposal, rev proposals.Revision) {
		if !rev.Draft.Definition.IsZero() {
			changed[p.Subject] = registry.Live{Subject: p.Subject, Version: p.BaseVersion + 1, ContentHash: rev.ContentHash, Definition: rev.Draft.Definition}
		}
	}
	for _, m := range members {
		if m.ID == p.ID || !m.State.Open() {
			continue
		}
		rev, err := r.Revision(ctx, m.ID, m.Revision)
		if err != nil {
			return nil, err
		}
		set(m, rev)
	}
	set(p, rev)
	return changed, nil
}
