// This file renders prompts as if some live definitions were replaced.

package impact

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"toolcrib/internal/lists"
	"toolcrib/prompt"
	"toolcrib/registry"
)

// Overlay is the live registry with some definitions replaced. It implements registry.Finder. It caches the inputs of
// prompts, the rendered prompts, and the changes to prompts. If the changes do not affect the input of a prompt, it
// reuses the prompt of the unchanged registry.
type Overlay struct {
	Registry
	changed  map[registry.Subject]registry.Live
	now      *Overlay // the unchanged registry, or nil if this Overlay has no changes
	inputs   map[promptKey]*prompt.Input
	rendered map[promptKey]*rendering
	compared map[promptKey][]prompt.Change
	rankings map[rankingOf]*ranking // of the live registry
}

// rendering contains the prompts of an agent for all channels, and their input. It is empty if the agent does not
// exist, is not active, or is hidden by an agent with the same id in a stronger layer.
type rendering struct {
	in      *prompt.Input
	outputs []prompt.Output
}

// promptKey identifies the prompts of an agent in the view of a layer.
type promptKey struct {
	agent registry.Subject
	layer registry.Layer
}

func newOverlay(r Registry) *Overlay {
	return &Overlay{
		Registry: r, inputs: map[promptKey]*prompt.Input{}, rendered: map[promptKey]*rendering{}, compared: map[promptKey][]prompt.Change{},
		rankings: map[rankingOf]*ranking{},
	}
}

func (c *Overlay) ByName(ctx context.Context, names ...string) ([]registry.Live, error) {
	found, err := c.Registry.ByName(ctx, names...)
	return c.overlay(found, func(l registry.Live) bool {
		return l.Definition.Tool != nil && slices.ContainsFunc(l.Names(), func(name string) bool { return slices.Contains(names, name) })
	}), err
}

func (c *Overlay) InCategory(ctx context.Context, category string) ([]registry.Live, error) {
	found, err := c.Registry.InCategory(ctx, category)
	return c.overlay(found, func(l registry.Live) bool { return l.Definition.Tool != nil && l.Definition.Tool.Category == category }), err
}

// OfKind implements registry.Finder. It also considers changed tools of other kinds, because a changed tool may
// override a tool of this kind in another layer.
func (c *Overlay) OfKind(ctx context.Context, kind registry.ToolKind, view []registry.Layer, limit int) ([]registry.Live, error) {
	if limit > 0 {
		limit += len(c.changed) // enough tools must remain if changes remove some
	}
	found, err := c.Registry.OfKind(ctx, kind, view, limit)
	if err != nil {
		return nil, err
	}
	for s := range c.changed {
		if s.Kind != registry.KindTool || slices.ContainsFunc(found, func(l registry.Live) bool { return l.Subject.ID == s.ID }) {
			continue
		}
		same, err := c.Registry.ByName(ctx, s.ID) // tools with the same id in other layers
		if err != nil {
			return nil, err
		}
		found = append(found, slices.DeleteFunc(same, func(l registry.Live) bool { return l.Subject.ID != s.ID })...)
	}
	return c.overlay(found, func(l registry.Live) bool { return l.Definition.Tool != nil }), nil
}

func (c *Overlay) Lists(ctx context.Context) ([]registry.Live, error) {
	lists, err := c.Registry.Lists(ctx)
	return c.overlay(lists, func(l registry.Live) bool { return l.Definition.List != nil }), err
}

// overlay removes the replaced definitions from live and adds the changed definitions for which matches returns true.
func (c *Overlay) overlay(live []registry.Live, matches func(registry.Live) bool) []registry.Live {
	live = slices.DeleteFunc(live, func(l registry.Live) bool { _, ok := c.changed[l.Subject]; return ok })
	for _, l := range c.changed {
		if matches(l) {
			live = append(live, l)
		}
	}
	return live
}

// agents applies the changes to the live agents and returns the result.
func (c *Overlay) agents(live []registry.Live) []registry.Live {
	return c.overlay(slices.Clone(live), func(l registry.Live) bool { return l.Definition.Agent != nil })
}

// render returns the prompts of an agent for all channels. If the changes do not affect the input, it returns the
// prompts that c.now has already rendered. Most new tools do not affect any input, because a prompt lists only the
// first prompt.MaxOfKind tools of a kind.
func (c *Overlay) render(ctx context.Context, s promptKey) (*rendering, error) {
	if known, ok := c.rendered[s]; ok {
		return known, nil
	}
	r := &rendering{}
	var err error
	if r.in, err = c.reference(ctx, s); err != nil {
		return nil, err
	}
	if c.now != nil {
		was, err := c.now.render(ctx, s)
		if err != nil {
			return nil, err
		}
		// For equal inputs, same can be false, which only costs time. For different inputs, same must never be true.
		same := was.in == r.in
		if was.in != nil && r.in != nil {
			same = was.in.More == r.in.More && slices.Equal(was.in.Tools, r.in.Tools) && reflect.DeepEqual(was.in.Agent, r.in.Agent)
		}
		if same {
			c.rendered[s] = was
			return was, nil
		}
	}
	if r.in != nil {
		r.outputs = prompt.NewRenderer(*r.in).RenderAll()
	}
	c.rendered[s] = r
	return r, nil
}

