package review

import (
	"context"
	"fmt"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// Toolset is the function of this name, on a snapshot of its own.
func (d *Desk) Toolset(ctx context.Context, agent string, layer registry.Layer, where registry.Context) (registry.Live, registry.Resolution, error) {
	var res registry.Resolution
	profile, err := read(ctx, d, func(r Reader) (profile registry.Live, err error) {
		profile, res, err = Toolset(ctx, r, agent, layer, where)
		return profile, err
	})
	return profile, res, err
}

// Toolset returns the tools that an agent has in a context, and why. Agent is an id
// in the merged view of layer, or a subject. The error is that of
// registry.Resolve, with the resolution that shows why nothing is left.
func Toolset(ctx context.Context, r LiveReader, agent string, layer registry.Layer, where registry.Context) (registry.Live, registry.Resolution, error) {
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

// Named returns the tools that a name means in the view of layer: the one that
// has it as its id or alias, else those that have it as their wire name, else
// those that are called so where they come from, by one server or by several.
// One that is deactivated is returned only when no active one has the name.
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
	found, err := wired(ctx, r, catalog, name)
	if len(found) == 0 && ok {
		found = []registry.Entry{own}
	}
	return found, err
}

// wired returns the active tools that have a name as their wire name. Those that
// are called so only where they come from are returned behind them.
func wired(ctx context.Context, r ToolReader, catalog registry.Layered, name string) ([]registry.Entry, error) {
	lives, err := r.ByWire(ctx, name)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(lives))
	for i, l := range lives {
		ids[i] = l.Subject.ID
	}
	named, err := catalog.ByName(ctx, ids...)
	if err != nil {
		return nil, err
	}
	var own, origins []registry.Entry
	for _, l := range lives {
		e, seen := named[l.Subject.ID]
		switch {
		case !seen || !e.Active() || e.Subject != l.Subject:
		case e.Definition.Tool.WireName() == name:
			own = append(own, e)
		default:
			origins = append(origins, e)
		}
	}
	return append(own, origins...), nil
}

// agentOf finds an active agent as pick does.
func agentOf(ctx context.Context, r LiveReader, ref string, layer registry.Layer) (registry.Live, error) {
	agents, err := r.Agents(ctx)
	if err != nil {
		return registry.Live{}, err
	}
	return pick(agents, ref, layer)
}

// pick finds an active agent: by its subject, or by its id as it is seen in
// the view of layer.
func pick(agents []registry.Live, ref string, layer registry.Layer) (registry.Live, error) {
	for _, a := range seen(agents, layer) {
		if a.Subject.ID == ref || a.Subject.String() == ref {
			return a, nil
		}
	}
	return registry.Live{}, fmt.Errorf("an active agent %s in the view of %s: %w", jsondoc.Quote(ref), layer, ErrNotFound)
}

// seen returns the active agents or allow-lists of the view of layer by id.
func seen(lives []registry.Live, layer registry.Layer) []registry.Live {
	var out []registry.Live
	for _, e := range registry.Seen(lives, layer.View()) {
		if e.Active() {
			out = append(out, e.Live)
		}
	}
	return out
}
