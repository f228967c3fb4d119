// This file looks up tools and allow-lists in a Finder and merges the results from all layers.

package registry

import (
	"cmp"
	"context"
	"slices"

	"toolcrib/internal/lists"
)

// Entry is the result of merging the definitions of one id in several layers: the visible definition and the
// definitions that it overrides.
type Entry struct {
	Live
	// Hides lists the subjects in weaker layers that this definition overrides, strongest first.
	Hides []Subject
}

// Active reports whether the visible definition is active. A deactivated definition still hides the
// definitions that it overrides.
func (e Entry) Active() bool { return e.Definition.Status() == Active }

// Catalog finds tools and allow-lists in several merged layers. Its methods look up names in indexes instead of
// reading all definitions. Methods that return several tools return the core tools first. Core tools and other
// tools are each sorted by id.
type Catalog interface {
	// ByName returns the tools with the given names, keyed by name. A name can be an id or an alias; ids have
	// precedence over aliases. ByName returns a deactivated tool only if no active tool has the name. Unknown names
	// are absent from the map.
	ByName(ctx context.Context, names ...string) (map[string]Entry, error)
	// ByCategory returns the active tools in the given category.
	ByCategory(ctx context.Context, category string) ([]Entry, error)
	// ByKind returns the active tools of the given kind. It returns all core tools and at most limit other tools, or
	// all tools if limit is 0. The result more reports whether tools were omitted.
	ByKind(ctx context.Context, kind ToolKind, limit int) (entries []Entry, more bool, err error)
	// List returns the allow-list with the given id, whether or not it is active. It returns false if no such
	// allow-list exists.
	List(ctx context.Context, id string) (Entry, bool, error)
}

// Finder finds the live definitions in each layer separately, including deactivated definitions. A Finder does not
// merge layers.
type Finder interface {
	// ByName returns the live tools that have one of the given names as their id or as an alias, without
	// duplicates.
	ByName(ctx context.Context, names ...string) ([]Live, error)
	// InCategory returns the live tools in the given category.
	InCategory(ctx context.Context, category string) ([]Live, error)
	// OfKind finds the ids of active tools of the given kind in the layers of view (nil means all layers). It returns
	// all live tools with these ids, in any layer and of any kind. It finds all core tools and at least the first
	// limit other ids in alphabetical order. If limit is 0, it finds all ids.
	OfKind(ctx context.Context, kind ToolKind, view []Layer, limit int) ([]Live, error)
	// Lists returns the live allow-lists of all layers.
	Lists(ctx context.Context) ([]Live, error)
}

// Layered is a Catalog that merges the layers of a Finder when a method is called.
type Layered struct {
	Finder Finder
	View   []Layer // nil means all layers
}

// Core reports whether l is a core tool. A core tool is a locked tool of the global layer; locks in other layers have
// no effect.
func (l Live) Core() bool { return l.Locked && l.Subject.Layer == LayerGlobal }

// Names returns the id of l, followed by its aliases if l is a tool.
func (l Live) Names() []string {
	names := []string{l.Subject.ID}
	if l.Definition.Tool != nil {
		names = append(names, l.Definition.Tool.Aliases...)
	}
	return names
}

// ByStrength compares two live definitions of the same id. Core definitions come first, then definitions of higher
// layers. When layers are merged, the definition that sorts first is visible and hides the rest.
func ByStrength(a, b Live) int {
	return cmp.Or(trueFirst(a.Core(), b.Core()), cmp.Compare(b.Subject.Layer.Rank(), a.Subject.Layer.Rank()), cmp.Compare(a.Subject.Layer, b.Subject.Layer))
}

// inOrder compares two entries of a Catalog: core tools come first, then ids are compared.
func inOrder(a, b Entry) int {
	return cmp.Or(trueFirst(a.Core(), b.Core()), cmp.Compare(a.Subject.ID, b.Subject.ID))
}

// trueFirst compares two booleans. It orders true before false.
func trueFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// withRelated returns matches together with all definitions that share a name with a match. These definitions
// determine which definition of a name is visible. The argument names contains the names that the caller has already
// looked up in the Finder.
func (c Layered) withRelated(ctx context.Context, matches []Live, names ...string) (layers, error) {
	if all, ok := c.Finder.(*memoryFinder); ok {
		return layers{all, c.View}, nil
	}
	known, asked := lists.Set(matches, func(l Live) Subject { return l.Subject }), lists.Set(names, func(name string) string { return name })
	for range 2 { // the first pass finds definitions with the same ids; the second pass finds core tools that use the aliases
		var more []string
		for _, l := range matches {
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
				matches = append(matches, l)
			}
		}
	}
	return layers{newMemory(matches), c.View}, nil
}

// ByName implements Catalog. If several tools have the same alias, ByName returns the tool in the strongest layer.
// Within a layer, it returns the tool with the alphabetically first id.
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
func (c Layered) ByKind(ctx context.Context, kind ToolKind, maxTools int) (entries []Entry, more bool, err error) {
	for ask := maxTools; ; ask *= 2 {
		limit := 0
		if ask > 0 {
			limit = ask + 1 // one more tool than requested, to determine whether further tools exist
		}
		found, err := c.Finder.OfKind(ctx, kind, c.View, limit)
		if err != nil {
			return nil, false, err
		}
		within := layers{newMemory(found), c.View} // found contains all definitions of these ids
		entries := within.entries(found, func(e Entry) bool {
			return e.Active() && e.Definition.Tool != nil && e.Definition.Tool.Kind == kind
		})
		slices.SortFunc(entries, inOrder)
		core := 0
		for core < len(entries) && entries[core].Core() {
			core++
		}
		others := map[string]bool{} // ids of tools that are not core tools
		for _, l := range found {
			if !l.Core() {
				others[l.Subject.ID] = true
			}
		}
		switch {
		case maxTools > 0 && len(entries) > core+maxTools:
			return entries[:core+maxTools], true, nil
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
