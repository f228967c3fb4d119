// This file runs rules on examples, and builds changes for tests that need no example.

package rulestest

import (
	"encoding/json"
	"strings"
	"testing"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review/reach/fact"
	"toolcrib/review/rules"
)

// Check returns the findings that r reports for e.
func Check(t *testing.T, r rules.Rule, e Example) []rules.Finding {
	t.Helper()
	c := &rules.Change{Draft: e.Draft, World: rules.Memory(e.Live), Prompts: e.Prompts, Twins: e.Twins, Reach: fact.Decisions{Warn: []string{"out:*.warned.example"}}}
	for i, l := range e.Live {
		if l.Subject == e.Draft.Subject {
			c.Before = &e.Live[i]
		}
	}
	found, err := r.Check(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// Messages runs all rules in list on the example e, and returns each finding as "ID: message".
func Messages(t *testing.T, list []rules.Rule, e Example) (all []string) {
	t.Helper()
	for _, r := range list {
		for _, f := range Check(t, r, e) {
			all = append(all, r.ID+": "+f.Message)
		}
	}
	return all
}

// Paths runs all rules in list on the example e, and returns each finding as "ID path".
func Paths(t *testing.T, list []rules.Rule, e Example) (all []string) {
	t.Helper()
	for _, r := range list {
		for _, f := range Check(t, r, e) {
			all = append(all, r.ID+" "+f.Path)
		}
	}
	return all
}

// PromptChange returns a change that proposes Sample with the given prompt.
func PromptChange(prompt string) *rules.Change {
	d := Sample()
	d.Definition.Tool.Prompt = prompt
	return &rules.Change{Draft: d}
}

// ToolChange returns a change that proposes an action tool with the given name, description, and
// parameters. Each parameter has the form "name=description".
func ToolChange(name, description string, params ...string) *rules.Change {
	properties := map[string]any{}
	for _, p := range params {
		key, text, _ := strings.Cut(p, "=")
		properties[key] = map[string]string{"type": "string", "description": text}
	}
	schema, err := json.Marshal(map[string]any{"type": "object", "properties": properties})
	if err != nil {
		panic(err)
	}
	return &rules.Change{Draft: proposals.Draft{
		Type: proposals.New,
		Definition: registry.Definition{Tool: &registry.Tool{
			ID: name, Kind: registry.ActionTool, Name: name, Description: description, InputSchema: schema,
		}},
	}}
}

// LongPrompt returns a benign text of the given length in bytes.
func LongPrompt(size int) string {
	const page = "Read the whole scene before you judge it. Name each passage that drags, quote the line, and say what it would take to " +
		"tighten it. The user may ask for a summary; give one of at most five sentences.\n\n- Keep to what stands on the page.\n" +
		"- When a passage depends on an earlier chapter, ask for it.\n- Do not rewrite; the author decides.\n\nIf the file cannot be read, say so and stop. "
	return strings.Repeat(page, size/len(page)+1)[:size]
}
