// Package budget implements the B family: rules about the size of a definition, and about the
// effect of a change on the size of prompts.
package budget

import (
	"fmt"
	"unicode/utf8"

	"toolcrib/prompt"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/review/rules"
)

// A definition that exceeds one of these sizes causes a finding.
const (
	ManyCharacters = 16_000 // characters of all texts that a tool adds to a prompt, about 4,000 tokens
	ManyBytes      = 16_384 // bytes of an input schema
)

// PromptGrowth is the maximum number of tokens that a change may add to the prompt of a channel
// without a finding.
const PromptGrowth = 2_000

// Rules returns the B family.
func Rules() []rules.Rule {
	return []rules.Rule{rules.Of("B101", descriptionCut), rules.Of("B102", longTexts), rules.Of("B103", largeSchema), eachPrompt("B201", promptGrows), eachPrompt("B202", promptCut)}
}

func descriptionCut(c *rules.Change) []rules.Finding {
	t := c.Judged()
	if t == nil || t.Kind != registry.ActionTool {
		return nil
	}
	if n := utf8.RuneCountInString(t.Description); n > prompt.DescriptionLimit {
		return []rules.Finding{{Path: "definition.description", Message: fmt.Sprintf("The description has %d characters; some clients truncate it to %d.", n, prompt.DescriptionLimit)}}
	}
	return nil
}

func longTexts(c *rules.Change) []rules.Finding {
	t := c.Judged()
	if t == nil || t.Kind != registry.PromptTool {
		return nil
	}
	n := 0
	for _, text := range []string{t.UsageNotes, t.Goals, t.Guardrails, t.Prompt} {
		n += utf8.RuneCountInString(text)
	}
	if n <= ManyCharacters {
		return nil
	}
	return []rules.Finding{{Path: "definition.prompt", Message: fmt.Sprintf("The texts that this tool adds to a prompt have %d characters in total; at most %d are recommended.", n, ManyCharacters)}}
}

func largeSchema(c *rules.Change) []rules.Finding {
	t := c.Judged()
	if t == nil || t.DeferLoading || len(t.InputSchema) <= ManyBytes {
		return nil
	}
	return []rules.Finding{{Path: "definition.inputSchema", Message: fmt.Sprintf("The input schema has %d bytes; at most %d are recommended.", len(t.InputSchema), ManyBytes)}}
}

func promptGrows(p rules.PromptCost) string {
	if p.Before == 0 || p.After-p.Before <= PromptGrowth {
		return ""
	}
	return fmt.Sprintf("grows by %d tokens, from %d to %d", p.After-p.Before, p.Before, p.After)
}

func promptCut(p rules.PromptCost) string {
	if !p.Cut {
		return ""
	}
	return "would be cut off before its end"
}

// eachPrompt returns a rule that checks each changed prompt with complain. For a prompt that causes
// a finding, complain returns the end of the sentence "The prompt of AGENT for CHANNEL …". For any
// other prompt, it returns "".
func eachPrompt(id string, complain func(rules.PromptCost) string) rules.Rule {
	return rules.Of(id, func(c *rules.Change) []rules.Finding {
		var found []rules.Finding
		for _, p := range c.Prompts {
			clause := complain(p)
			if clause == "" || len(found) == rules.MaxPerText {
				continue
			}
			found = append(found, rules.Finding{
				Path: "definition", Passage: p.Agent.String() + "#" + p.Channel,
				Message: fmt.Sprintf("The prompt of %s for %s %s.", jsondoc.Printable(p.Agent.String()), jsondoc.Printable(p.Channel), clause),
			})
		}
		return found
	})
}
