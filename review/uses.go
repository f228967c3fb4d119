package review

import (
	"context"
	"errors"
	"slices"

	"toolcrib/registry"
)

// Use is one tie between a tool and who may have it, or between an allow-list
// and an agent that refers to it, which has no Tool.
type Use struct {
	Agent registry.Subject // zero for an allow-list
	List  string           // id of an allow-list
	Tool  string           // id; as it is listed when the registry lacks it
	In    bool             // whether it is offered in the reference context
	Why   string
}

// Uses returns, of a tool, the agents in the view of layer and the allow-lists
// that speak of it; of an agent the tools that its allow-list speaks of; and of
// an allow-list the agents that refer to it and the tools that it speaks of.
func (d *Desk) Uses(ctx context.Context, s registry.Subject, layer registry.Layer) ([]Use, error) {
	var uses []Use
	err := d.view(ctx, func(r *reviewCache) error {
		m := r.live
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
		}
		return err
	})
	return uses, err
}

// usesOfTool returns the agents and the allow-lists that speak of a tool.
func usesOfTool(ctx context.Context, id string, agents []registry.Live, catalog registry.Layered, layer registry.Layer) ([]Use, error) {
	lists, err := catalog.Finder.Lists(ctx)
	if err != nil {
		return nil, err
	}
	catalog.Finder = oneTool{catalog.Finder, id}
	var uses []Use
	for _, a := range seen(agents, layer) {
		found, err := usesOf(ctx, *a.Definition.Agent, catalog, Use{Agent: a.Subject}, id)
		if err != nil {
			return nil, err
		}
		uses = append(uses, found...)
	}
	for _, l := range seen(lists, layer) {
		list := l.Definition.List.AllowList()
		found, err := usesOf(ctx, registry.Agent{AllowList: &list}, catalog, Use{List: l.Subject.ID}, id)
		if err != nil {
			return nil, err
		}
		uses = append(uses, found...)
	}
	return uses, nil
}

// oneTool finds of whole kinds and categories one tool only.
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

// usesOfList returns the agents that refer to an allow-list, and the tools that
// it speaks of.
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

// usesOf returns what the allow-list of an agent says of a tool, "" for all.
// An agent that is left without tools, or refers to a list that is not there,
// still says something.
func usesOf(ctx context.Context, a registry.Agent, catalog registry.Catalog, as Use, tool string) ([]Use, error) {
	res, err := registry.Resolve(ctx, a, ReferenceContext(), catalog)
	if err != nil && !errors.Is(err, registry.ErrNoTools) && !errors.Is(err, registry.ErrUnknownList) {
		return nil, err
	}
	var uses []Use
	for _, c := range res.Choices {
		if tool != "" && c.Name != tool {
			continue
		}
		as.Tool, as.In, as.Why = c.Name, c.In, c.Why()
		uses = append(uses, as)
	}
	return uses, nil
}
