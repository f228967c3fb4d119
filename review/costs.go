package review

import (
	"context"
	"errors"
	"slices"

	"toolcrib/prompt"
	"toolcrib/prompt/tokens"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review/rules"
	"toolcrib/review/rules/budget"
)

// Costs returns how the prompts of the agents that a draft reaches would change,
// as far as a rule could object: those that would be cut, and those that may
// become much longer. Prompts that cannot come near a limit are not rendered, and
// those that cannot grow by much are not counted.
func Costs(ctx context.Context, r LiveReader, draft proposals.Draft, counter *tokens.Counter) ([]rules.PromptCost, error) {
	if draft.Definition.IsZero() {
		return nil, nil
	}
	now := liveCacheOf(r).now
	then := now.with(map[registry.Subject]registry.Live{
		draft.Subject: {Subject: draft.Subject, Version: draft.Base() + 1, Definition: draft.Definition},
	})
	affected, err := then.affected(ctx, draft.Subject)
	if err != nil {
		return nil, err
	}
	var costs []rules.PromptCost
	for _, a := range affected {
		was, err := now.outputs(ctx, a)
		if err != nil {
			return nil, err
		}
		small, err := now.addsLittle(ctx, draft, a, was, counter)
		if err != nil {
			return nil, err
		}
		if small {
			continue
		}
		will, err := then.outputs(ctx, a)
		if err != nil {
			return nil, err
		}
		wide, err := then.wide(ctx, a, draft.Definition.Tool)
		if err != nil {
			return nil, err
		}
		for _, after := range will {
			i := slices.IndexFunc(was, func(o prompt.Output) bool { return o.Channel == after.Channel })
			before := prompt.Output{}
			if i >= 0 {
				before = was[i]
			}
			cost, matters, err := weigh(before, after, counter)
			if err != nil {
				return nil, err
			}
			if matters && (cost.Cut || !wide) {
				cost.Agent, cost.Channel = a.agent, after.Channel
				costs = append(costs, cost)
			}
		}
	}
	return costs, nil
}

// wide reports whether an agent has a tool because its list takes in the whole
// kind. Such a prompt is meant to grow with every tool.
func (c *catalogs) wide(ctx context.Context, a promptKey, tool *registry.Tool) (bool, error) {
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
	return len(list.Kinds) > 0 && !others.Lets(*tool), nil
}

// aroundTool is more bytes than a tool adds beside its own block, and twice as
// many tokens: the headings of its part of the catalog and of its category.
const aroundTool = 256

// addsLittle reports whether a change of a tool is too small to bring any of
// the prompts of an agent near a limit. They grow by what the tool's own block
// grows by, wherever the template asks for tools.
func (c *catalogs) addsLittle(ctx context.Context, draft proposals.Draft, a promptKey, was []prompt.Output, counter *tokens.Counter) (bool, error) {
	if draft.Subject.Kind != registry.KindTool || len(was) == 0 {
		return false, nil
	}
	agent, err := live(ctx, c.LiveReader, a.agent)
	if err != nil || agent == nil {
		return false, err
	}
	before, err := live(ctx, c.LiveReader, draft.Subject)
	if err != nil {
		return false, err
	}
	had := registry.Definition{}
	if before != nil && before.Definition.Status() == registry.Active {
		had = before.Definition
	}
	places := 2 // of the built-in template
	for _, u := range prompt.Uses(agent.Definition.Agent.PromptTemplate) {
		if u.Name == prompt.ToolCatalog || u.Name == prompt.ToolGuidance {
			places++
		}
	}
	for _, out := range was {
		before, after := block(had, out.Channel), block(draft.Definition, out.Channel)
		most := places * (tokens.Growth(before, after) + aroundTool)
		if length(out)+most > prompt.PromptLimit {
			return false, nil
		}
		if most <= budget.PromptGrowth {
			continue
		}
		if len(out.Text) < quicklyRendered {
			return false, nil
		}
		from, to, err := tokensOf(before, after, counter)
		if err != nil || places*(to-from+aroundTool/2) > budget.PromptGrowth {
			return false, err
		}
	}
	return true, nil
}

// quicklyRendered is the size of a prompt, in bytes, below which rendering it is
// faster than loading the vocabulary to learn whether it must be.
const quicklyRendered = 64 << 10

// block returns the text that a tool adds to a prompt; "" for none.
func block(d registry.Definition, channel string) string {
	if d.Tool == nil || d.Status() != registry.Active {
		return ""
	}
	return prompt.Render(prompt.Input{
		Agent: registry.Agent{PromptTemplate: "$" + prompt.ToolCatalog + "\n\n$" + prompt.ToolGuidance},
		Tools: []prompt.Tool{{Tool: d.Tool}}, Context: prompt.Reference(),
	}, channel).Text
}

// weigh compares one prompt before and after. It reports false when no rule
// could object.
func weigh(before, after prompt.Output, counter *tokens.Counter) (rules.PromptCost, bool, error) {
	if length(after) > max(length(before), prompt.PromptLimit) {
		return rules.PromptCost{Cut: true}, true, nil
	}
	if before.Text == "" || tokens.Growth(before.Text, after.Text) <= budget.PromptGrowth {
		return rules.PromptCost{}, false, nil
	}
	var cost rules.PromptCost
	var err error
	cost.Before, cost.After, err = tokensOf(before.Text, after.Text, counter)
	return cost, true, err
}

// tokensOf returns the lengths of two texts in tokens.
func tokensOf(before, after string, counter *tokens.Counter) (b, a int, err error) {
	if b, err = counter.CountO200k(before); err != nil {
		return 0, 0, err
	}
	a, err = counter.CountO200k(after)
	return b, a, err
}

// length returns how many bytes a prompt has, or would have if it were not cut.
func length(out prompt.Output) int {
	for _, c := range out.Cuts {
		if c.Kind == prompt.CutPrompt {
			return c.Length
		}
	}
	return len(out.Text)
}
