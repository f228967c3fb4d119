package rules

import (
	"context"
	"fmt"
	"unicode/utf8"

	"toolcrib/prompt"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// What a definition may take of the room that all of them share, before a
// reviewer is told.
const (
	manyCharacters = 16_000 // of a tool's injected texts, about 4,000 tokens
	manyBytes      = 16_384 // of an input schema
)

// PromptGrowth is how many tokens a change may add to the prompt of one channel
// before a reviewer is told.
const PromptGrowth = 2_000

// budget is the B family: what a change costs in the one thing that all tools
// and texts of an agent share.
func budget() []Rule {
	return []Rule{descriptionCut(), longTexts(), largeSchema(), promptGrows(), promptCut()}
}

func descriptionCut() Rule {
	return Rule{
		ID: "B101",
		Check: func(_ context.Context, c *Change) ([]Finding, error) {
			t := judged(c)
			if t == nil || t.Kind != registry.ActionTool || len(t.Description) <= prompt.DescriptionLimit {
				return nil, nil
			}
			if n := utf8.RuneCountInString(t.Description); n > prompt.DescriptionLimit {
				return []Finding{{Path: "definition.description", Message: fmt.Sprintf("The description has %d characters; some clients cut it at %d.", n, prompt.DescriptionLimit)}}, nil
			}
			return nil, nil
		},
	}
}

func longTexts() Rule {
	return Rule{
		ID: "B102",
		Check: func(_ context.Context, c *Change) ([]Finding, error) {
			t := judged(c)
			if t == nil || t.Kind != registry.PromptTool {
				return nil, nil
			}
			n := 0
			for _, text := range []string{t.UsageNotes, t.Goals, t.Guardrails, t.Prompt} {
				n += utf8.RuneCountInString(text)
			}
			if n <= manyCharacters {
				return nil, nil
			}
			return []Finding{{Path: "definition.prompt", Message: fmt.Sprintf("The texts that are injected have %d characters together; more than %d is much for one tool.", n, manyCharacters)}}, nil
		},
	}
}

func largeSchema() Rule {
	return Rule{
		ID: "B103",
		Check: func(_ context.Context, c *Change) ([]Finding, error) {
			t := judged(c)
			if t == nil || t.DeferLoading || len(t.InputSchema) <= manyBytes {
				return nil, nil
			}
			return []Finding{{Path: "definition.inputSchema", Message: fmt.Sprintf("The input schema has %d bytes; more than %d is much for one tool.", len(t.InputSchema), manyBytes)}}, nil
		},
	}
}

func promptGrows() Rule {
	return Rule{
		ID: "B201",
		Check: eachPrompt(func(p PromptCost) string {
			if p.Before == 0 || p.After-p.Before <= PromptGrowth {
				return ""
			}
			return fmt.Sprintf("grows by %d tokens, from %d to %d", p.After-p.Before, p.Before, p.After)
		}),
	}
}

func promptCut() Rule {
	return Rule{
		ID: "B202",
		Check: eachPrompt(func(p PromptCost) string {
			if !p.Cut {
				return ""
			}
			return "would be cut off before its end"
		}),
	}
}

// eachPrompt makes a finding of every prompt that complain has a clause about.
func eachPrompt(complain func(PromptCost) string) func(context.Context, *Change) ([]Finding, error) {
	return func(_ context.Context, c *Change) ([]Finding, error) {
		var found []Finding
		for _, p := range c.Prompts {
			clause := complain(p)
			if clause == "" || len(found) == maxPerText {
				continue
			}
			found = append(found, Finding{
				Path: "definition", Passage: p.Agent.String() + "#" + p.Channel,
				Message: fmt.Sprintf("The prompt of %s for %s %s.", jsondoc.Printable(p.Agent.String()), jsondoc.Printable(p.Channel), clause),
			})
		}
		return found, nil
	}
}
