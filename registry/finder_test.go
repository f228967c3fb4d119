package registry_test

import (
	"context"
	"slices"

	"toolcrib/registry"
)

// finder is a Finder that scans a list.
type finder []registry.Live

func (f finder) ByName(_ context.Context, names ...string) ([]registry.Live, error) {
	var found []registry.Live
	for _, l := range f {
		if l.Definition.Tool == nil {
			continue
		}
		if slices.ContainsFunc(names, func(name string) bool {
			return l.Subject.ID == name || slices.Contains(l.Definition.Tool.Aliases, name)
		}) {
			found = append(found, l)
		}
	}
	return found, nil
}

func (f finder) InCategory(_ context.Context, category string) ([]registry.Live, error) {
	var found []registry.Live
	for _, l := range f {
		if l.Definition.Tool != nil && l.Definition.Tool.Category == category {
			found = append(found, l)
		}
	}
	return found, nil
}

func (f finder) OfKind(_ context.Context, kind registry.ToolKind, view []registry.Layer, most int) ([]registry.Live, error) {
	var ids []string
	for _, l := range f {
		if l.Definition.Tool != nil && l.Definition.Tool.Kind == kind && l.Definition.Status() == registry.Active &&
			(view == nil || slices.Contains(view, l.Subject.Layer)) && !l.Core() {
			ids = append(ids, l.Subject.ID)
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if most > 0 {
		ids = ids[:min(most, len(ids))]
	}
	var found []registry.Live
	for _, l := range f {
		if l.Definition.Tool != nil && (l.Core() || slices.Contains(ids, l.Subject.ID)) {
			found = append(found, l)
		}
	}
	return found, nil
}

func (f finder) Lists(context.Context) ([]registry.Live, error) {
	return slices.DeleteFunc(slices.Clone(f), func(l registry.Live) bool { return l.Definition.List == nil }), nil
}
