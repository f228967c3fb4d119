package registry_test

import (
	"context"
	"slices"

	"toolcrib/registry"
)

// finder looks through a list, as plainly as can be.
type finder []registry.Live

func (f finder) ByName(_ context.Context, name string) ([]registry.Live, error) {
	var found []registry.Live
	for _, l := range f {
		if l.Subject.ID == name || slices.Contains(l.Definition.Tool.Aliases, name) {
			found = append(found, l)
		}
	}
	return found, nil
}

func (f finder) InCategory(_ context.Context, category string) ([]registry.Live, error) {
	var found []registry.Live
	for _, l := range f {
		if l.Definition.Tool.Category == category {
			found = append(found, l)
		}
	}
	return found, nil
}
