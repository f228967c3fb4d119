// This file renders the prompts of agents before and after an approval.

package impact

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"toolcrib/prompt"
	"toolcrib/proposals"
	"toolcrib/registry"
)

// Scene specifies how prompts are rendered.
type Scene struct {
	Layer     registry.Layer   // layer that determines the view
	Where     registry.Context // determines the available tools
	Context   prompt.Context
	SkipTools bool   // whether to omit the catalog block
	Channel   string // only channel to render, or "" for all channels of the agent
}

// Preview contains the prompts of an agent before and after an approval.
type Preview struct {
	Agent registry.Subject
	Layer registry.Layer // layer that determined the view
	// Now contains the current prompts. It is empty if the agent does not exist.
	Now []prompt.Output
	// Then contains the prompts after the approval. It is empty if the agent would not exist, or if no proposals were
	// given.
	Then []prompt.Output
	// Toolless is the reason why the agent has no tools, or would have none after the approval. It is nil if the agent
	// has tools.
	Toolless error
	// Channels contains the channels that the agent has before or after the approval. A Scene can select a channel
	// that the agent does not have.
	Channels []string
}

// Preview renders the prompts of an agent. If ids is not empty, it also renders the prompts after an approval of these
// proposals and of the rest of their change sets. agent is an id in the view of s.Layer, or a subject. If agent is "",
// Preview renders every agent that has a prompt that the proposals can change, or all agents if ids is empty.
//
// Preview uses the view of s.Layer. If a proposal belongs to a project, it uses the view of that project instead.
func (a *Analyzer) Preview(ctx context.Context, ids []proposals.ID, agent string, s Scene) ([]Preview, error) {
	var previews []Preview
	err := a.cached(ctx, func(r Reader, live *Snapshot) error {
		p := previewer{scene: s, changed: map[registry.Subject]registry.Live{}}
		for _, id := range ids {
			proposal, rev, err := Current(ctx, r, id)
			if err != nil {
				return err
			}
			if !proposal.State.Open() {
				return proposals.Reason(proposals.ErrState, "%s is %s; only an open proposal has a preview", proposal.Name(), proposal.State)
			}
			var members []proposals.Proposal
			if proposal.ChangeSet != "" {
				if members, err = r.Members(ctx, proposal.ChangeSet); err != nil {
					return err
				}
			}
			more, err := Coming(ctx, r, proposal, rev, members) // definitions that an approval would make live
			if err != nil {
				return err
			}
			maps.Copy(p.changed, more)
		}
		for subject := range p.changed {
			layer, ok := stronger(p.scene.Layer, subject.Layer)
			if !ok {
				return fmt.Errorf("%s for layer %s: %w", subject, p.scene.Layer, proposals.ErrNotFound)
			}
			p.scene.Layer = layer
		}
		p.now, p.then = live.now, live.With(p.changed)
		var err error
		if p.agents, err = live.Agents(ctx); err != nil {
			return err
		}
		chosen, err := p.choose(ctx, agent)
		if err != nil {
			return err
		}
		previews = make([]Preview, len(chosen))
		for i, subject := range chosen {
			out := &previews[i]
			out.Agent, out.Layer = subject, p.scene.Layer
			if out.Now, err = p.render(ctx, p.now, out, p.agents); err != nil {
				return err
			}
			last, agents := p.now, p.agents
			if len(p.changed) > 0 {
				last, agents = p.then, p.then.agents(p.agents)
				if out.Then, err = p.render(ctx, last, out, agents); err != nil {
					return err
				}
			}
			if out.Toolless, err = last.whyNoTools(ctx, subject, p.scene.Layer, agents, p.scene.Where); err != nil {
				return err
			}
		}
		return nil
	})
	return previews, err
}

// previewer contains the state of a call of Analyzer.Preview.
type previewer struct {
	scene     Scene
	now, then *Overlay
	agents    []registry.Live // now
	changed   map[registry.Subject]registry.Live
}

// choose returns the agents to preview.
func (p previewer) choose(ctx context.Context, agent string) ([]registry.Subject, error) {
	there := seen(p.agents, p.scene.Layer)
	agents := p.then.agents(p.agents)
	then := seen(agents, p.scene.Layer)
	if agent != "" {
		found, err := pick(then, agent, p.scene.Layer)
		if err != nil {
			found, err = pick(there, agent, p.scene.Layer)
		}
		return []registry.Subject{found.Subject}, err
	}
	var chosen []registry.Subject
	lists, err := p.then.everyList(ctx)
	if err != nil {
		return nil, err
	}
	for _, a := range slices.Concat(there, then) {
		affected := len(p.changed) == 0
		for subject, after := range p.changed {
			before, err := Live(ctx, p.now, subject)
			if err != nil {
				return nil, err
			}
			affected = affected || reaches(subject, before, after, a, agents, lists) || reaches(subject, before, after, a, p.agents, lists)
		}
		if affected && !slices.Contains(chosen, a.Subject) {
			chosen = append(chosen, a.Subject)
		}
	}
	return chosen, nil
}

// render returns the prompts of preview.Agent in c. It adds the channels of the agent to preview.Channels.
func (p previewer) render(ctx context.Context, c *Overlay, preview *Preview, agents []registry.Live) ([]prompt.Output, error) {
	if s := p.scene; s.Where == ReferenceContext() && s.Context == prompt.Reference() && !s.SkipTools && s.Channel == "" { // the same settings as in reviews
		r, err := c.render(ctx, promptKey{preview.Agent, p.scene.Layer})
		if err != nil || r.in == nil {
			return nil, err
		}
		preview.Channels = append(preview.Channels, prompt.Channels(r.in.Agent)...)
		return r.outputs, nil
	}
	in, err := c.input(ctx, preview.Agent, p.scene.Layer, agents, p.scene.Where)
	if err != nil || in == nil {
		return nil, err
	}
	preview.Channels = append(preview.Channels, prompt.Channels(in.Agent)...)
	in.Context, in.SkipTools = p.scene.Context, p.scene.SkipTools
	renderer := prompt.NewRenderer(*in)
	if p.scene.Channel != "" {
		return []prompt.Output{renderer.Render(p.scene.Channel)}, nil
	}
	return renderer.RenderAll(), nil
}

// PromptInput returns the input of an agent's prompts without the time and the user. agent is an id in the view of
// layer, or a subject.
func (a *Analyzer) PromptInput(ctx context.Context, agent string, layer registry.Layer, where registry.Context) (input prompt.Input, err error) {
	err = a.view(ctx, func(r Reader) error {
		input, err = PromptInput(ctx, r, agent, layer, where)
		return err
	})
	return input, err
}

// PromptInput is like Analyzer.PromptInput, but reads from r.
func PromptInput(ctx context.Context, r Registry, agent string, layer registry.Layer, where registry.Context) (prompt.Input, error) {
	found, err := agentOf(ctx, r, agent, layer)
	if err != nil {
		return prompt.Input{}, err
	}
	return Input(ctx, *found.Definition.Agent, registry.Layered{Finder: r, View: layer.View()}, where)
}
