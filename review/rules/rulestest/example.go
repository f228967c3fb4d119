// Package rulestest builds proposals for tests of rules.
package rulestest

import (
	"embed"
	"encoding/json"
	"fmt"
	"strings"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review/rules"
	"toolcrib/review/rules/rulebook"
)

//go:embed samples
var samples embed.FS

// Example is a change that documents and tests a rule. Live contains the definitions that are
// already live.
type Example struct {
	Draft   proposals.Draft
	Live    []registry.Live
	Prompts []rules.PromptCost
	Twins   []rules.Twin
}

// Renamed returns Sample with the given id.
func Renamed(id string) proposals.Draft {
	d := Sample()
	d.Subject.ID, d.Definition.Tool.ID = id, id
	return d
}

// Accepting returns a proposal of an action tool, which is not imported, with the given input
// schema.
func Accepting(id, schema string) proposals.Draft {
	d := Action(id)
	d.Definition.Tool.InputSchema = []byte(schema)
	return d
}

// FromServer returns a proposal of an action tool with the given id, which is imported from an MCP
// server. name is the name of the tool on the server.
func FromServer(id, name string) proposals.Draft {
	d := Action(id)
	d.Definition.Tool.Provider = &registry.Provider{Type: registry.ProviderMCP, Server: "billing", Name: name}
	return d
}

// OfText converts a text to an Example. The text has one of three forms. "prompt :: text" is a
// prompt. "name :: description :: parameter=description :: …" is a whole action tool; a parameter
// may end with " || " and a default. Any other text is a sentence, which OfText adds to the
// description of an unrelated tool.
func OfText(text string) Example {
	parts := strings.Split(text, " :: ")
	switch {
	case len(parts) == 1:
		parts = []string{"opening_hours", "Shows the opening hours of a shop. " + text}
	case parts[0] == "prompt":
		d := Sample()
		d.Definition.Tool.Prompt += "\n\n" + parts[1]
		return Example{Draft: d}
	}
	d := Action(parts[0])
	tool := d.Definition.Tool
	tool.Name, tool.Description = parts[0], parts[1]
	properties := map[string]map[string]string{}
	for _, p := range parts[2:] {
		name, says, _ := strings.Cut(p, "=")
		says, value, fixed := strings.Cut(says, " || ")
		properties[name] = map[string]string{"type": "string", "description": says}
		if fixed {
			properties[name]["default"] = value
		}
	}
	schema, err := json.Marshal(map[string]any{"type": "object", "properties": properties})
	if err != nil {
		panic(err) // strings can always be marshaled
	}
	tool.InputSchema = schema
	return Example{Draft: d}
}

// ExampleOf converts a sample of a rule file to an example. For a sample that is built in Go, it
// returns the given example.
func ExampleOf(s rulebook.Sample, built Example) Example {
	var e Example
	switch {
	case s.Built:
		e = built
	case s.Text != "":
		e = OfText(s.Text)
	default:
		e.Draft = Patched(rulebook.Patched{Of: s.Of, Draft: s.Draft})
		for _, l := range s.Live {
			d := Patched(l)
			e.Live = append(e.Live, registry.Live{Subject: d.Subject, Version: 1, Definition: d.Definition})
		}
	}
	return e
}

// Patched is like Patch, but panics if the result is not a valid proposal.
func Patched(p rulebook.Patched) proposals.Draft {
	d, err := Patch(p)
	if err != nil {
		panic(fmt.Sprintf("rules: the sample %s: %v", p.Draft, err)) // the blocks are embedded and covered by a test
	}
	return d
}

// Patch applies the merge patch p.Draft to the sample p.Of and returns the result.
func Patch(p rulebook.Patched) (proposals.Draft, error) {
	of := p.Of
	if of == "" {
		of = "prompt"
	}
	raw, err := samples.ReadFile("samples/" + of + ".json")
	if err != nil {
		return proposals.Draft{}, err
	}
	var base, change any
	if err := json.Unmarshal(raw, &base); err != nil {
		return proposals.Draft{}, err
	}
	if p.Draft != "" {
		if err := json.Unmarshal([]byte(p.Draft), &change); err != nil {
			return proposals.Draft{}, err
		}
		base = merged(base, change)
	}
	if raw, err = json.Marshal(base); err != nil {
		return proposals.Draft{}, err
	}
	parsed, err := proposals.DecodeJSON(raw)
	if err != nil || len(parsed) != 1 {
		return proposals.Draft{}, fmt.Errorf("no proposal: %w", err)
	}
	return parsed[0].Draft, nil
}

// merged applies a JSON merge patch (RFC 7386) to value and returns the result. It may modify
// value.
func merged(value, change any) any {
	fields, ok := change.(map[string]any)
	if !ok {
		return change
	}
	object, ok := value.(map[string]any)
	if !ok {
		object = map[string]any{}
	}
	for key, c := range fields {
		if c == nil {
			delete(object, key)
			continue
		}
		object[key] = merged(object[key], c)
	}
	return object
}
