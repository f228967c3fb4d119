package registry

import (
	"cmp"
	"context"
	"slices"
)

// Entry is a visible definition of several merged layers.
type Entry struct {
	Live
	// Hides are the subjects of weaker layers that this one stands in front
	// of, the strongest first.
	Hides []Subject
}

// Active reports whether the entry is in use. An inactive one still hides the
// definitions that it overrides.
func (e Entry) Active() bool { return e.Definition.Status() == Active }

// Catalog finds tools and allow-lists where several layers are merged. Its
// methods cost an index look-up, not a scan.
type Catalog interface {
	// ByName returns for each of some names the tool that has it as its id, else
	// the one that has it as an alias; a name that no tool has is missing. A
	// deactivated tool is returned only when no active one has the name.
	ByName(ctx context.Context, names ...string) (map[string]Entry, error)
	// ByCategory returns the active tools of a category, core tools first,
	// then by id.
	ByCategory(ctx context.Context, category string) ([]Entry, error)
	// ByKind returns the active tools of a kind, core tools first, then by id:
	// besides the core at most most of them, all when it is 0. It reports whether
	// there are more.
	ByKind(ctx context.Context, kind ToolKind, most int) (entries []Entry, more bool, err error)
	// List returns the allow-list of an id, deactivated or not; false when there
	// is none.
	List(ctx context.Context, id string) (Entry, bool, error)
}

// Finder finds live definitions in any layer, deactivated ones included. It need
// not know how layers merge.
type Finder interface {
	// ByName returns the live tools that have one of names as their id or alias,
	// each once.
	ByName(ctx context.Context, names ...string) ([]Live, error)
	// InCategory returns the live tools of a category.
	InCategory(ctx context.Context, category string) ([]Live, error)
	// OfKind returns the live tools, of every kind and layer, that go by an id
	// under which view (nil: every layer) has an active tool of the kind: for at
	// least the first most such ids, all when it is 0. The core tools are among
	// them always.
	OfKind(ctx context.Context, kind ToolKind, view []Layer, most int) ([]Live, error)
	// Lists returns every live allow-list, in any layer.
	Lists(ctx context.Context) ([]Live, error)
}

// Layered is the Catalog of a layer, read from a Finder on request.
type Layered struct {
	Finder Finder
	View   []Layer // nil: every layer
}

// Core reports whether l is locked in the global layer, where alone a lock
// means something.
func (l Live) Core() bool { return l.Locked && l.Subject.Layer == LayerGlobal }

// Names returns the names of a tool: its id, then its aliases.
func (l Live) Names() []string {
	names := []string{l.Subject.ID}
	if l.Definition.Tool != nil {
		names = append(names, l.Definition.Tool.Aliases...)
	}
	return names
}

// ByStrength orders live definitions of one id: core, then the higher layer. Where
// layers are merged, the first is seen and hides the others.
func ByStrength(a, b Live) int {
	return cmp.Or(coreFirst(a, b), cmp.Compare(b.Subject.Layer.Rank(), a.Subject.Layer.Rank()), cmp.Compare(a.Subject.Layer, b.Subject.Layer))
}

// inOrder is the order of a catalog: core first, then by id.
func inOrder(a, b Entry) int {
	return cmp.Or(coreFirst(a.Live, b.Live), cmp.Compare(a.Subject.ID, b.Subject.ID))
}

func coreFirst(a, b Live) int {
	switch {
	case a.Core() == b.Core():
		return 0
	case a.Core():
		return -1
	}
	return 1
}

// around returns found and all definitions that share one of their names, as far
// as these decide which of them is visible. The Finder was asked for some names
// already.
func (c Layered) around(ctx context.Context, found []Live, names ...string) (layers, error) {
	if all, ok := c.Finder.(*memory); ok {
		return layers{all, c.View}, nil
	}
	known, asked := map[Subject]bool{}, map[string]bool{}
	for _, l := range found {
		known[l.Subject] = true
	}
	for _, name := range names {
		asked[name] = true
	}
	for range 2 { // what else has the ids, and the core tools that have the aliases
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

// ByName implements Catalog. Of several tools with the same alias the one in
// the strongest layer has it, then the first by id.
func (c Layered) ByName(ctx context.Context, names ...string) (map[string]Entry, error) {
	if len(names) == 0 {
		return nil, nil
	}
	found, err := c.Finder.ByName(ctx, names...)
	if err != nil {
		return nil, err
	}
	within, err := c.around(ctx, found, names...)
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
	within, err := c.around(ctx, found)
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
			limit = ask + 1 // one more, to know whether there are others
		}
		found, err := c.Finder.OfKind(ctx, kind, c.View, limit)
		if err != nil {
			return nil, false, err
		}
		within := layers{newMemory(found), c.View} // found has all definitions with these ids
		entries := within.entries(found, func(e Entry) bool {
			return e.Active() && e.Definition.Tool != nil && e.Definition.Tool.Kind == kind
		})
		slices.SortFunc(entries, inOrder)
		core := 0
		for core < len(entries) && entries[core].Core() {
			core++
		}
		switch {
		case most > 0 && len(entries) > core+most:
			return entries[:core+most], true, nil
		case limit == 0 || idsIn(found) < limit:
			return entries, false, nil
		}
	}
}

// idsIn counts the ids that are not of core tools.
func idsIn(lives []Live) int {
	ids := map[string]bool{}
	for _, l := range lives {
		if !l.Core() {
			ids[l.Subject.ID] = true
		}
	}
	return len(ids)
}

// List implements Catalog.
func (c Layered) List(ctx context.Context, id string) (Entry, bool, error) {
	lists, err := c.Finder.Lists(ctx)
	if err != nil {
		return Entry{}, false, err
	}
	for _, e := range Seen(lists, c.View) {
		if e.Subject.ID == id {
			return e, true, nil
		}
	}
	return Entry{}, false, nil
}
