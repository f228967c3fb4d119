package rules

import (
	"context"
	"slices"

	"toolcrib/registry"
)

// SpelledOut returns the allow-list that the draft itself spells out, and the path
// at which it does; false when it has none or takes it out of use.
func (c *Change) SpelledOut() (list registry.AllowList, path string, ok bool) {
	d := c.Draft.Definition
	switch {
	case d.Status() == registry.Deactivated:
	case d.List != nil:
		return d.List.AllowList(), "definition", true
	case d.Agent != nil && d.Agent.AllowList != nil && !d.Agent.AllowList.Reference():
		return *d.Agent.AllowList, "definition.allowList", true
	}
	return registry.AllowList{}, "", false
}

// ListNamed returns the allow-list of an id that is visible in the layer of the
// draft; false when there is no active one.
func (c *Change) ListNamed(ctx context.Context, id string) (registry.AllowList, bool, error) {
	lists, err := c.Lists(ctx)
	if err != nil {
		return registry.AllowList{}, false, err
	}
	i := slices.IndexFunc(lists, func(e registry.Entry) bool { return e.Subject.ID == id })
	if i < 0 {
		return registry.AllowList{}, false, nil
	}
	return lists[i].Definition.List.AllowList(), true, nil
}

// Lists returns the active allow-lists that are seen in the layer of the draft,
// by id.
func (c *Change) Lists(ctx context.Context) ([]registry.Entry, error) {
	lives, err := c.World.Lists(ctx)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(registry.Seen(lives, c.Draft.Subject.Layer.View()), func(e registry.Entry) bool { return !e.Active() }), nil
}
