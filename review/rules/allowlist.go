package rules

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// spelledOut returns the allow-list that the draft itself spells out, and the path
// at which it does; false when it has none or takes it out of use.
func (c *Change) spelledOut() (list registry.AllowList, path string, ok bool) {
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

// listNamed returns the allow-list of an id as it is seen in the layer of the
// draft; false when there is no active one.
func (c *Change) listNamed(ctx context.Context, id string) (registry.AllowList, bool, error) {
	lists, err := c.lists(ctx)
	if err != nil {
		return registry.AllowList{}, false, err
	}
	i := slices.IndexFunc(lists, func(e registry.Entry) bool { return e.Subject.ID == id })
	if i < 0 {
		return registry.AllowList{}, false, nil
	}
	return lists[i].Definition.List.AllowList(), true, nil
}

// lists returns the active allow-lists that are seen in the layer of the draft,
// by id.
func (c *Change) lists(ctx context.Context) ([]registry.Entry, error) {
	lives, err := c.World.Lists(ctx)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(registry.Seen(lives, c.Draft.Subject.Layer.View()), func(e registry.Entry) bool { return !e.Active() }), nil
}

func allowListRule() Rule {
	return Rule{
		ID: "A108",
		Check: func(ctx context.Context, c *Change) ([]Finding, error) {
			list, path, ok := c.spelledOut()
			if !ok {
				return nil, nil
			}
			var found []Finding
			for _, part := range []struct {
				key   string
				names []string
			}{
				{"tools", list.Tools},
				{"addWhenNonLocal", list.AddWhenNonLocal},
				{"addWhenEmbeddingOK", list.AddWhenEmbeddingOK},
			} {
				for i, name := range part.names[:min(len(part.names), maxLookups)] {
					f, err := unlisted(ctx, c, jsondoc.Index(jsondoc.Join(path, part.key), i), name)
					if err != nil {
						return nil, err
					}
					found = append(found, f...)
				}
			}
			return found, nil
		},
	}
}

func unknownListRule() Rule {
	return Rule{
		ID: "A109",
		Check: about(func(ctx context.Context, c *Change, a registry.Agent) ([]Finding, error) {
			if a.AllowList == nil || !a.AllowList.Reference() {
				return nil, nil
			}
			known, err := c.lists(ctx)
			if err != nil {
				return nil, err
			}
			var ids []string
			for _, e := range known {
				if e.Subject.ID == a.AllowList.Name {
					return nil, nil
				}
				ids = append(ids, e.Subject.ID)
			}
			f := Finding{
				Path: "definition.allowList", Passage: a.AllowList.Name,
				Message: fmt.Sprintf("There is no allow-list %s. There are: %s.", jsondoc.Quote(a.AllowList.Name), strings.Join(ids, ", ")),
			}
			if meant := jsondoc.Closest(a.AllowList.Name, ids); meant != "" {
				f.Suggestion = fmt.Sprintf("Write %s, or propose the list in the same change set.", meant)
			}
			return []Finding{f}, nil
		}),
	}
}

// listInUse is about taking an allow-list out of use.
func listInUse() Rule {
	return Rule{
		ID: "R222",
		Check: func(ctx context.Context, c *Change) ([]Finding, error) {
			if c.Draft.Definition.List == nil || c.Draft.Definition.Status() != registry.Deactivated {
				return nil, nil
			}
			agents, err := c.World.Agents(ctx)
			if err != nil {
				return nil, err
			}
			var users []string
			for _, a := range agents {
				list := a.Definition.Agent.AllowList
				if a.Definition.Status() == registry.Active && list != nil && list.Reference() && list.Name == c.Draft.Subject.ID {
					users = append(users, a.Subject.String())
				}
			}
			if len(users) == 0 {
				return nil, nil
			}
			return []Finding{{Path: "definition.status", Passage: strings.Join(users, ", "), Message: "These agents refer to the list: " + someOf(users) + "."}}, nil
		},
	}
}

// unassigned is about a tool that reaches no agent.
func unassigned() Rule {
	return Rule{
		ID: "R104",
		Check: func(ctx context.Context, c *Change) ([]Finding, error) {
			t := judged(c)
			if t == nil || c.Apart || !registry.ValidID(t.ID) {
				return nil, nil
			}
			agents, err := c.World.Agents(ctx)
			if err != nil {
				return nil, err
			}
			lists, err := c.World.Lists(ctx)
			if err != nil || Assigned(*t, c.Draft.Subject.Layer, agents, lists) {
				return nil, err
			}
			return []Finding{{
				Path: "definition.id", Passage: t.ID, Message: "No agent has this tool.",
				Suggestion: fmt.Sprintf("Give it to an agent or to an allow-list: toolcrib assign %s --to NAME.", t.ID),
			}}, nil
		},
	}
}

// Assigned reports whether an active agent that sees layer has a tool of that
// layer, in some context. agents and lists are of any layer.
func Assigned(t registry.Tool, layer registry.Layer, agents, lists []registry.Live) bool {
	for _, a := range agents {
		view := layer.View()
		switch {
		case a.Definition.Agent == nil || a.Definition.Status() != registry.Active:
			continue
		case a.Subject.Layer.Rank() > layer.Rank():
			view = a.Subject.Layer.View()
		case !slices.Contains(view, a.Subject.Layer):
			continue
		}
		if slices.Contains(a.Definition.Agent.Categories, t.Category) && t.Category != "" {
			return true
		}
		list := a.Definition.Agent.AllowList
		if list == nil {
			continue
		}
		if !list.Reference() {
			if list.Lets(t) {
				return true
			}
			continue
		}
		for _, e := range registry.Seen(lists, view) {
			if e.Subject.ID == list.Name && e.Active() && e.Definition.List.AllowList().Lets(t) {
				return true
			}
		}
	}
	return false
}
