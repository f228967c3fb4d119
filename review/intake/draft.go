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
func (o Origin) draft(kind proposals.Type, s registry.Subject, base int, d registry.Definition, rationale string) *proposals.Draft {
	draft := &proposals.Draft{
		Type: kind, Subject: s, BaseVersion: &base, Definition: d, Rationale: rationale + " " + generated, ChangeSet: o.Set,
		Examples: holderExamples(s.ID), TestCases: agentTestCases(),
	}
	if d.Tool != nil {
		draft.Examples, draft.TestCases = examples(*d.Tool), testCases(*d.Tool)
	}
	return draft
}

// place names the place a document came from, for people.
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
