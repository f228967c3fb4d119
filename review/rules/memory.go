package rules

import (
	"context"
	"slices"

	"toolcrib/registry"
	"toolcrib/registry/shipped"
)

// Memory is a World of a few definitions: what toolcrib ships, when files are
// looked at without a database. It looks at each of them for every answer.
type Memory []registry.Live

var _ World = Memory{}

// ByName implements World.
func (m Memory) ByName(_ context.Context, names ...string) ([]registry.Live, error) {
	return m.tools(func(t *registry.Tool) bool {
		return slices.ContainsFunc(names, func(name string) bool { return t.ID == name || slices.Contains(t.Aliases, name) })
	}), nil
}

// InCategory returns the tools of a category.
func (m Memory) InCategory(_ context.Context, category string) ([]registry.Live, error) {
	return m.tools(func(t *registry.Tool) bool { return t.Category == category }), nil
}

// ByLabel implements World.
func (m Memory) ByLabel(_ context.Context, label string) ([]registry.Live, error) {
	return m.tools(func(t *registry.Tool) bool { return t.Name == label }), nil
}

// ByTag implements World.
func (m Memory) ByTag(_ context.Context, prefix string) ([]registry.Live, error) {
	return m.tools(func(t *registry.Tool) bool { return t.Tag != nil && t.Tag.Prefix == prefix }), nil
}

// Alike implements World: every tool is a candidate.
func (m Memory) Alike(context.Context, *Peer) ([]*Peer, error) { return Peers(m), nil }

// Agents implements World.
func (m Memory) Agents(context.Context) ([]registry.Live, error) {
	return slices.DeleteFunc(slices.Clone(m), func(l registry.Live) bool { return l.Definition.Agent == nil }), nil
}

// OfKind returns the tools of a kind and whatever else goes by their ids.
func (m Memory) OfKind(ctx context.Context, kind registry.ToolKind, view []registry.Layer, most int) ([]registry.Live, error) {
	return registry.Merge(m).Finder.OfKind(ctx, kind, view, most)
}

// Lists implements World: the shipped lists are always there.
func (m Memory) Lists(context.Context) ([]registry.Live, error) {
	lists := slices.DeleteFunc(slices.Clone(m), func(l registry.Live) bool { return l.Definition.List == nil })
	for _, d := range shipped.Lists() {
		s := registry.Subject{Kind: registry.KindList, Layer: registry.LayerGlobal, ID: d.ID()}
		if !slices.ContainsFunc(lists, func(l registry.Live) bool { return l.Subject == s }) {
			lists = append(lists, registry.Live{Subject: s, Version: 1, Definition: d})
		}
	}
	return lists, nil
}

func (m Memory) tools(matches func(*registry.Tool) bool) []registry.Live {
	var found []registry.Live
	for _, l := range m {
		if l.Definition.Tool != nil && matches(l.Definition.Tool) {
			found = append(found, l)
		}
	}
	return found
}
