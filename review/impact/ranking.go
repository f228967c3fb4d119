// This file determines which tools a prompt lists without reading the definitions of all tools.

package impact

import (
	"cmp"
	"context"
	"slices"

	"toolcrib/internal/lists"
	"toolcrib/prompt"
	"toolcrib/registry"
)

// Many agents have all tools of a kind, but a prompt lists only the first prompt.MaxOfKind tools, ordered by id. A
// change of a tool therefore affects this tool and at most one other tool, which moves across the limit. The ids
// suffice to find these two tools, so the definitions of all other tools need not be read.

// ranking lists the first tools of a kind in a view, ordered by id. It does not contain core tools.
type ranking struct {
	entries []registry.Entry // with only the heads of the definitions
	more    bool             // whether there are further tools of the kind
	size    int              // total size of the definitions in bytes, including at least all tools that a prompt lists
}

// rankingOf identifies a ranking.
type rankingOf struct {
	kind  registry.ToolKind
	layer registry.Layer // layer that determines the view
}

// spare is the number of tools that a ranking has in addition to prompt.MaxOfKind. These tools replace tools that a
// change removes.
const spare = 55

// ranking returns the ranking identified by key. It caches the rankings.
func (c *Overlay) ranking(ctx context.Context, key rankingOf) (*ranking, error) {
	if known, ok := c.rankings[key]; ok {
		return known, nil
	}
	r := &ranking{}
	entries, more, err := registry.Layered{Finder: headFinder{c, &r.size}, View: key.layer.View()}.ByKind(ctx, key.kind, prompt.MaxOfKind+spare)
	if err != nil {
		return nil, err
	}
	r.entries, r.more = slices.DeleteFunc(entries, func(e registry.Entry) bool { return e.Core() }), more
	c.rankings[key] = r
	return r, nil
}

// headFinder is a registry.Finder that reads only the heads of the definitions of a kind.
type headFinder struct {
	*Overlay
	size *int // OfKind stores the total size of the definitions here, in bytes
}

func (f headFinder) OfKind(ctx context.Context, kind registry.ToolKind, view []registry.Layer, limit int) (heads []registry.Live, err error) {
	heads, *f.size, err = f.Heads(ctx, kind, view, limit)
	return heads, err
}

// narrowed returns reduced inputs for the prompts of an agent before and after the changes. Most unchanged tools are
// missing from the inputs. Nevertheless, the prompts that are rendered from the two inputs differ by the same passages
// as the full prompts.
//
// If the inputs cannot be reduced, ok is false. The inputs can be reduced only if the allow-list admits all tools of
// the agent by kind, and if the agent has more tools than a prompt lists. The changes must affect neither the agent nor
// its allow-list. The prompts must be far below their limit.
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
			return nil, nil, false, nil //nolint:nilerr // the allow-list is unknown; the full input shows this
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

// moved compares the tools of a kind that a prompt lists before and after the changes. onlyBefore contains the ids of
// the tools that the prompt no longer lists after the changes. onlyAfter contains the ids of the tools that the prompt
// did not list before. A tool with a new version is in both lists. ok is false if the prompt lists all tools of the
// kind, because other tools then determine whether the prompt mentions further tools. ok is also false if r has too few
// tools.
func (c *Overlay) moved(ctx context.Context, kind registry.ToolKind, layer registry.Layer, r *ranking) (onlyBefore, onlyAfter []string, ok bool, err error) {
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

// missing returns the ids of the entries in list that are missing from base or have a different version there.
func missing(list, base []registry.Entry) []string {
	known := lists.Index(base, func(e registry.Entry) (registry.Subject, registry.Entry) { return e.Subject, e })
	var ids []string
	for _, e := range list {
		if o, ok := known[e.Subject]; !ok || o.Version != e.Version || o.ContentHash != e.ContentHash {
			ids = append(ids, e.Subject.ID)
		}
	}
	return ids
}

// only is a variant of Input. The result lists only the tools with the given ids, and its prompts state that further
// tools can be discovered.
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
