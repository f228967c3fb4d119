package review

import (
	"context"
	"errors"

	"toolcrib/registry"
	"toolcrib/registry/shipped"
)

// Use is one tie between a tool and who may have it.
type Use struct {
	Agent registry.Subject // zero for an allow-list
	List  string           // name of an allow-list that agents can refer to
	Tool  string           // id; as it is listed when the registry lacks it
	In    bool             // whether it is offered in the reference context
	Why   string
}

// Uses returns, of a tool, the agents in the view of layer and the allow-lists
// that speak of it, and of an agent the tools that its allow-list speaks of.
func (d *Desk) Uses(ctx context.Context, s registry.Subject, layer registry.Layer) ([]Use, error) {
	var uses []Use
	err := d.store.View(ctx, func(r Reader) error {
		agents, err := r.Agents(ctx)
		if err != nil {
			return err
		}
		catalog := registry.Layered{Finder: r, View: layer.View()}
		if s.Kind == registry.KindAgent {
			agent, err := pick(agents, s.String(), layer)
			if err != nil {
				return err
			}
			uses, err = usesOf(ctx, *agent.Definition.Agent, catalog, Use{Agent: s}, "")
			return err
		}
		for _, a := range seen(agents, layer) {
			found, err := usesOf(ctx, *a.Definition.Agent, catalog, Use{Agent: a.Subject}, s.ID)
			if err != nil {
				return err
			}
			uses = append(uses, found...)
		}
		for _, l := range shipped.AllowLists() {
			found, err := usesOf(ctx, registry.Agent{AllowList: &l}, catalog, Use{List: l.Name}, s.ID)
			if err != nil {
				return err
			}
			uses = append(uses, found...)
		}
		return nil
	})
	return uses, err
}

// usesOf returns what the allow-list of an agent says of a tool, "" for all.
// An agent that is left without tools, or refers to a list that is not there,
// still says something.
func usesOf(ctx context.Context, a registry.Agent, catalog registry.Catalog, as Use, tool string) ([]Use, error) {
	res, err := registry.Resolve(ctx, a, ReferenceContext(), catalog, shipped.AllowList)
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
