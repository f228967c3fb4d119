package rules

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"toolcrib/prompt"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review/rules/rulebook"
)

// Example is a change that documents and tests a rule. Live are definitions that are
// live when it is checked.
type Example struct {
	Draft   proposals.Draft
	Live    []registry.Live
	Prompts []PromptCost
	Twins   []Twin
}

// exampled is a rule with the examples that its block describes.
type exampled struct {
	Rule
	bad, good Example
}

// ruled is a rule, with its examples or without.
type ruled interface{ itself() Rule }

func (r Rule) itself() Rule { return r }

// everyRule returns every rule with its examples.
var everyRule = sync.OnceValue(func() []exampled {
	var list []exampled
	for _, r := range All() {
		list = append(list, exemplified(r))
	}
	return list
})

// family returns the rules whose ids begin with a letter.
func family(letter string) []exampled {
	return slices.DeleteFunc(slices.Clone(everyRule()), func(r exampled) bool { return r.Family() != letter })
}

func exemplified(r Rule) exampled {
	if f, ok := forms()[r.ID]; ok {
		bad, good := built(r.ID)
		return exampled{r, exampleOf(f.Bad, bad), exampleOf(f.Good, good)}
	}
	for i := range attacks() {
		if a := &attacks()[i]; a.ID == r.ID {
			return exampled{r, example(a.Bad[0]), example(a.Good[0])}
		}
	}
	return exampled{Rule: r}
}

// built makes the examples that are too large or too special for a data file.
func built(id string) (bad, good Example) {
	described := func(n int) Example {
		d := action("get_invoices")
		d.Definition.Tool.Description = sentencesOf(n)
		return Example{Draft: d}
	}
	prompted := func(n int) Example {
		d := sample()
		d.Definition.Tool.Prompt = sentencesOf(n)
		return Example{Draft: d}
	}
	accepts := func(n int) Example {
		return Example{Draft: accepting("get_invoices", `{"properties":{"id":{"description":"`+sentencesOf(n)+`","type":"string"}},"type":"object"}`)}
	}
	switch id {
	case "B101":
		return described(3_000), described(1_000)
	case "B102":
		return prompted(20_000), prompted(8_000)
	case "B103":
		return accepts(20_000), accepts(4_000)
	case "B201":
		return costing(7_000, false), costing(4_300, false)
	case "B202":
		return costing(4_000_000, true), costing(4_300, false)
	case "O105":
		rejected := Twin{Name: "#4 (tool:user/pace_checker)", Tool: renamed("pace_checker").Definition.Tool, Rejected: true, Reason: "The editors do this by hand."}
		return Example{Draft: sample(), Twins: []Twin{rejected}}, Example{}
	}
	return Example{}, Example{}
}

// costing is a change by which a prompt of 4,000 tokens comes to have others.
func costing(after int, cut bool) Example {
	agent := registry.Subject{Kind: registry.KindAgent, Layer: registry.LayerGlobal, ID: "assistant"}
	return Example{Draft: sample(), Prompts: []PromptCost{{Agent: agent, Channel: prompt.Web, Before: 4_000, After: after, Cut: cut}}}
}

// sentencesOf returns a text of n characters.
func sentencesOf(n int) string {
	const one = "Returns the invoices of the current customer. "
	return strings.Repeat(one, n/len(one)+1)[:n]
}

func renamed(id string) proposals.Draft {
	d := sample()
	d.Subject.ID, d.Definition.Tool.ID = id, id
	return d
}

// accepting is an action tool of our own that takes what the schema says.
func accepting(id, schema string) proposals.Draft {
	d := action(id)
	d.Definition.Tool.InputSchema = []byte(schema)
	return d
}

// fromServer is an action tool that an MCP server calls name.
func fromServer(id, name string) proposals.Draft {
	d := action(id)
	d.Definition.Tool.Provider = &registry.Provider{Type: registry.ProviderMCP, Server: "billing", Name: name}
	return d
}

// example makes an Example of a text: a sentence, which is put into the
// description of a tool that has nothing to do with it; a whole action tool as
// "name :: description :: parameter=description :: …", with a default after
// " || "; or a prompt after
// "prompt :: ".
func example(text string) Example {
	parts := strings.Split(text, " :: ")
	switch {
	case len(parts) == 1:
		parts = []string{"opening_hours", "Shows the opening hours of a shop. " + text}
	case parts[0] == "prompt":
		d := sample()
		d.Definition.Tool.Prompt += "\n\n" + parts[1]
		return Example{Draft: d}
	}
	d := action(parts[0])
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
		panic(err) // strings marshal
	}
	tool.InputSchema = schema
	return Example{Draft: d}
}

// exampleOf makes an example from a sample of a data file, or from built, where the
// sample only names the example that Go code builds.
func exampleOf(s rulebook.Sample, built Example) Example {
	var e Example
	switch {
	case s.Built:
		e = built
	case s.Text != "":
		e = example(s.Text)
	default:
		e.Draft = patched(rulebook.Patched{Of: s.Of, Draft: s.Draft})
		for _, l := range s.Live {
			d := patched(l)
			e.Live = append(e.Live, registry.Live{Subject: d.Subject, Version: 1, Definition: d.Definition})
		}
	}
	return e
}

// patched returns the proposal of a file of samples with a merge patch applied.
func patched(p rulebook.Patched) proposals.Draft {
	d, err := patch(p)
	if err != nil {
		panic(fmt.Sprintf("rules: the sample %s: %v", p.Draft, err)) // the blocks are embedded; a test reads them
	}
	return d
}

func patch(p rulebook.Patched) (proposals.Draft, error) {
	of := p.Of
	if of == "" {
		of = "prompt"
	}
	raw, err := os.ReadFile("rulebook/samples/" + of + ".json")
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

// merged applies a JSON merge patch (RFC 7386).
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
