// This file finds the tools of an agent, and the agents and allow-lists that mention a tool.

package impact

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// Use represents a mention of a tool by an agent or an allow-list. If Tool is "", it represents a reference from an
// agent to an allow-list.
type Use struct {
	Agent registry.Subject // zero if only List mentions the tool
	List  string           // id of the allow-list, or ""
	Tool  string           // id of the tool, or the listed name if the registry has no such tool
	In    bool             // whether the agent has the tool, or the list applies, in the reference context
	Why   string
}

// Uses returns the uses of s in the view of layer. For a tool, these are the agents and the allow-lists that mention
// it. For an agent, these are the tools that its allow-list mentions. For an allow-list, these are the agents that
// refer to the list, and the tools that the list mentions.
func (a *Analyzer) Uses(ctx context.Context, s registry.Subject, layer registry.Layer) ([]Use, error) {
	var uses []Use
	err := a.cached(ctx, func(_ Reader, m *Snapshot) error {
		agents, err := m.Agents(ctx)
		if err != nil {
			return err
		}
		catalog := registry.Layered{Finder: m, View: layer.View()}
		switch s.Kind {
		case registry.KindAgent:
			var agent registry.Live
			if agent, err = pick(agents, s.String(), layer); err == nil {
				uses, err = usesOf(ctx, *agent.Definition.Agent, catalog, Use{Agent: s}, "")
			}
		case registry.KindList:
			uses, err = usesOfList(ctx, s, agents, catalog, layer)
		case registry.KindTool:
			uses, err = usesOfTool(ctx, s.ID, agents, catalog, layer)
		case registry.KindSkill, registry.KindInstructions: // no allow-list mentions them
		}
		return err
	})
	return uses, err
}

// usesOfTool returns the agents and the allow-lists that mention the tool with the given id.
func usesOfTool(ctx context.Context, id string, agents []registry.Live, catalog registry.Layered, layer registry.Layer) ([]Use, error) {
	lists, err := catalog.Finder.Lists(ctx)
	if err != nil {
		return nil, err
	}
	catalog.Finder = oneTool{catalog.Finder, id}
	var uses []Use
	for _, l := range slices.Concat(seen(agents, layer), seen(lists, layer)) {
		agent, use := l.Definition.Agent, Use{Agent: l.Subject}
		if l.Definition.List != nil {
			list := l.Definition.List.AllowList()
			agent, use = &registry.Agent{AllowList: &list}, Use{List: l.Subject.ID}
		}
		found, err := usesOf(ctx, *agent, catalog, use, id)
		if err != nil {
			return nil, err
		}
		uses = append(uses, found...)
	}
	return uses, nil
}

// oneTool is a Finder for a single tool. It returns no other tools when tools of a kind or a category are requested.
type oneTool struct {
	registry.Finder
	id string
}

func (f oneTool) InCategory(ctx context.Context, category string) ([]registry.Live, error) {
	found, err := f.ByName(ctx, f.id)
	return slices.DeleteFunc(found, func(l registry.Live) bool { return l.Definition.Tool == nil || l.Definition.Tool.Category != category }), err
}

func (f oneTool) OfKind(ctx context.Context, _ registry.ToolKind, _ []registry.Layer, _ int) ([]registry.Live, error) {
	found, err := f.ByName(ctx, f.id)
	return slices.DeleteFunc(found, func(l registry.Live) bool { return l.Subject.ID != f.id }), err
}

// usesOfList returns the agents that refer to the allow-list s, and the tools that s mentions.
func usesOfList(ctx context.Context, s registry.Subject, agents []registry.Live, catalog registry.Layered, layer registry.Layer) ([]Use, error) {
	e, ok, err := catalog.List(ctx, s.ID)
	if err != nil || !ok || e.Subject != s {
		return nil, err
	}
	var uses []Use
	for _, a := range seen(agents, layer) {
		if list := a.Definition.Agent.AllowList; list != nil && list.Reference() && list.Name == s.ID {
			uses = append(uses, Use{Agent: a.Subject, List: s.ID, In: e.Active(), Why: "its allow-list"})
		}
	}
	list := e.Definition.List.AllowList()
	tools, err := usesOf(ctx, registry.Agent{AllowList: &list}, catalog, Use{List: s.ID}, "")
	return append(uses, tools...), err
}

