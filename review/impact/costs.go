// This file computes how a draft changes the length of prompts.

package impact

import (
	"context"
	"errors"
	"slices"
	"strings"

	"toolcrib/prompt"
	"toolcrib/prompt/tokens"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review/rules"
	"toolcrib/review/rules/budget"
)

// Costs returns the changes to prompts that could violate a rule: prompts that would be truncated, and prompts that
// could become much longer. It considers only the agents that the draft affects. To save time, Costs does not render
// prompts that stay far below the limits. It also does not count the tokens of a prompt that cannot grow by much or
// that is expected to grow.
func (m *Snapshot) Costs(ctx context.Context, draft proposals.Draft, counter *tokens.Counter) ([]rules.PromptCost, error) {
	if draft.Definition.IsZero() {
		return nil, nil
	}
	then := m.With(map[registry.Subject]registry.Live{
		draft.Subject: {Subject: draft.Subject, Version: draft.Base() + 1, Definition: draft.Definition},
	})
	affected, err := then.affected(ctx, draft.Subject)
	if err != nil {
		return nil, err
	}
	var costs []rules.PromptCost
	for _, a := range affected {
		of, err := then.costs(ctx, draft, a, counter)
		if err != nil {
			return nil, err
		}
		costs = append(costs, of...)
	}
	return costs, nil
}

// costs is like Costs, but considers only the prompts of agent a.
func (c *Overlay) costs(ctx context.Context, draft proposals.Draft, a promptKey, counter *tokens.Counter) ([]rules.PromptCost, error) {
	wide, err := c.listsWholeKind(ctx, a, draft.Definition.Tool)
	if err != nil {
		return nil, err
	}
	if wide { // the prompt is expected to grow; only the limit matters
		if _, _, narrowed, err := c.narrowed(ctx, a); err != nil || narrowed {
			return nil, err
		}
		if in, err := c.reference(ctx, a); err != nil || in == nil || prompt.FarBelowLimit(*in, 0) {
			return nil, err
		}
	}
	was, err := c.now.render(ctx, a)
	if err != nil {
		return nil, err
	}
	if !wide {
		if small, err := c.now.addsLittle(ctx, draft, a, was.outputs, counter); err != nil || small {
			return nil, err
		}
	}
	will, err := c.render(ctx, a)
	if err != nil {
		return nil, err
	}
	var costs []rules.PromptCost
	for _, after := range will.outputs {
		before := prompt.Output{}
		if i := slices.IndexFunc(was.outputs, func(o prompt.Output) bool { return o.Channel == after.Channel }); i >= 0 {
			before = was.outputs[i]
		}
		cut := length(after) > max(length(before), prompt.PromptLimit)
		if !cut && (wide || before.Text == "" || tokens.Growth(before.Text, after.Text) <= budget.PromptGrowth) {
			continue
		}
		cost := rules.PromptCost{Agent: a.agent, Channel: after.Channel, Cut: cut}
		if !cut {
			if cost.Before, cost.After, err = tokensOf(before.Text, after.Text, counter); err != nil {
				return nil, err
			}
		}
		costs = append(costs, cost)
	}
	return costs, nil
}

// listsWholeKind reports whether an agent has a tool only because the allow-list of the agent includes all tools of
// this kind. The prompts of such an agent are expected to grow with every new tool.
func (c *Overlay) listsWholeKind(ctx context.Context, a promptKey, tool *registry.Tool) (bool, error) {
	if tool == nil {
		return false, nil
	}
	agents, err := c.Agents(ctx)
	if err != nil {
		return false, err
	}
	profile := profileOf(a.agent, a.layer, c.agents(agents))
	if profile == nil || slices.Contains(profile.Categories, tool.Category) {
		return false, nil
	}
	list, err := registry.Allowed(ctx, *profile, registry.Layered{Finder: c, View: a.layer.View()})
	if err != nil && !errors.Is(err, registry.ErrUnknownList) {
		return false, err
	}
	list.Kinds = slices.DeleteFunc(slices.Clone(list.Kinds), func(k registry.ToolKind) bool { return k != tool.Kind })
	others := list
	others.Kinds = nil
	return len(list.Kinds) > 0 && !others.Admits(*tool), nil
}

