package review

import (
	"context"
	"errors"
	"slices"

	"toolcrib/prompt"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/shipped"
)

// rendered returns the hash of every channel prompt that approving v would
// change, by "agent:layer/id#channel"; the hash is "" for a prompt that would
// be gone. Members of a change set are taken as approved together, each of
// them tells of the prompts its own subject reaches.
//
// Prompts are rendered in prompt.Reference and ReferenceContext, in the merged
// view of the stronger of the two layers, the agent's and the subject's.
func (d *Desk) rendered(ctx context.Context, g *glance, v view) (map[string]string, error) {
	then, err := g.after(ctx, v)
	if err != nil {
		return nil, err
	}
	affected, err := then.affected(ctx, v.Proposal.Subject)
	if err != nil {
		return nil, err
	}
	hashes := map[string]string{}
	for _, a := range affected {
		was, err := g.memory.now.hashes(ctx, a)
		if err != nil {
			return nil, err
		}
		will, err := then.hashes(ctx, a)
		if err != nil {
			return nil, err
		}
		note(hashes, a.agent, was, will)
	}
	return hashes, nil
}

// affected lists the agents whose prompts a change of subject can reach, each
// with the layer in whose view it shows.
func (c *catalogs) affected(ctx context.Context, subject registry.Subject) ([]sight, error) {
	before, err := live(ctx, c.LiveReader, subject)
	if err != nil {
		return nil, err
	}
	agents, err := c.Agents(ctx)
	if err != nil {
		return nil, err
	}
	var out []sight
	for _, agent := range c.agents(agents) {
		layer, ok := stronger(agent.Subject.Layer, subject.Layer)
		if ok && reaches(subject, before, c.changed[subject], agent, agents) {
			out = append(out, sight{agent.Subject, layer})
		}
	}
	return out, nil
}

// note adds the prompts of an agent that differ.
func note(hashes map[string]string, agent registry.Subject, was, will map[string]string) {
	for channel, hash := range will {
		if was[channel] != hash {
			hashes[agent.String()+"#"+channel] = hash
		}
	}
	for channel := range was {
		if _, still := will[channel]; !still {
			hashes[agent.String()+"#"+channel] = ""
		}
	}
}

