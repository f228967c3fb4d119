package registry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"toolcrib/registry/jsondoc"
)

// Context is where an agent is about to work.
type Context struct {
	Local           bool // on the user's own machine
	Embedding       bool // semantic search can be had
	IncludeDeferred bool // tools that wait to be discovered, too
	// MostOfKind sets how many tools a list takes in by their kind, besides the
	// core: the first by id; 0 for all.
	MostOfKind int
}

// Errors of Resolve.
var (
	ErrNoTools     = errors.New("no tools are left")
	ErrUnknownList = errors.New("no such allow-list")
)

// Resolve returns the tools of the catalog that a has, whose allow-list may be a list
// of the catalog. Listed names that the catalog lacks are skipped with a warning.
// If no tool is left, the error is ErrNoTools, with the resolution that shows why.
func Resolve(ctx context.Context, a Agent, in Context, cat Catalog) (Resolution, error) {
	allowed, err := Allowed(ctx, a, cat)
	if err != nil {
		return Resolution{}, err
	}
	r := resolver{in: in, catalog: cat, candidates: map[string]*candidate{}}
	if err := r.gather(ctx, allowed, a.Categories); err != nil {
		return Resolution{}, err
	}
	resolution := r.resolution()
	if len(resolution.Tools()) == 0 {
		return resolution, fmt.Errorf("%w: %s", ErrNoTools, resolution.summary())
	}
	return resolution, nil
}

// Allowed returns the allow-list of an agent spelled out. The error is
// ErrUnknownList when it refers to one that is not there or not active.
func Allowed(ctx context.Context, a Agent, cat Catalog) (AllowList, error) {
	if a.AllowList == nil {
		return AllowList{}, nil
	}
	if !a.AllowList.Reference() {
		return *a.AllowList, nil
	}
	e, ok, err := cat.List(ctx, a.AllowList.Name)
	switch {
	case err != nil:
		return AllowList{}, err
	case !ok || e.Definition.List == nil:
		return AllowList{}, fmt.Errorf("%w: %s", ErrUnknownList, jsondoc.Quote(a.AllowList.Name))
	case !e.Active():
		return AllowList{}, fmt.Errorf("%w: %s is deactivated", ErrUnknownList, e.Subject)
	}
	return e.Definition.List.AllowList(), nil
}

type resolver struct {
	in         Context
	catalog    Catalog
	candidates map[string]*candidate // by id, or by name when not known
	unknown    []string
	more       bool // tools of a kind than are taken in
}

// gather collects the candidates: all listed names are looked up together, each
// category is asked for.
func (r *resolver) gather(ctx context.Context, allowed AllowList, more []string) error {
	named, err := r.catalog.ByName(ctx, slices.Concat(allowed.Tools, allowed.AddWhenNonLocal, allowed.AddWhenEmbeddingOK, allowed.ExcludeInLocal)...)
	if err != nil {
		return err
	}
	for _, part := range []struct {
		names []string
		mark  func(*candidate)
	}{
		{allowed.Tools, func(c *candidate) { c.listed = true }},
		{allowed.AddWhenNonLocal, func(c *candidate) { c.nonLocal = true }},
		{allowed.AddWhenEmbeddingOK, func(c *candidate) { c.embedded = true }},
	} {
		for _, name := range part.names {
			part.mark(r.listed(name, named))
		}
	}
	for _, category := range slices.Concat(allowed.Categories, more) {
		entries, err := r.catalog.ByCategory(ctx, category)
		if err != nil {
			return err
		}
		for _, e := range entries {
			c := r.candidate(e)
			if c.category == "" {
				c.category = category
			}
			c.tier = len(allowed.Tiers) == 0 || slices.Contains(allowed.Tiers, e.Definition.Tool.Tier)
		}
	}
	if err := r.gatherKinds(ctx, allowed.Kinds); err != nil {
		return err
	}
	for _, name := range allowed.ExcludeInLocal {
		if e, ok := named[name]; ok && r.candidates[e.Subject.ID] != nil {
			r.candidates[e.Subject.ID].excluded = true
		}
	}
	return nil
}

// gatherKinds collects the tools of whole kinds.
func (r *resolver) gatherKinds(ctx context.Context, kinds Kinds) error {
	for _, kind := range kinds {
		entries, more, err := r.catalog.ByKind(ctx, kind, r.in.MostOfKind)
		if err != nil {
			return err
		}
		r.more = r.more || more
		for _, e := range entries {
			r.candidate(e).kind = kind
		}
	}
	return nil
}

// listed returns the candidate for a listed name, which may be an alias.
func (r *resolver) listed(name string, named map[string]Entry) *candidate {
	if e, ok := named[name]; ok && e.Definition.Tool != nil {
		return r.candidate(e)
	}
	if r.candidates[name] == nil {
		r.candidates[name] = &candidate{name: name}
		r.unknown = append(r.unknown, name)
	}
	return r.candidates[name]
}

func (r *resolver) candidate(e Entry) *candidate {
	id := e.Subject.ID
	if r.candidates[id] == nil {
		r.candidates[id] = &candidate{name: id, entry: e, known: true}
	}
	return r.candidates[id]
}

func (r *resolver) resolution() Resolution {
	ordered := slices.SortedFunc(maps.Values(r.candidates), func(a, b *candidate) int {
		return cmp.Or(coreFirst(a.entry.Live, b.entry.Live), cmp.Compare(a.name, b.name))
	})
	res := Resolution{More: r.more, Choices: make([]Choice, len(ordered))}
	for i, c := range ordered {
		res.Choices[i] = c.choose(r.in)
	}
	for _, name := range r.unknown {
		res.Warnings = append(res.Warnings, fmt.Sprintf("the allow-list names %s, which is not in the registry", jsondoc.Quote(name)))
	}
	return res
}