// usesOf returns a Use for each tool that the allow-list of agent a mentions. If tool is not "", usesOf returns only
// the uses of this tool. The other fields of each Use are copied from template. usesOf also works if the agent has no
// tools or its list is unknown.
func usesOf(ctx context.Context, a registry.Agent, catalog registry.Catalog, template Use, tool string) ([]Use, error) {
	res, err := registry.Resolve(ctx, a, ReferenceContext(), catalog)
	if err != nil && !errors.Is(err, registry.ErrNoTools) && !errors.Is(err, registry.ErrUnknownList) {
		return nil, err
	}
	var uses []Use
	for _, c := range res.Choices {
		if tool != "" && c.Name != tool {
			continue
		}
		template.Tool, template.In, template.Why = c.Name, c.In, c.Why()
		uses = append(uses, template)
	}
	return uses, nil
}

// Toolset is like the function Toolset, but reads a new snapshot.
func (a *Analyzer) Toolset(ctx context.Context, agent string, layer registry.Layer, where registry.Context) (profile registry.Live, res registry.Resolution, err error) {
	err = a.view(ctx, func(r Reader) error {
		profile, res, err = Toolset(ctx, r, agent, layer, where)
		return err
	})
	return profile, res, err
}

// Toolset returns the profile of an agent, and the tools that the agent has in the given context. agent is an id in the
// view of layer, or a subject. The resolution contains the reason for each tool. If registry.Resolve returns an error,
// for example because no tools remain, Toolset returns it together with the resolution.
func Toolset(ctx context.Context, r Registry, agent string, layer registry.Layer, where registry.Context) (registry.Live, registry.Resolution, error) {
	profile, err := agentOf(ctx, r, agent, layer)
	if err != nil {
		return profile, registry.Resolution{}, err
	}
	res, err := registry.Resolve(ctx, *profile.Definition.Agent, where, registry.Layered{Finder: r, View: layer.View()})
	if err != nil {
		err = fmt.Errorf("%s: %w", profile.Subject, err)
	}
	return profile, res, err
}

// Named returns the tools with the given name in the view of layer. If an active tool has this id or alias, the result
// is only this tool. Otherwise, the result contains the active tools with this wire name, followed by the active tools
// with this name on their server or in their file. If there are no such tools either, the result is the deactivated
// tool with this id or alias, if any.
func Named(ctx context.Context, r ToolReader, name string, layer registry.Layer) ([]registry.Entry, error) {
	catalog := registry.Layered{Finder: r, View: layer.View()}
	named, err := catalog.ByName(ctx, name)
	if err != nil {
		return nil, err
	}
	own, ok := named[name]
	if ok && own.Active() {
		return []registry.Entry{own}, nil
	}
	lives, err := r.ByWire(ctx, name)
	if err != nil {
		return nil, err
	}
	if named, err = catalog.ByName(ctx, lists.Map(lives, func(l registry.Live) string { return l.Subject.ID })...); err != nil {
		return nil, err
	}
	var wired, origins []registry.Entry
	for _, l := range lives {
		e, seen := named[l.Subject.ID]
		switch {
		case !seen || !e.Active() || e.Subject != l.Subject:
		case e.Definition.Tool.WireName() == name:
			wired = append(wired, e)
		default:
			origins = append(origins, e)
		}
	}
	if found := append(wired, origins...); len(found) > 0 || !ok {
		return found, nil
	}
	return []registry.Entry{own}, nil
}

// agentOf returns an active agent in the view of layer. ref is the id or the subject of the agent.
func agentOf(ctx context.Context, r Registry, ref string, layer registry.Layer) (registry.Live, error) {
	agents, err := r.Agents(ctx)
	if err != nil {
		return registry.Live{}, err
	}
	return pick(agents, ref, layer)
}

// pick returns an active agent in the view of layer. ref is the id or the subject of the agent.
func pick(agents []registry.Live, ref string, layer registry.Layer) (registry.Live, error) {
	for _, a := range seen(agents, layer) {
		if a.Subject.ID == ref || a.Subject.String() == ref {
			return a, nil
		}
	}
	return registry.Live{}, fmt.Errorf("active agent %s for layer %s: %w", jsondoc.Quote(ref), layer, proposals.ErrNotFound)
}

// seen returns the active agents or allow-lists in the view of layer, ordered by id.
func seen(lives []registry.Live, layer registry.Layer) []registry.Live {
	active := lists.Filter(registry.Visible(lives, layer.View()), func(e registry.Entry) bool { return e.Active() })
	return lists.Map(active, func(e registry.Entry) registry.Live { return e.Live })
}
