// This file determines which tools an agent has, and the reason for each decision.

package registry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"toolcrib/internal/lists"
	"toolcrib/registry/jsondoc"
)

// Context describes where an agent works.
type Context struct {
	Local           bool // the agent works on the user's machine
	Embedding       bool // semantic search is available
	IncludeDeferred bool // include tools that agents find only by discovery
	// MostOfKind limits the number of tools that an allow-list admits through its Kinds. Core tools
	// are not counted.
	MostOfKind int
}

// Errors that Resolve and Allowed wrap.
var (
	ErrNoTools     = errors.New("no tools remain")
	ErrUnknownList = errors.New("unknown allow-list")
)

// Resolve returns the tools that the agent has in the given context. If the agent's allow-list refers
// to a List, Resolve reads the List from the catalog. Each listed name that the catalog does not
// contain causes a warning. If no tool remains, the error wraps ErrNoTools and the Resolution contains
// the reasons. Resolve calls the catalog once for all listed names, and once for each category and
// each kind.
func Resolve(ctx context.Context, a Agent, in Context, cat Catalog) (Resolution, error) {
	allowed, err := Allowed(ctx, a, cat)
	if err != nil {
		return Resolution{}, err
	}
	named, err := cat.ByName(ctx, slices.Concat(allowed.Tools, allowed.AddWhenNonLocal, allowed.AddWhenEmbeddingOK, allowed.ExcludeInLocal)...)
	if err != nil {
		return Resolution{}, err
	}
	var resolution Resolution
	candidates := map[string]*candidate{} // keyed by id, or by the listed name if the tool is unknown
	known := func(e Entry) *candidate {
		id := e.Subject.ID
		if candidates[id] == nil {
			candidates[id] = &candidate{name: id, entry: e, known: true}
		}
		return candidates[id]
	}
	for _, part := range []struct {
		names []string
		mark  func(*candidate)
	}{
		{allowed.Tools, func(c *candidate) { c.listed = true }},
		{allowed.AddWhenNonLocal, func(c *candidate) { c.nonLocal = true }},
		{allowed.AddWhenEmbeddingOK, func(c *candidate) { c.embedded = true }},
	} {
		for _, name := range part.names { // name can be an alias
			if e, ok := named[name]; ok && e.Definition.Tool != nil {
				part.mark(known(e))
				continue
			}
			if candidates[name] == nil {
				candidates[name] = &candidate{name: name}
				resolution.Warnings = append(resolution.Warnings, fmt.Sprintf("the allow-list contains %s, which is not in the registry", jsondoc.Quote(name)))
			}
			part.mark(candidates[name])
		}
	}
	for _, category := range slices.Concat(allowed.Categories, a.Categories) {
		entries, err := cat.ByCategory(ctx, category)
		if err != nil {
			return Resolution{}, err
		}
		for _, e := range entries {
			c := known(e)
			c.category = cmp.Or(c.category, category)
			c.tier = len(allowed.Tiers) == 0 || slices.Contains(allowed.Tiers, e.Definition.Tool.Tier)
		}
	}
	for _, kind := range allowed.Kinds {
		entries, more, err := cat.ByKind(ctx, kind, in.MostOfKind)
		if err != nil {
			return Resolution{}, err
		}
		resolution.More = resolution.More || more
		for _, e := range entries {
			known(e).kind = kind
		}
	}
	for _, name := range allowed.ExcludeInLocal {
		if e, ok := named[name]; ok && candidates[e.Subject.ID] != nil {
			candidates[e.Subject.ID].excluded = true
		}
	}
	ordered := slices.SortedFunc(maps.Values(candidates), func(a, b *candidate) int {
		return cmp.Or(trueFirst(a.entry.Core(), b.entry.Core()), cmp.Compare(a.name, b.name))
	})
	resolution.Choices = lists.Map(ordered, func(c *candidate) Choice { return c.choose(in) })
	if len(resolution.Tools()) == 0 {
		return resolution, fmt.Errorf("%w: %s", ErrNoTools, resolution.summary())
	}
	return resolution, nil
}

// Allowed returns the allow-list of an agent. If the agent refers to a List, Allowed returns the
// content of that List. The error wraps ErrUnknownList if the List does not exist or is not active.
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

// Reason explains why an agent has a tool or does not have it.
type Reason string

// Reasons why an agent has a tool. If several reasons apply, the Choice contains the first in this order.
const (
	InListed    Reason = "listed"
	InNonLocal  Reason = "added when not local"
	InEmbedding Reason = "added when embedding works"
	InCategory  Reason = "category"
	InKind      Reason = "every tool of the kind"
)

// Reasons why an agent does not have a tool. The function choose determines their precedence.
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

// Choice is the decision whether an agent has a tool that its allow-list mentions.
type Choice struct {
	Name   string // id of the tool, or the listed name if it is unknown
	Entry  Entry  // zero if the tool is unknown
	In     bool
	Reason Reason
	Detail string // category for InCategory and OutTier, kind for InKind, otherwise ""
}

// Why returns the reason followed by its detail, such as "category web".
func (c Choice) Why() string {
	if c.Detail == "" {
		return string(c.Reason)
	}
	return string(c.Reason) + " " + c.Detail
}

// Resolution contains the decisions about the tools of an agent in a Context.
type Resolution struct {
	Choices  []Choice // core tools first, then by name
	Warnings []string // one for each listed name that is unknown
	More     bool     // the agent has more tools of a kind than Context.MostOfKind
}

// Tools returns the tools that the agent has, core tools first. Core tools and other tools are each sorted by
// id.
func (r Resolution) Tools() []Entry {
	in := lists.Filter(r.Choices, func(c Choice) bool { return c.In })
	return lists.Map(in, func(c Choice) Entry { return c.Entry })
}

// Deferred returns the number of tools that the agent does not have because they are deferred.
func (r Resolution) Deferred() int {
	return len(lists.Filter(r.Choices, func(c Choice) bool { return !c.In && c.Reason == OutDeferred }))
}

// summary explains why an agent has no tool. It returns each reason with the number of excluded tools.
func (r Resolution) summary() string {
	if len(r.Choices) == 0 {
		return "the allow-list contains no tools"
	}
	counts := map[Reason]int{}
	var order []Reason
	for _, c := range r.Choices {
		if counts[c.Reason]++; counts[c.Reason] == 1 {
			order = append(order, c.Reason)
		}
	}
	return strings.Join(lists.Map(order, func(reason Reason) string { return fmt.Sprintf("%d %s", counts[reason], reason) }), ", ")
}
