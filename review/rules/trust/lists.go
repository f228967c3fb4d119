package trust

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"toolcrib/registry"
	"toolcrib/review/rules"
)

// listInUse is about taking an allow-list out of use.
func listInUse() rules.Rule {
	return rules.Rule{
		ID: "R222",
		Check: func(ctx context.Context, c *rules.Change) ([]rules.Finding, error) {
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
			return []rules.Finding{{Path: "definition.status", Passage: strings.Join(users, ", "), Message: "These agents refer to the list: " + someOf(users) + "."}}, nil
		},
	}
}

// unassigned is about a tool that reaches no agent.
func unassigned() rules.Rule {
	return rules.Rule{
		ID: "R104",
		Check: func(ctx context.Context, c *rules.Change) ([]rules.Finding, error) {
			t := c.Judged()
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
			f := rules.Finding{
				Path: "definition.id", Passage: t.ID, Message: "No agent has this tool.",
				Suggestion: fmt.Sprintf("Give it to an agent or to an allow-list: toolcrib assign %s --to NAME.", t.ID),
			}
			if server := t.Server(); server != "" {
				f.Message = fmt.Sprintf("No agent has this tool. Clients have it behind a guard of the server %s.", server)
			}
			return []rules.Finding{f}, nil
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
