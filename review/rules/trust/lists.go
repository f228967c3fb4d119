// This file compares allow-lists, and finds tools that no agent has.

package trust

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/review/rules"
)

// listInUse reports the agents that refer to the allow-list of the draft, if the draft deactivates
// it.
func listInUse(ctx context.Context, c *rules.Change) ([]rules.Finding, error) {
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
}

// unassigned reports a tool that no agent has.
func unassigned(ctx context.Context, c *rules.Change) ([]rules.Finding, error) {
	t := c.Judged()
	if t == nil || c.Isolated || t.Kind == registry.ServerText || !registry.ValidID(t.ID) {
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
		Suggestion: fmt.Sprintf("Give the tool to an agent or to an allow-list: toolcrib assign %s --to NAME.", t.ID),
	}
	if server := t.Server(); server != "" {
		f.Message = fmt.Sprintf("No agent has this tool. Clients get it through a guard of the server %s.", server)
	}
	return []rules.Finding{f}, nil
}

// Assigned reports whether an active agent has the tool t of the given layer in at least one
// context. The agent must see this layer. agents and lists may belong to any layer.
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
			if list.Admits(t) {
				return true
			}
			continue
		}
		for _, e := range registry.Visible(lists, view) {
			if e.Subject.ID == list.Name && e.Active() && e.Definition.List.AllowList().Admits(t) {
				return true
			}
		}
	}
	return false
}

// granted returns the allow-list that d defines. If d is an agent, granted resolves a reference to
// an allow-list and adds the categories of the agent.
func granted(ctx context.Context, c *rules.Change, d registry.Definition) (registry.AllowList, error) {
	var list registry.AllowList
	switch {
	case d.List != nil:
		return d.List.AllowList(), nil
	case d.Agent == nil:
		return list, nil
	case d.Agent.AllowList != nil:
		list = *d.Agent.AllowList
	}
	if list.Reference() {
		var err error
		if list, _, err = c.ListNamed(ctx, list.Name); err != nil {
			return list, err
		}
	}
	list.Categories = slices.Concat(list.Categories, d.Agent.Categories)
	return list, nil
}

func agentRules() []rules.Rule {
	return []rules.Rule{{ID: "R221", Check: allowListWidened}, {ID: "R222", Check: listInUse}, {ID: "R104", Check: unassigned}}
}

// allowListWidened reports everything that the allow-list of the draft admits but the replaced
// allow-list does not admit.
func allowListWidened(ctx context.Context, c *rules.Change) ([]rules.Finding, error) {
	d := c.Draft.Definition
	if d.Agent == nil && d.List == nil || c.Draft.Type == proposals.Deactivate {
		return nil, nil
	}
	before, err := replaced(ctx, c)
	if err != nil || before == nil || before.Definition.IsZero() {
		return nil, err
	}
	had, err := granted(ctx, c, before.Definition)
	if err != nil {
		return nil, err
	}
	has, err := granted(ctx, c, d)
	if err != nil {
		return nil, err
	}
	path := "definition"
	if d.Agent != nil {
		path = "definition.allowList"
	}
	var found []rules.Finding
	add := func(key, message string, names []string) {
		if len(names) > 0 {
			found = append(found, rules.Finding{Path: jsondoc.Join(path, key), Passage: strings.Join(names, ", "), Message: message + ": " + someOf(names)})
		}
	}
	// Report a tool that was admitted only with embedding and is now admitted unconditionally,
	// because agents then have the tool more often.
	add("tools", "The allow-list admits more tools", difference(has.Tools, had.Tools))
	add("categories", "The allow-list admits more categories", difference(has.Categories, had.Categories))
	add("addWhenNonLocal", "The allow-list admits more tools when the agent is not local", difference(has.AddWhenNonLocal, had.AddWhenNonLocal, had.Tools))
	add("addWhenEmbeddingOK", "The allow-list admits more tools when embedding works", difference(has.AddWhenEmbeddingOK, had.AddWhenEmbeddingOK, had.Tools))
	add("excludeInLocal", "The allow-list no longer excludes tools when the agent is local", difference(had.ExcludeInLocal, has.ExcludeInLocal))
	add("kinds", "The allow-list admits every tool of the kind", namesOf(difference(has.Kinds, had.Kinds)))
	// A filter by tier with fewer elements admits fewer tools, but an empty filter admits all
	// tools.
	if len(had.Tiers) > 0 && len(has.Categories) > 0 && (len(has.Tiers) == 0 || len(difference(has.Tiers, had.Tiers)) > 0) {
		after := cmp.Or(strings.Join(namesOf(has.Tiers), ", "), "none")
		found = append(found, valueChange(jsondoc.Join(path, "tier"), "The filter by tier", strings.Join(namesOf(had.Tiers), ", "), after))
	}
	for i := range found {
		found[i].Message += comparedWith(before, c) + "."
	}
	return found, nil
}

// difference returns the items of list that none of the other lists contains.
func difference[T comparable](list []T, others ...[]T) []T {
	known := lists.Set(slices.Concat(others...), func(v T) T { return v })
	return slices.DeleteFunc(slices.Clone(list), func(v T) bool { return known[v] })
}

func namesOf[T ~string](values []T) []string {
	return lists.Map(values, func(v T) string { return string(v) })
}

// someOf returns at most ten of the names, separated by commas.
func someOf(names []string) string {
	return lists.First(lists.Map(names, jsondoc.Printable), 10)
}
