// This file finds the tools that a prompt lists without reading all definitions.

package impact

import (
	"cmp"
	"context"
	"slices"

	"toolcrib/internal/lists"
	"toolcrib/prompt"
	"toolcrib/registry"
)

// Many agents have every tool of a kind. A prompt lists the first prompt.MaxOfKind by id, so a
// change of a tool affects only this tool and perhaps the tool at the limit. Ids are sufficient to
// find both, so the definitions of the other tools are not read.

// ranking lists the first tools of a kind in a view, by id, without core tools.
type ranking struct {
	entries []registry.Entry // only the heads of definitions
	more    bool             // there are more tools after these
	size    int              // total size of the definitions in bytes, at least of those that a prompt lists
}

// rankingOf identifies a ranking.
type rankingOf struct {
	kind  registry.ToolKind
	layer registry.Layer // the layer of the view
}

// spare is the number of additional tools in a ranking, to replace tools that are removed.
const spare = 55

// ranking returns the ranking of the live tools of a kind.
func (c *Overlay) ranking(ctx context.Context, of rankingOf) (*ranking, error) {
	if known, ok := c.rankings[of]; ok {
		return known, nil
	}
	r := &ranking{}
	entries, more, err := registry.Layered{Finder: headFinder{c, &r.size}, View: of.layer.View()}.ByKind(ctx, of.kind, prompt.MaxOfKind+spare)
	if err != nil {
		return nil, err
	}
	r.entries, r.more = slices.DeleteFunc(entries, func(e registry.Entry) bool { return e.Core() }), more
	c.rankings[of] = r
	return r, nil
}

// headFinder finds only the heads of definitions.
type headFinder struct {
	*Overlay
	size *int // receives the size of the definitions in bytes
}

func (f headFinder) OfKind(ctx context.Context, kind registry.ToolKind, view []registry.Layer, most int) (heads []registry.Live, err error) {
	heads, *f.size, err = f.Heads(ctx, kind, view, most)
	return heads, err
}

// narrowed returns the inputs of an agent's prompts before and after the changes without most of
// the unchanged tools. The prompts rendered from these inputs differ by the same passages. It
// returns false if this is not possible: the agent must have its tools only by their kind, and more
// of them than a prompt lists, the changes must not include the agent itself or its list, and the
// prompts must be far from their limit.
func (c *Overlay) narrowed(ctx context.Context, s promptKey) (was, will *prompt.Input, ok bool, err error) {
	agents, err := c.Agents(ctx)
	if err != nil {
		return nil, nil, false, err
	}
	agent := profileOf(s.agent, s.layer, agents)
	if agent == nil || agent.AllowList == nil || len(agent.Categories) > 0 {
		return nil, nil, false, nil
	}
	for subject := range c.changed {
		if subject.Kind == registry.KindAgent && subject.ID == s.agent.ID || subject.Kind == registry.KindList && subject.ID == agent.AllowList.Name {
			return nil, nil, false, nil
		}
	}
	list := *agent.AllowList
	if list.Reference() {
		if list, err = registry.Allowed(ctx, *agent, registry.Layered{Finder: c, View: s.layer.View()}); err != nil {
			return nil, nil, false, nil //nolint:nilerr // the list is unknown, which the full input shows
		}
	}
	if len(list.Tools)+len(list.Categories)+len(list.AddWhenNonLocal)+len(list.AddWhenEmbeddingOK)+len(list.ExcludeInLocal) > 0 {
		return nil, nil, false, nil
	}
	var before, after []string
	size := 0
	for _, kind := range list.Kinds {
		r, err := c.now.ranking(ctx, rankingOf{kind, s.layer})
		if err != nil {
			return nil, nil, false, err
		}
		gone, come, ok, err := c.moved(ctx, kind, s.layer, r)
		if err != nil || !ok {
			return nil, nil, false, err
		}
		before, after, size = append(before, gone...), append(after, come...), size+r.size
	}
	if len(before)+len(after) == 0 {
		was, err = c.now.only(ctx, *agent, s.layer, nil)
		return was, was, true, err
	}
	if was, err = c.now.only(ctx, *agent, s.layer, before); err != nil {
		return nil, nil, false, err
	}
	if will, err = c.only(ctx, *agent, s.layer, after); err != nil {
		return nil, nil, false, err
	}
	return was, will, prompt.FarBelowLimit(*was, size) && prompt.FarBelowLimit(*will, size), nil
}

// moved returns the ids of the tools of a kind that a prompt lists only before the changes, and of the tools that it
// lists only after the changes. A tool with a new version is in both. It returns false if a prompt lists all tools of
// the kind, because other tools then determine whether it mentions more, and if the ranking is too short.
func (c *Overlay) moved(ctx context.Context, kind registry.ToolKind, layer registry.Layer, r *ranking) (gone, come []string, ok bool, err error) {
	view := registry.Layered{Finder: c, View: layer.View()}
	will, added, touched := slices.Clone(r.entries), 0, map[string]bool{}
	for s := range c.changed {
		if s.Kind != registry.KindTool || touched[s.ID] {
			continue
		}
		touched[s.ID] = true
		named, err := view.ByName(ctx, s.ID)
		if err != nil {
			return nil, nil, false, err
		}
		at, had := slices.BinarySearchFunc(will, s.ID, func(e registry.Entry, id string) int { return cmp.Compare(e.Subject.ID, id) })
		if had {
			will = slices.Delete(will, at, at+1)
		}
		if e := named[s.ID]; e.Subject.ID == s.ID && e.Active() && e.Definition.Tool.Kind == kind && !e.Core() {
			will = slices.Insert(will, at, e)
			added++
		}
	}
	if len(r.entries) <= prompt.MaxOfKind || len(will) <= prompt.MaxOfKind || r.more && len(will)-added < prompt.MaxOfKind {
		return nil, nil, false, nil
	}
	was, will := r.entries[:prompt.MaxOfKind], will[:prompt.MaxOfKind]
	return missing(was, will), missing(will, was), true, nil
}

// missing returns the ids of the entries in list that others lacks or has in another version.
func missing(list, others []registry.Entry) []string {
	known := lists.Index(others, func(e registry.Entry) (registry.Subject, registry.Entry) { return e.Subject, e })
	var ids []string
	for _, e := range list {
		if o, ok := known[e.Subject]; !ok || o.Version != e.Version || o.ContentHash != e.ContentHash {
			ids = append(ids, e.Subject.ID)
		}
	}
	return ids
}

// only returns the input of an agent's prompts with only the tools in ids. The prompts refer to discovery for all other
// tools.
func (c *Overlay) only(ctx context.Context, agent registry.Agent, layer registry.Layer, ids []string) (*prompt.Input, error) {
	some := agent
	some.AllowList = &registry.AllowList{Tools: ids}
	in, err := Input(ctx, some, registry.Layered{Finder: c, View: layer.View()}, ReferenceContext())
	if err != nil {
		return nil, err
	}
	in.Agent, in.More, in.Context = agent, true, prompt.Reference()
	return &in, nil
}