// ReferenceContext returns the context that reviews use to render the prompts of agents.
func ReferenceContext() registry.Context { return registry.Context{Local: true, Embedding: true} }

// reference returns the input of an agent's prompts in the fixed context of reviews. It returns nil if the agent has
// no prompts.
func (c *Overlay) reference(ctx context.Context, s promptKey) (*prompt.Input, error) {
	if known, ok := c.inputs[s]; ok {
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
	if in != nil {
		in.Context = prompt.Reference()
	}
	c.inputs[s] = in
	return in, nil
}

// compare returns the changes to the prompts of an agent.
func (c *Overlay) compare(ctx context.Context, s promptKey) ([]prompt.Change, error) {
	if known, ok := c.compared[s]; ok {
		return known, nil
	}
	was, will, narrowed, err := c.narrowed(ctx, s)
	if err != nil {
		return nil, err
	}
	if !narrowed {
		if was, err = c.now.reference(ctx, s); err != nil {
			return nil, err
		}
		if will, err = c.reference(ctx, s); err != nil {
			return nil, err
		}
	}
	c.compared[s] = prompt.Compare(was, will)
	return c.compared[s], nil
}

// input returns the input of an agent's prompts in the view of layer. It returns nil if the agent does not exist, is
// not active, or is hidden by an agent with the same id in a stronger layer.
func (c *Overlay) input(ctx context.Context, agent registry.Subject, layer registry.Layer, agents []registry.Live, where registry.Context) (*prompt.Input, error) {
	profile := profileOf(agent, layer, agents)
	if profile == nil {
		return nil, nil //nolint:nilnil // nil means that there is no prompt
	}
	in, err := Input(ctx, *profile, registry.Layered{Finder: c, View: layer.View()}, where)
	return &in, err
}

// profileOf returns the profile of an agent in the view of layer, or nil if the agent is not active there.
func profileOf(agent registry.Subject, layer registry.Layer, agents []registry.Live) *registry.Agent {
	for _, a := range seen(agents, layer) {
		if a.Subject == agent {
			return a.Definition.Agent
		}
	}
	return nil
}

// whyNoTools returns the reason why an agent would have no tools at all, not even deferred tools. It returns nil if the
// agent has a tool or does not exist. At first, it reads only the beginning of the list of tools of each kind. If the
// agent has none of these tools, it reads all tools.
func (c *Overlay) whyNoTools(ctx context.Context, agent registry.Subject, layer registry.Layer, agents []registry.Live, where registry.Context) (reason, err error) {
	profile := profileOf(agent, layer, agents)
	if profile == nil {
		return nil, nil
	}
	where.IncludeDeferred, where.MostOfKind = true, prompt.MaxOfKind
	res, err := registry.Resolve(ctx, *profile, where, registry.Layered{Finder: c, View: layer.View()})
	if res.More && errors.Is(err, registry.ErrNoTools) {
		where.MostOfKind = 0
		_, err = registry.Resolve(ctx, *profile, where, registry.Layered{Finder: c, View: layer.View()})
	}
	if errors.Is(err, registry.ErrNoTools) || errors.Is(err, registry.ErrUnknownList) {
		return fmt.Errorf("%s: %w", agent, err), nil
	}
	return nil, err
}

// Input returns the input of an agent's prompts without the time and the user. It also works for an agent without
// tools. If the allow-list includes all tools of a kind, the result contains only the first prompt.MaxOfKind of these
// tools, and indicates whether there are more. This limits the cost of rendering.
func Input(ctx context.Context, agent registry.Agent, catalog registry.Catalog, where registry.Context) (prompt.Input, error) {
	where.MostOfKind = prompt.MaxOfKind
	res, err := registry.Resolve(ctx, agent, where, catalog)
	if err != nil && !errors.Is(err, registry.ErrNoTools) && !errors.Is(err, registry.ErrUnknownList) {
		return prompt.Input{}, err
	}
	entries := res.Tools()
	tools := lists.Map(entries, func(e registry.Entry) prompt.Tool { return prompt.Tool{Tool: e.Definition.Tool, Locked: e.Core()} })
	return prompt.Input{Agent: agent, Tools: tools, More: res.More || res.Deferred() > 0}, nil
}
