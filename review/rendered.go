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

// promptChange describes how a proposal changes one channel prompt.
type promptChange struct {
	promptKey
	prompt.Change
}

// prompts returns what approving v would do to every channel prompt that it changes.
// Members of a change set count as approved together, and each has the prompts that
// its own subject reaches.
//
// Prompts are those in prompt.Reference and ReferenceContext, in the merged view of
// the stronger of the two layers, the agent's and the subject's.
func (d *Desk) prompts(ctx context.Context, g *reviewCache, v view) ([]promptChange, error) {
	then, err := g.after(ctx, v)
	if err != nil {
		return nil, err
	}
	affected, err := then.affected(ctx, v.Proposal.Subject)
	if err != nil {
		return nil, err
	}
	var changes []promptChange
	for _, a := range affected {
		compared, err := then.compare(ctx, a)
		if err != nil {
			return nil, err
		}
		for _, c := range compared {
			changes = append(changes, promptChange{a, c})
		}
	}
	return changes, nil
}

// sealed returns the seals of changes by "agent:layer/id#channel", "" for a prompt
// that would be gone.
func sealed(changes []promptChange) map[string]string {
	seals := make(map[string]string, len(changes))
	for _, c := range changes {
		seals[c.agent.String()+"#"+c.Channel] = c.Seal()
	}
	return seals
}

// promptSeal seals what changes do to prompts, but for toolcrib's own texts there:
// whether those change also depends on other approvals.
func promptSeal(rendered map[string]string) string {
	seals := maps.Clone(rendered)
	maps.DeleteFunc(seals, func(_, seal string) bool { return seal == prompt.OwnTexts })
	return history.EncodeRendered(seals)
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
