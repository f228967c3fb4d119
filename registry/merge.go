package registry

import (
	"context"
	"slices"
)

// Merged is the view of several layers in memory: a Catalog that can be
// listed.
type Merged struct {
	Layered
	tools  []Entry
	agents []Entry
	lists  []Entry
}

// Merge puts the live definitions of a view's layers on top of each other. Of
// the same id, the one in the later layer is seen and hides the others; where
// it is deactivated, the id is gone from the view. A definition that claims
// the id or an alias of a core tool is left out.
func Merge(lives []Live) *Merged {
	all := layers{memory: newMemory(lives)}
	m := &Merged{Layered: Layered{Finder: all.memory}}
	ids := map[string]bool{}
	for _, l := range lives {
		if l.Subject.Kind == KindTool {
			ids[l.Subject.ID] = true
		}
	}
	for id := range ids {
		if e, ok := all.byID(id); ok && e.Active() {
			m.tools = append(m.tools, e)
		}
	}
	m.agents, m.lists = active(ofKind(lives, KindAgent)), active(ofKind(lives, KindList))
	slices.SortFunc(m.tools, inOrder)
	return m
}

// Seen returns what a view (nil: every layer) shows of definitions that go by
// their ids alone, as agents and allow-lists do: of each id the one in the
// strongest layer, deactivated or not, by id.
func Seen(lives []Live, view []Layer) []Entry {
	stacks := map[string][]Live{}
	for _, l := range lives {
		if view == nil || slices.Contains(view, l.Subject.Layer) {
			stacks[l.Subject.ID] = append(stacks[l.Subject.ID], l)
		}
	}
	entries := make([]Entry, 0, len(stacks))
	for _, stack := range stacks {
		entries = append(entries, stacked(stack))
	}
	slices.SortFunc(entries, inOrder)
	return entries
}

// stacked returns the strongest of the definitions of one id, with those it hides.
func stacked(stack []Live) Entry {
	slices.SortFunc(stack, ByStrength)
	e := Entry{Live: stack[0]}
	for _, l := range stack[1:] {
		e.Hides = append(e.Hides, l.Subject)
	}
	return e
}

func ofKind(lives []Live, kind Kind) []Live {
	return slices.DeleteFunc(slices.Clone(lives), func(l Live) bool { return l.Subject.Kind != kind })
}

func active(lives []Live) []Entry {
	return slices.DeleteFunc(Seen(lives, nil), func(e Entry) bool { return !e.Active() })
}

// Tools returns the active tools: core first, then by id.
func (m *Merged) Tools() []Entry { return slices.Clone(m.tools) }

// Agents returns the active agents by id.
func (m *Merged) Agents() []Entry { return slices.Clone(m.agents) }

// Lists returns the active allow-lists by id.
func (m *Merged) Lists() []Entry { return slices.Clone(m.lists) }

// memory is a Finder over definitions in memory.
type memory struct {
	named      map[string][]Live
	categories map[string][]Live
	lists      []Live
}

func newMemory(lives []Live) *memory {
	m := &memory{named: map[string][]Live{}, categories: map[string][]Live{}, lists: ofKind(lives, KindList)}
	for _, l := range lives {
		t := l.Definition.Tool
		if l.Subject.Kind != KindTool || t == nil {
			continue
		}
		for i, name := range l.Names() {
			if i == 0 || name != l.Subject.ID {
				m.named[name] = append(m.named[name], l)
			}
		}
		m.categories[t.Category] = append(m.categories[t.Category], l)
	}
	return m
}

func (m *memory) ByName(_ context.Context, names ...string) ([]Live, error) {
	var found []Live
	known := map[Subject]bool{}
	for _, name := range names {
		for _, l := range m.named[name] {
			if !known[l.Subject] {
				known[l.Subject] = true
				found = append(found, l)
			}
		}
	}
	return found, nil
}

func (m *memory) InCategory(_ context.Context, category string) ([]Live, error) {
	return m.categories[category], nil
}

// OfKind implements Finder: it returns all there are.
func (m *memory) OfKind(_ context.Context, kind ToolKind, _ []Layer, _ int) ([]Live, error) {
	var found []Live
	for name, lives := range m.named {
		own := slices.DeleteFunc(slices.Clone(lives), func(l Live) bool { return l.Subject.ID != name })
		if slices.ContainsFunc(own, func(l Live) bool { return l.Core() || l.Definition.Tool.Kind == kind }) {
			found = append(found, own...)
		}
	}
	return found, nil
}

func (m *memory) Lists(context.Context) ([]Live, error) { return m.lists, nil }
