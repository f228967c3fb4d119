package registry

import (
	"cmp"
	"context"
	"slices"
)

// Entry is a definition as it is seen where several layers are merged.
type Entry struct {
	Live
	// Hides are the subjects of weaker layers that this one stands in front
	// of, the strongest first.
	Hides []Subject
}

// Active reports whether the entry is in use. One that is not removes what it
// hides from the view.
func (e Entry) Active() bool { return e.Definition.Status() == Active }

// Catalog finds tools and allow-lists where several layers are merged. Its
// methods cost an index look-up, not a scan.
type Catalog interface {
	// ByName returns the tool that has name as its id, else the one that has
	// it as an alias; false when there is none. A deactivated tool is returned
	// only when no active one has the name.
	ByName(ctx context.Context, name string) (Entry, bool, error)
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

// Finder finds what is live in any layer, deactivated definitions included. It
// need not know how layers merge.
type Finder interface {
	// ByName returns the live tools that have name as their id or alias.
	ByName(ctx context.Context, name string) ([]Live, error)
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

// Layered is the Catalog of whoever works in a layer, read from a Finder as it
// is asked.
type Layered struct {
	Finder Finder
	View   []Layer // nil: every layer
}

// sees reports whether l belongs to the view.
func (c Layered) sees(l Live) bool {
	return l.Subject.Kind == KindTool && (c.View == nil || slices.Contains(c.View, l.Subject.Layer))
}

// Core reports whether l is locked in the global layer, where alone a lock
// means something.
func (l Live) Core() bool { return l.Locked && l.Subject.Layer == LayerGlobal }

// goesBy reports whether l has name as its id or an alias.
func (l Live) goesBy(name string) bool {
	return l.Subject.ID == name || l.Definition.Tool != nil && slices.Contains(l.Definition.Tool.Aliases, name)
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

// offends returns the core tool whose id or alias l claims, as its own id or
// as an alias. Such a definition counts as not there.
func (c Layered) offends(ctx context.Context, l Live) (core Subject, name string, err error) {
	if l.Core() {
		return Subject{}, "", nil
	}
	names := []string{l.Subject.ID}
	if l.Definition.Tool != nil {
		names = append(names, l.Definition.Tool.Aliases...)
	}
	for _, name := range names {
		found, err := c.Finder.ByName(ctx, name)
		if err != nil {
			return Subject{}, "", err
		}
		for _, other := range found {
			if c.sees(other) && other.Core() && other.goesBy(name) {
				return other.Subject, name, nil
			}
		}
	}
	return Subject{}, "", nil
}

// byID returns what is seen under an id, deactivated or not.
func (c Layered) byID(ctx context.Context, id string) (Entry, bool, error) {
	found, err := c.Finder.ByName(ctx, id)
	if err != nil {
		return Entry{}, false, err
	}
	var stack []Live
	for _, l := range found {
		if !c.sees(l) || l.Subject.ID != id {
			continue
		}
		core, _, err := c.offends(ctx, l)
		if err != nil {
			return Entry{}, false, err
		}
		if core == (Subject{}) {
			stack = append(stack, l)
		}
	}
	if len(stack) == 0 {
		return Entry{}, false, nil
	}
	return stacked(stack), true, nil
}

// ByName implements Catalog. Of several tools with the same alias the one in
// the strongest layer has it, then the first by id.
func (c Layered) ByName(ctx context.Context, name string) (Entry, bool, error) {
	own, ok, err := c.byID(ctx, name)
	if err != nil || ok && own.Active() {
		return own, ok, err
	}
	claims, err := c.claims(ctx, name)
	if err != nil {
		return Entry{}, false, err
	}
	if len(claims) > 0 && (claims[0].Active() || !ok) {
		return claims[0], true, nil
	}
	return own, ok, nil
}

// claims returns the tools that have name as an alias, the one that has it
// before all others first.
func (c Layered) claims(ctx context.Context, name string) ([]Entry, error) {
	found, err := c.Finder.ByName(ctx, name)
	if err != nil {
		return nil, err
	}
	claims, err := c.entries(ctx, found, func(e Entry) bool { return e.Subject.ID != name && e.goesBy(name) })
	if err != nil {
		return nil, err
	}
	slices.SortFunc(claims, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(inactive(a), inactive(b)), ByStrength(a.Live, b.Live), cmp.Compare(a.Subject.ID, b.Subject.ID))
	})
	return claims, nil
}

func inactive(e Entry) int {
	if e.Active() {
		return 0
	}
	return 1
}

// ByCategory implements Catalog.
func (c Layered) ByCategory(ctx context.Context, category string) ([]Entry, error) {
	found, err := c.Finder.InCategory(ctx, category)
	if err != nil {
		return nil, err
	}
	entries, err := c.entries(ctx, found, func(e Entry) bool {
		return e.Active() && e.Definition.Tool != nil && e.Definition.Tool.Category == category
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(entries, inOrder)
	return entries, nil
}

// ByKind implements Catalog.
func (c Layered) ByKind(ctx context.Context, kind ToolKind, most int) (entries []Entry, more bool, err error) {
	for ask := most; ; ask *= 2 {
		limit := 0
		if ask > 0 {
			limit = ask + 1 // one more tells whether there are more
		}
		found, err := c.Finder.OfKind(ctx, kind, c.View, limit)
		if err != nil {
			return nil, false, err
		}
		// All that goes by these ids is at hand, so nothing is looked up one by one.
		within := Layered{Finder: newMemory(found), View: c.View}
		entries, err := within.entries(ctx, found, func(e Entry) bool {
			return e.Active() && e.Definition.Tool != nil && e.Definition.Tool.Kind == kind
		})
		if err != nil {
			return nil, false, err
		}
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

// entries returns those that keep says yes to of the entries that the tools in
// found lead to, each once.
func (c Layered) entries(ctx context.Context, found []Live, keep func(Entry) bool) ([]Entry, error) {
	var entries []Entry
	seen := map[string]bool{}
	for _, l := range found {
		if seen[l.Subject.ID] || !c.sees(l) {
			continue
		}
		seen[l.Subject.ID] = true
		e, ok, err := c.byID(ctx, l.Subject.ID)
		if err != nil {
			return nil, err
		}
		if ok && keep(e) {
			entries = append(entries, e)
		}
	}
	return entries, nil
}
