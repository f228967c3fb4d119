package review

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"toolcrib/history"
	"toolcrib/prompt"
	"toolcrib/proposals"
	"toolcrib/registry"
)

// rendered returns the hash of every channel prompt that approving v would change,
// by "agent:layer/id#channel"; the hash is "" for a prompt that would be gone.
// Members of a change set count as approved together, and each lists the prompts
// that its own subject reaches.
//
// Prompts are rendered in prompt.Reference and ReferenceContext, in the merged
// view of the stronger of the two layers, the agent's and the subject's.
func (d *Desk) rendered(ctx context.Context, g *reviewCache, v view) (map[string]string, error) {
	if d.signed != nil {
		if known, ok, err := d.prepared.find(ctx, g, v); ok || err != nil {
			return known, err
		}
	}
	then, err := g.after(ctx, v)
	if err != nil {
		return nil, err
	}
	key := changedPrompts{v.Proposal.Subject, then.seal()}
	if known, ok := g.live.prompts[key]; ok {
		return maps.Clone(known), nil
	}
	affected, err := then.affected(ctx, v.Proposal.Subject)
	if err != nil {
		return nil, err
	}
	hashes := map[string]string{}
	for _, a := range affected {
		was, err := g.live.now.outputs(ctx, a)
		if err != nil {
			return nil, err
		}
		will, err := then.outputs(ctx, a)
		if err != nil {
			return nil, err
		}
		note(hashes, a.agent, was, will)
	}
	g.live.prompts[key] = hashes
	return maps.Clone(hashes), nil
}

// changedPrompts identifies the prompts that a change of a subject would change, where
// other changes are made with it.
type changedPrompts struct {
	subject registry.Subject
	changes string // seal of them
}

// seal returns the hash of the changed definitions.
func (c *catalogs) seal() string {
	fields := make([]string, 0, len(c.changed))
	for s, l := range c.changed {
		fields = append(fields, fmt.Sprint(s, l.Version, l.ContentHash))
	}
	slices.Sort(fields)
	return history.Seal(fields...)
}

// affected lists the agents whose prompts a change of subject can reach, each
// with the layer in whose view it shows.
func (c *catalogs) affected(ctx context.Context, subject registry.Subject) ([]promptKey, error) {
	before, err := live(ctx, c.LiveReader, subject)
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

// everyList returns the allow-lists as they are and as they would be.
func (c *catalogs) everyList(ctx context.Context) ([]registry.Live, error) {
	lists, err := c.LiveReader.Lists(ctx)
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

// note adds the hashes of the prompts of an agent that differ, as few texts as
// possible being hashed.
func note(hashes map[string]string, agent registry.Subject, was, will []prompt.Output) {
	before := map[string]string{}
	for _, out := range was {
		before[out.Channel] = out.Text
		hashes[agent.String()+"#"+out.Channel] = ""
	}
	for _, out := range will {
		if text, was := before[out.Channel]; was && text == out.Text {
			delete(hashes, agent.String()+"#"+out.Channel)
		} else {
			hashes[agent.String()+"#"+out.Channel] = prompt.Hash(out.Text)
		}
	}
}

// changes returns the definitions that would go live: that of v, and those of the
// other members of its change set.
func changes(ctx context.Context, r Reader, v view) (map[registry.Subject]registry.Live, error) {
	changed := map[registry.Subject]registry.Live{}
	set := func(p proposals.Proposal, rev proposals.Revision) {
		if !rev.Draft.Definition.IsZero() {
			changed[p.Subject] = registry.Live{Subject: p.Subject, Version: p.BaseVersion + 1, ContentHash: rev.ContentHash, Definition: rev.Draft.Definition}
		}
	}
	for _, m := range v.changeSet.members {
		if m.ID == v.Proposal.ID || !m.State.Open() {
			continue
		}
		rev, err := r.Revision(ctx, m.ID, m.Revision)
		if err != nil {
			return nil, err
		}
		set(m, rev)
	}
	set(v.Proposal, v.Revision)
	return changed, nil
}

// stronger returns the layer whose view shows both, false when no view does.
func stronger(a, b registry.Layer) (registry.Layer, bool) {
	switch {
	case a == b || a.Rank() > b.Rank():
		return a, true
	case a.Rank() < b.Rank():
		return b, true
	}
	return "", false
}

// reaches reports whether a change of subject from before to after can change the
// prompts of agent: it is the agent, the agent's allow-list, or a tool that the
// list includes. It may return true where nothing changes, but never false where
// something does.
func reaches(subject registry.Subject, before *registry.Live, after, agent registry.Live, agents, lists []registry.Live) bool {
	if subject.Kind == registry.KindAgent {
		return subject.ID == agent.Subject.ID
	}
	profiles := []registry.Definition{agent.Definition}
	for _, a := range agents {
		if a.Subject == agent.Subject {
			profiles = append(profiles, a.Definition) // as it is now, when it changes too
		}
	}
	if subject.Kind == registry.KindList {
		return slices.ContainsFunc(profiles, func(d registry.Definition) bool {
			return d.Agent.AllowList != nil && d.Agent.AllowList.Reference() && d.Agent.AllowList.Name == subject.ID
		})
	}
	for _, tool := range []*registry.Live{before, &after} {
		if tool == nil || tool.Definition.Tool == nil {
			continue
		}
		for _, p := range profiles {
			if takesIn(*p.Agent, *tool.Definition.Tool, lists) {
				return true
			}
		}
	}
	return false
}

// takesIn reports whether an agent's allow-list, or one of lists under the name
// that it refers to, names a tool, its kind or its category.
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

// names reports whether an allow-list speaks of a tool, by any of its names, by
// its kind or by its category.
func names(list registry.AllowList, tool registry.Tool) bool {
	if slices.Contains(list.Kinds, tool.Kind) || tool.Category != "" && slices.Contains(list.Categories, tool.Category) {
		return true
	}
	for _, name := range append([]string{tool.ID}, tool.Aliases...) {
		if slices.Contains(list.Tools, name) || slices.Contains(list.AddWhenNonLocal, name) || slices.Contains(list.AddWhenEmbeddingOK, name) ||
			slices.Contains(list.ExcludeInLocal, name) {
			return true
		}
	}
	return false
}