// changes returns what would be live: the definition of v, and those of the
// other members of its change set.
func changes(ctx context.Context, r Reader, v view) (map[registry.Subject]registry.Live, error) {
	changed := map[registry.Subject]registry.Live{}
	set := func(p proposals.Proposal, rev proposals.Revision) {
		if !rev.Draft.Definition.IsZero() {
			changed[p.Subject] = registry.Live{Subject: p.Subject, Version: p.BaseVersion + 1, ContentHash: rev.ContentHash, Definition: rev.Draft.Definition}
		}
	}
	for _, m := range v.company.members {
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

// reaches reports whether a change of subject from before to after can change
// what agent is told: it is the agent, or its allow-list takes in the tool.
// It may say yes where nothing changes, never no where something does.
func reaches(subject registry.Subject, before *registry.Live, after, agent registry.Live, agents []registry.Live) bool {
	if subject.Kind == registry.KindAgent {
		return subject.ID == agent.Subject.ID
	}
	profiles := []registry.Definition{agent.Definition}
	for _, a := range agents {
		if a.Subject == agent.Subject {
			profiles = append(profiles, a.Definition) // as it is now, when it changes too
		}
	}
	for _, tool := range []*registry.Live{before, &after} {
		if tool == nil || tool.Definition.Tool == nil {
			continue
		}
		for _, p := range profiles {
			if takesIn(*p.Agent, *tool.Definition.Tool) {
				return true
			}
		}
	}
	return false
}

// takesIn reports whether an agent's allow-list names a tool or its category.
func takesIn(agent registry.Agent, tool registry.Tool) bool {
	var list registry.AllowList
	if agent.AllowList != nil {
		list = *agent.AllowList
	}
	if shippedList, ok := shipped.AllowList(list.Name); ok && list.Reference() {
		list = shippedList
	}
	if tool.Category != "" && (slices.Contains(list.Categories, tool.Category) || slices.Contains(agent.Categories, tool.Category)) {
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

// catalogs is the live registry with some definitions in the place of others.
// It remembers the prompts that it rendered.
type catalogs struct {
	LiveReader
	changed map[registry.Subject]registry.Live
	prompts map[sight][]prompt.Output
	hashed  map[sight]map[string]string
}

// sight is an agent in the view of a layer.
type sight struct {
	agent registry.Subject
	layer registry.Layer
}

func newCatalogs(r LiveReader, changed map[registry.Subject]registry.Live) *catalogs {
	return &catalogs{LiveReader: r, changed: changed, prompts: map[sight][]prompt.Output{}, hashed: map[sight]map[string]string{}}
}

// ByName implements registry.Finder.
func (c *catalogs) ByName(ctx context.Context, name string) ([]registry.Live, error) {
	found, err := c.LiveReader.ByName(ctx, name)
	return c.overlay(found, func(t *registry.Tool) bool { return t.ID == name || slices.Contains(t.Aliases, name) }), err
}

// InCategory implements registry.Finder.
func (c *catalogs) InCategory(ctx context.Context, category string) ([]registry.Live, error) {
	found, err := c.LiveReader.InCategory(ctx, category)
	return c.overlay(found, func(t *registry.Tool) bool { return t.Category == category }), err
}

// overlay drops what is changed from found, and adds what is changed and
// matches.
func (c *catalogs) overlay(found []registry.Live, matches func(*registry.Tool) bool) []registry.Live {
	found = slices.DeleteFunc(found, func(l registry.Live) bool { _, ok := c.changed[l.Subject]; return ok })
	for _, l := range c.changed {
		if l.Definition.Tool != nil && matches(l.Definition.Tool) {
			found = append(found, l)
		}
	}
	return found
}

// agents returns the agents as they would be.
func (c *catalogs) agents(now []registry.Live) []registry.Live {
	then := slices.DeleteFunc(slices.Clone(now), func(l registry.Live) bool { _, ok := c.changed[l.Subject]; return ok })
	for _, l := range c.changed {
		if l.Definition.Agent != nil {
			then = append(then, l)
		}
	}
	return then
}

// outputs returns every channel prompt of an agent; none when it is not there,
// not active, or hidden by a stronger layer.
func (c *catalogs) outputs(ctx context.Context, s sight) ([]prompt.Output, error) {
	if known, ok := c.prompts[s]; ok {
		return known, nil
	}
	agents, err := c.Agents(ctx)
	if err != nil {
		return nil, err
	}
	in, err := c.input(ctx, s.agent, s.layer, c.agents(agents), ReferenceContext())
	if err != nil {
		return nil, err
	}
	var out []prompt.Output
	if in != nil {
		in.Context = prompt.Reference()
		out = prompt.NewRenderer(*in).RenderAll()
	}
	c.prompts[s] = out
	return out, nil
}

// hashes returns the hash of every channel prompt of an agent.
func (c *catalogs) hashes(ctx context.Context, s sight) (map[string]string, error) {
	if known, ok := c.hashed[s]; ok {
		return known, nil
	}
	outputs, err := c.outputs(ctx, s)
	if err != nil {
		return nil, err
	}
	c.hashed[s] = prompt.Hashes(outputs)
	return c.hashed[s], nil
}

// ReferenceContext is where an agent is taken to work when its prompts are
// rendered for a review.
func ReferenceContext() registry.Context { return registry.Context{Local: true, Embedding: true} }

// input returns what the prompts of an agent are made of in the view of layer;
// nil when it is not there, not active, or hidden by a stronger layer.
func (c *catalogs) input(ctx context.Context, agent registry.Subject, layer registry.Layer, agents []registry.Live, where registry.Context) (*prompt.Input, error) {
	var profile *registry.Agent
	for _, a := range agents {
		switch {
		case a.Subject == agent:
			profile = a.Definition.Agent
		case a.Subject.ID == agent.ID && a.Subject.Layer.Rank() > agent.Layer.Rank() && slices.Contains(layer.View(), a.Subject.Layer):
			return nil, nil //nolint:nilnil // no prompt is an answer, not an error
		}
	}
	if profile == nil || profile.Status == registry.Deactivated {
		return nil, nil //nolint:nilnil // no prompt is an answer, not an error
	}
	in, err := Input(ctx, *profile, registry.Layered{Finder: c, View: layer.View()}, where)
	return &in, err
}

// Input returns what the prompts of an agent are made of, but for the moment and
// the user. One whose allow-list leaves nothing has nothing; its prompts are
// rendered all the same. When tools wait to be discovered the prompts say so.
func Input(ctx context.Context, agent registry.Agent, catalog registry.Catalog, where registry.Context) (prompt.Input, error) {
	res, err := registry.Resolve(ctx, agent, where, catalog, shipped.AllowList)
	if err != nil && !errors.Is(err, registry.ErrNoTools) && !errors.Is(err, registry.ErrUnknownList) {
		return prompt.Input{}, err
	}
	entries := res.Tools()
	tools := make([]prompt.Tool, len(entries))
	for i, e := range entries {
		tools[i] = prompt.Tool{Tool: e.Definition.Tool, Locked: e.Core()}
	}
	return prompt.Input{Agent: agent, Tools: tools, More: res.Deferred() > 0}, nil
}