// aroundTool is an upper limit for the length in bytes of the headings that a tool can add to a prompt in addition to
// its block. These are the heading of a part of the catalog and the heading of a category. Together, they have at most
// aroundTool/2 tokens.
const aroundTool = 256

// addsLittle reports whether all prompts of an agent stay far below the limits after draft changes a tool. To estimate
// the added length, it multiplies the growth of the tool's block by the number of places where the template lists
// tools. current contains the current prompts of the agent.
func (c *Overlay) addsLittle(ctx context.Context, draft proposals.Draft, a promptKey, current []prompt.Output, counter *tokens.Counter) (bool, error) {
	if draft.Subject.Kind != registry.KindTool || len(current) == 0 {
		return false, nil
	}
	agent, err := Live(ctx, c.Registry, a.agent)
	if err != nil || agent == nil {
		return false, err
	}
	before, err := Live(ctx, c.Registry, draft.Subject)
	if err != nil {
		return false, err
	}
	had := registry.Definition{}
	if before != nil && before.Definition.Status() == registry.Active {
		had = before.Definition
	}
	places := 2 // places in the built-in template
	for _, u := range prompt.Uses(agent.Definition.Agent.PromptTemplate) {
		if u.Name == prompt.ToolCatalog || u.Name == prompt.ToolGuidance {
			places++
		}
	}
	for _, out := range current {
		before, after := block(had, out.Channel), block(draft.Definition, out.Channel)
		most := places * (tokens.Growth(before, after) + aroundTool)
		if length(out)+most > prompt.PromptLimit {
			return false, nil
		}
		if most <= budget.PromptGrowth {
			continue
		}
		if len(out.Text) < 64<<10 { // rendering such a prompt is faster than loading the vocabulary
			return false, nil
		}
		from, to, err := tokensOf(before, after, counter)
		if err != nil || places*(to-from+aroundTool/2) > budget.PromptGrowth {
			return false, err
		}
	}
	return true, nil
}

// block returns the text that a tool adds to a prompt. It returns "" if d is not an active tool.
func block(d registry.Definition, channel string) string {
	if d.Tool == nil || d.Status() != registry.Active {
		return ""
	}
	if t := d.Tool; t.Kind == registry.ServerText {
		return strings.TrimSpace(t.Description + "\n\n" + t.Prompt) // the client of the server assembles the text
	}
	return prompt.Render(prompt.Input{
		Agent: registry.Agent{PromptTemplate: "$" + prompt.ToolCatalog + "\n\n$" + prompt.ToolGuidance},
		Tools: []prompt.Tool{{Tool: d.Tool}}, Context: prompt.Reference(),
	}, channel).Text
}

// Instruction returns the instruction for a model that answers the test cases of d. For a tool, this is the part of a
// prompt about the tool. For an agent, it is the whole prompt.
func Instruction(d registry.Definition) string {
	if d.Agent != nil {
		return prompt.Render(prompt.Input{Agent: *d.Agent, Context: prompt.Reference()}, prompt.Web).Text
	}
	if d.Tool == nil || d.Tool.Kind != registry.ActionTool {
		return block(d, prompt.Web)
	}
	t := *d.Tool
	return "You can call one tool, " + t.ID + ".\n\n" + t.Description + "\n\nIts arguments as a JSON Schema:\n" + string(t.InputSchema) +
		"\n\nTo call it, answer with one JSON object and nothing else: {\"tool\":\"" + t.ID + "\",\"args\":{…},\"nonce\":\"n1\"}"
}

// tokensOf returns the lengths of two texts in tokens.
func tokensOf(before, after string, counter *tokens.Counter) (b, a int, err error) {
	if b, err = counter.CountO200k(before); err != nil {
		return 0, 0, err
	}
	a, err = counter.CountO200k(after)
	return b, a, err
}

// length returns the length in bytes that a prompt would have if it were not truncated.
func length(out prompt.Output) int {
	for _, c := range out.Cuts {
		if c.Kind == prompt.CutPrompt {
			return c.Length
		}
	}
	return len(out.Text)
}
