package intake

import (
	"fmt"
	"strings"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
)

// generated tells the reviewer that the examples prove nothing.
const generated = "The examples and test cases were generated from the definition: they show the form of a call, and none has been run."

// draft makes a proposal that can be submitted.
func (p *planner) draft(kind proposals.Type, s registry.Subject, base int, t registry.Tool, rationale string) *proposals.Draft {
	return &proposals.Draft{
		Type: kind, Subject: s, BaseVersion: &base, Definition: registry.Definition{Tool: &t}, Rationale: rationale + " " + generated,
		Examples: examples(t), TestCases: testCases(t), ChangeSet: p.origin.Set,
	}
}

// definitionDraft is draft for what an export of toolcrib holds.
func (p *planner) definitionDraft(kind proposals.Type, s registry.Subject, base int, d registry.Definition) *proposals.Draft {
	rationale := fmt.Sprintf("It is so in an export of toolcrib (%s), and not here.", p.origin.Label)
	if d.Tool != nil {
		return p.draft(kind, s, base, *d.Tool, rationale)
	}
	return &proposals.Draft{
		Type: kind, Subject: s, BaseVersion: &base, Definition: d, Rationale: rationale + " " + generated,
		Examples: holderExamples(s.ID), TestCases: agentTestCases(), ChangeSet: p.origin.Set,
	}
}

// origin names the place a document came from, for people.
func (p *planner) place() string {
	if p.format == wire.MCP {
		return "the MCP server " + p.origin.Label
	}
	return "the list " + p.origin.Label + " (" + string(p.format) + ")"
}

func (p *planner) whyNew(it wire.Item) string {
	why := fmt.Sprintf("Imported from %s, where it is called %s.", p.place(), jsondoc.Quote(it.Name))
	if p.format == wire.MCP {
		why += " Its description and its hints are the server's claims."
	}
	return why + " It requires approval for each call unless you change its tier."
}

func (p *planner) whyModified(it wire.Item, before, after registry.Tool) string {
	changed := differing(before, after)
	if len(changed) == 1 && changed[0] == "source" {
		return fmt.Sprintf("%s has changed %s since its approval, in keys that toolcrib does not read; models see the same as before.", sentenceCase(p.place()), jsondoc.Quote(it.Name))
	}
	return fmt.Sprintf("%s has another definition of %s than the live one: %s.", sentenceCase(p.place()), jsondoc.Quote(it.Name), strings.Join(changed, ", "))
}

func (p *planner) whyGone(name string) string {
	return fmt.Sprintf("%s does not list %s any more.", sentenceCase(p.place()), jsondoc.Quote(name))
}

func (p *planner) whyBack(name string) string {
	return fmt.Sprintf("%s lists %s again, as it was.", sentenceCase(p.place()), jsondoc.Quote(name))
}

func sentenceCase(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// differing names the keys in which two definitions differ.
func differing(before, after registry.Tool) []string {
	a, b := members(before), members(after)
	var keys []string
	for _, key := range (registry.Definition{Tool: &after}).Keys() {
		if a[key] != b[key] {
			keys = append(keys, key)
		}
	}
	return keys
}

// members returns the values of a definition in canonical form by key.
func members(t registry.Tool) map[string]string {
	n, err := jsondoc.FromValue(t)
	if err != nil {
		panic(fmt.Sprintf("intake: a decoded tool does not marshal: %v", err))
	}
	values := map[string]string{}
	for _, m := range n.Members {
		values[m.Key] = string(jsondoc.Canonical(m.Value))
	}
	return values
}
