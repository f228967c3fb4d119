// This file merges layers on request, over a Finder.

package registry

import (
	"cmp"
	"context"
	"slices"

	"toolcrib/internal/lists"
)

// Entry is the visible definition of an id in several merged layers.
type Entry struct {
	Live
	// Hides lists the definitions in weaker layers that this one overrides,
	// strongest first.
	Hides []Subject
}

// Active reports whether the entry is in use. An inactive entry still hides the
// definitions that it overrides.
func (e Entry) Active() bool { return e.Definition.Status() == Active }

// Catalog finds tools and allow-lists in several merged layers. Its methods use
// indexes and do not scan all definitions.
type Catalog interface {
	// ByName maps each name to the tool with this id or, if there is none, with
	// this alias. Unknown names are missing from the map. A deactivated tool is
	// returned only if no active one has the name.
	ByName(ctx context.Context, names ...string) (map[string]Entry, error)
	// ByCategory returns the active tools of a category, core tools first, then by
	// id.
	ByCategory(ctx context.Context, category string) ([]Entry, error)
	// ByKind returns the active tools of a kind, core tools first, then by id. In addition to the core, it returns up
	// to most tools, or all if most is 0. more reports whether there are further tools.
	ByKind(ctx context.Context, kind ToolKind, most int) (entries []Entry, more bool, err error)
	// List returns the allow-list with an id, active or not, and false if it does
	// not exist.
	List(ctx context.Context, id string) (Entry, bool, error)
}

// Finder finds live definitions in all layers, including deactivated ones. It does
// not know how layers merge.
type Finder interface {
	// ByName returns the live tools that have one of names as id or alias, each
	// once.
	ByName(ctx context.Context, names ...string) ([]Live, error)
	// InCategory returns the live tools of a category.
	InCategory(ctx context.Context, category string) ([]Live, error)
	// OfKind returns live tools of all kinds and layers whose id belongs to an active tool of the given kind in one of
	// the layers in view (nil means all layers). It covers at least the first such ids, up to most, or all if most is
	// 0, and always the core tools.
	OfKind(ctx context.Context, kind ToolKind, view []Layer, most int) ([]Live, error)
	// Lists returns the live allow-lists of all layers.
	Lists(ctx context.Context) ([]Live, error)
}

// Layered is a Catalog that merges layers on request, using a Finder.
type Layered struct {
	Finder Finder
	View   []Layer // nil means all layers
}

// Core reports whether l is a core tool: locked, and in the global layer, the only
// one in which locks count.
func (l Live) Core() bool { return l.Locked && l.Subject.Layer == LayerGlobal }

// Names returns the id and then the aliases of a tool.
func (l Live) Names() []string {
	names := []string{l.Subject.ID}
	if l.Definition.Tool != nil {
		names = append(names, l.Definition.Tool.Aliases...)
	}
	return names
}

// ByStrength compares live definitions of one id: core first, then higher layers.
// In merged layers, the first is visible and hides the others.
func ByStrength(a, b Live) int {
	return cmp.Or(trueFirst(a.Core(), b.Core()), cmp.Compare(b.Subject.Layer.Rank(), a.Subject.Layer.Rank()), cmp.Compare(a.Subject.Layer, b.Subject.Layer))
}

// inOrder compares entries in the order of a catalog: core first, then by id.
func inOrder(a, b Entry) int {
	return cmp.Or(trueFirst(a.Core(), b.Core()), cmp.Compare(a.Subject.ID, b.Subject.ID))
}

// trueFirst compares two booleans; true comes first.
func trueFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// withRelated returns found and all definitions that share a name with them, which together determine which definition
// is visible. The Finder has already looked up names.
func (c Layered) withRelated(ctx context.Context, found []Live, names ...string) (layers, error) {
	if all, ok := c.Finder.(*memoryFinder); ok {
		return layers{all, c.View}, nil
	}
	known, asked := lists.Set(found, func(l Live) Subject { return l.Subject }), lists.Set(names, func(name string) string { return name })
	for range 2 { // first others with the same ids, then core tools with the aliases
		var more []string
		for _, l := range found {
			for _, name := range l.Names() {
				if !asked[name] {
					asked[name] = true
					more = append(more, name)
				}
			}
		}
		if len(more) == 0 {
			break
		}
		others, err := c.Finder.ByName(ctx, more...)
		if err != nil {
			return layers{}, err
		}
		for _, l := range others {
			if !known[l.Subject] {
				known[l.Subject] = true
				found = append(found, l)
			}
		}
	}
	return layers{newMemory(found), c.View}, nil
}

// ByName implements Catalog. If several tools have an alias, the one in the
// strongest layer counts, then the first by id.
func (c Layered) ByName(ctx context.Context, names ...string) (map[string]Entry, error) {
	if len(names) == 0 {
		return nil, nil
	}
	found, err := c.Finder.ByName(ctx, names...)
	if err != nil {
		return nil, err
	}
	within, err := c.withRelated(ctx, found, names...)
	if err != nil {
		return nil, err
	}
	entries := make(map[string]Entry, len(names))
	for _, name := range names {
		if e, ok := within.byName(name); ok {
			entries[name] = e
		}
	}
	return entries, nil
}

// ByCategory implements Catalog.
func (c Layered) ByCategory(ctx context.Context, category string) ([]Entry, error) {
	found, err := c.Finder.InCategory(ctx, category)
	if err != nil {
		return nil, err
	}
	within, err := c.withRelated(ctx, found)
	if err != nil {
		return nil, err
	}
	entries := within.entries(found, func(e Entry) bool {
		return e.Active() && e.Definition.Tool != nil && e.Definition.Tool.Category == category
	})
	slices.SortFunc(entries, inOrder)
	return entries, nil
}

// ByKind implements Catalog.
func (c Layered) ByKind(ctx context.Context, kind ToolKind, most int) (entries []Entry, more bool, err error) {
	for ask := most; ; ask *= 2 {
		limit := 0
		if ask > 0 {
			limit = ask + 1 // one more, to see whether there are others
		}
		found, err := c.Finder.OfKind(ctx, kind, c.View, limit)
		if err != nil {
			return nil, false, err
		}
		within := layers{newMemory(found), c.View} // found has all definitions of these ids
		entries := within.entries(found, func(e Entry) bool {
			return e.Active() && e.Definition.Tool != nil && e.Definition.Tool.Kind == kind
		})
		slices.SortFunc(entries, inOrder)
		core := 0
		for core < len(entries) && entries[core].Core() {
			core++
		}
		others := map[string]bool{} // ids without those of core tools
		for _, l := range found {
			if !l.Core() {
				others[l.Subject.ID] = true
			}
		}
		switch {
		case most > 0 && len(entries) > core+most:
			return entries[:core+most], true, nil
		case limit == 0 || len(others) < limit:
			return entries, false, nil
		}
	}
}

// List implements Catalog.
func (c Layered) List(ctx context.Context, id string) (Entry, bool, error) {
	all, err := c.Finder.Lists(ctx)
	if err != nil {
		return Entry{}, false, err
	}
	for _, e := range Visible(all, c.View) {
		if e.Subject.ID == id {
			return e, true, nil
		}
	}
	return Entry{}, false, nil
}
