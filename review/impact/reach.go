// This file finds the prompts that a change affects.

package impact

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"toolcrib/history"
	"toolcrib/internal/lists"
	"toolcrib/prompt"
	"toolcrib/registry"
	"toolcrib/review/rules/trust"
)

// PromptChange is the change of one channel prompt of an agent.
type PromptChange struct {
	promptKey
	prompt.Change
}

// Prompts returns the changes to all channel prompts that a change of subject can affect. It renders the prompts in the
// fixed context of reviews (prompt.Reference and ReferenceContext). Each agent is rendered in the view of its layer or
// of the layer of subject, whichever is stronger.
func (c *Overlay) Prompts(ctx context.Context, subject registry.Subject) ([]PromptChange, error) {
	affected, err := c.affected(ctx, subject)
	if err != nil {
		return nil, err
	}
	var changes []PromptChange
	for _, a := range affected {
		compared, err := c.compare(ctx, a)
		if err != nil {
			return nil, err
		}
		for _, one := range compared {
			changes = append(changes, PromptChange{a, one})
		}
	}
	return changes, nil
}

// MissingReferences checks the references of d, an active definition of subject. If d is an agent that refers to an
// unknown allow-list, unlisted is the name of this allow-list. If d is a tool, unassigned reports whether no agent and
// no client of a guarded server would have this tool.
func (c *Overlay) MissingReferences(ctx context.Context, subject registry.Subject, d registry.Definition) (unlisted string, unassigned bool, err error) {
	if d.IsZero() || d.Status() != registry.Active || d.Agent == nil && d.Tool == nil {
		return "", false, nil
	}
	if d.Agent != nil {
		_, err := registry.Allowed(ctx, *d.Agent, registry.Layered{Finder: c, View: subject.Layer.View()})
		if errors.Is(err, registry.ErrUnknownList) {
			return d.Agent.AllowList.Name, false, nil
		}
		return "", false, err
	}
	agents, err := c.Agents(ctx)
	if err != nil {
		return "", false, err
	}
	lists, err := c.Lists(ctx)
	if err != nil {
		return "", false, err
	}
	return "", d.Tool.Server() == "" && !trust.Assigned(*d.Tool, subject.Layer, c.agents(agents), lists), nil
}

// Seals returns the seal of each change, with keys such as "agent:layer/id#channel". The seal of a prompt that would
// no longer exist is "".
func Seals(changes []PromptChange) map[string]string {
	return lists.Index(changes, func(c PromptChange) (string, string) { return c.agent.String() + "#" + c.Channel, c.Seal() })
}

// Seal returns the seal over all given changes to prompts. It ignores a prompt if only toolcrib's built-in texts change
// in the prompt, because these changes also depend on other approvals.
func Seal(rendered map[string]string) string {
	seals := maps.Clone(rendered)
	maps.DeleteFunc(seals, func(_, seal string) bool { return seal == prompt.OwnTexts })
	return history.EncodeRendered(seals)
}

// seal returns the hash of the changed definitions.
func (c *Overlay) seal() string {
	fields := make([]string, 0, len(c.changed))
	for s, l := range c.changed {
		fields = append(fields, fmt.Sprint(s, l.Version, l.ContentHash))
	}
	slices.Sort(fields)
	return history.Seal(fields...)
}

// affected returns a key for each agent with prompts that a change of subject can affect. The layer of a key determines
// a view in which the change has an effect.
func (c *Overlay) affected(ctx context.Context, subject registry.Subject) ([]promptKey, error) {
	before, err := Live(ctx, c.Registry, subject)
	if err != nil {
		return nil, err
	}
	agents, err := c.Agents(ctx)
	if err != nil {
		return nil, err
	}
	lists, err := c.everyList(ctx)
	if err != nil {
		return nil, err
	}
	var out []promptKey
	for _, agent := range c.agents(agents) {
		layer, ok := stronger(agent.Subject.Layer, subject.Layer)
		if ok && reaches(subject, before, c.changed[subject], agent, agents, lists) {
			out = append(out, promptKey{agent.Subject, layer})
		}
	}
	return out, nil
}

// everyList returns the allow-lists in their versions before and after the changes.
func (c *Overlay) everyList(ctx context.Context) ([]registry.Live, error) {
	lists, err := c.Registry.Lists(ctx)
	if err != nil {
		return nil, err
	}
	for _, l := range c.changed {
		if l.Definition.List != nil {
			lists = append(lists, l)
		}
	}
	return lists, nil
}

// stronger returns the stronger of the layers a and b. It returns false if a and b differ but have the same rank, so
// that neither view includes the other layer.
func stronger(a, b registry.Layer) (registry.Layer, bool) {
	switch {
	case a == b || a.Rank() > b.Rank():
		return a, true
	case a.Rank() < b.Rank():
		return b, true
	}
	return "", false
}

// reaches reports whether a change of subject from base to draft can change the prompts of agent. This is possible if
// subject is the agent, the allow-list of the agent, or a tool that the allow-list includes. reaches can return true
// even if no prompt changes, but it never returns false if a prompt changes.
func reaches(subject registry.Subject, base *registry.Live, draft, agent registry.Live, agents, lists []registry.Live) bool {
	if subject.Kind == registry.KindAgent {
		return subject.ID == agent.Subject.ID
	}
	profiles := []registry.Definition{agent.Definition}
	for _, a := range agents {
		if a.Subject == agent.Subject {
			profiles = append(profiles, a.Definition) // the live profile, in case it also changes
		}
	}
	if subject.Kind == registry.KindList {
		return slices.ContainsFunc(profiles, func(d registry.Definition) bool {
			return d.Agent.AllowList != nil && d.Agent.AllowList.Reference() && d.Agent.AllowList.Name == subject.ID
		})
	}
	return slices.ContainsFunc([]*registry.Live{base, &draft}, func(tool *registry.Live) bool {
		return tool != nil && tool.Definition.Tool != nil && slices.ContainsFunc(profiles, func(p registry.Definition) bool { return takesIn(*p.Agent, *tool.Definition.Tool, lists) })
	})
}

// takesIn reports whether the allow-list of agent includes tool by its name, kind, or category. If the agent refers to
// an allow-list by name, takesIn examines all lists with this name.
func takesIn(agent registry.Agent, tool registry.Tool, lists []registry.Live) bool {
	if tool.Category != "" && slices.Contains(agent.Categories, tool.Category) {
		return true
	}
	if agent.AllowList == nil {
		return false
	}
	if !agent.AllowList.Reference() {
		return names(*agent.AllowList, tool)
	}
	return slices.ContainsFunc(lists, func(l registry.Live) bool {
		return l.Subject.ID == agent.AllowList.Name && l.Definition.List != nil && names(l.Definition.List.AllowList(), tool)
	})
}

// names reports whether an allow-list mentions a tool by its id, an alias, its kind, or its category.
func names(list registry.AllowList, tool registry.Tool) bool {
	if slices.Contains(list.Kinds, tool.Kind) || tool.Category != "" && slices.Contains(list.Categories, tool.Category) {
		return true
	}
	listed := slices.Concat(list.Tools, list.AddWhenNonLocal, list.AddWhenEmbeddingOK, list.ExcludeInLocal)
	return slices.ContainsFunc(append([]string{tool.ID}, tool.Aliases...), func(name string) bool { return slices.Contains(listed, name) })
}
