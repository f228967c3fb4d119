package registry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

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

// Reason explains why a tool is in or out.
type Reason string

// The reasons for which a tool is in, the first that holds being given.
const (
	InListed    Reason = "listed"
	InNonLocal  Reason = "added when not local"
	InEmbedding Reason = "added when embedding works"
	InCategory  Reason = "category"
	InKind      Reason = "every tool of the kind"
)

// The reasons for which a tool is out, the first that holds being given.
const (
	OutUnknown        Reason = "not in the registry"
	OutDeactivated    Reason = "deactivated"
	OutServerText     Reason = "text of a server, which no agent has"
	OutExcluded       Reason = "excluded in local"
	OutTier           Reason = "tier filtered"
	OutOnlyNonLocal   Reason = "added only when not local"
	OutOnlyEmbedding  Reason = "added only when embedding works"
	OutLocalOnly      Reason = "local only"
	OutNonLocalOnly   Reason = "not offered in local"
	OutNeedsEmbedding Reason = "needs embedding"
	OutDeferred       Reason = "deferred"
)

// Choice is the decision about one tool that an allow-list names.
type Choice struct {
	Name   string // the tool's id; as listed when the registry lacks it
	Entry  Entry  // zero when the registry lacks it
	In     bool
	Reason Reason
	Detail string // the category of InCategory and OutTier, the kind of InKind, "" otherwise
}

// Why returns the reason with its detail: "category web".
func (c Choice) Why() string {
	if c.Detail == "" {
		return string(c.Reason)
	}
	return string(c.Reason) + " " + c.Detail
}

// Resolution is which tools an agent has in a context, and why.
type Resolution struct {
	Choices  []Choice // core tools first, then by name
	Warnings []string // listed names that the registry lacks
	More     bool     // more tools of a kind than Context.MostOfKind are the agent's
}

// Tools returns the tools that are in, core first, then by id.
func (r Resolution) Tools() []Entry {
	var tools []Entry
	for _, c := range r.Choices {
		if c.In {
			tools = append(tools, c.Entry)
		}
	}
	return tools
}

// Deferred returns how many tools are out because they wait to be discovered.
func (r Resolution) Deferred() int {
	n := 0
	for _, c := range r.Choices {
		if !c.In && c.Reason == OutDeferred {
			n++
		}
	}
	return n
}

// summary explains in a few words why nothing is left.
func (r Resolution) summary() string {
	if len(r.Choices) == 0 {
		return "the allow-list names none"
	}
	counts := map[Reason]int{}
	var order []Reason
	for _, c := range r.Choices {
		if counts[c.Reason]++; counts[c.Reason] == 1 {
			order = append(order, c.Reason)
		}
	}
	parts := make([]string, len(order))
	for i, reason := range order {
		parts[i] = fmt.Sprintf("%d %s", counts[reason], reason)
	}
	return strings.Join(parts, ", ")
}
