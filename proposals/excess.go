package proposals

import (
	"strings"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// MaxDraft is the longest draft that is kept, in bytes of canonical JSON: several
// of the longest texts that a definition can have.
const MaxDraft = 4 << 20

// Excess returns the fields that are too long even for a draft, each with its path:
// a draft may lack fields, but it is stored permanently, and lists show its name and
// its change set to everybody. It is nil for a draft that can be stored.
func (d Draft) Excess() Problems {
	var c template
	name := d.Definition.Name()
	if message := checkLength(name, registry.MaxName); message != "" {
		c.add(RuleDefinition, "definition.name", "%s", message)
	}
	if strings.IndexByte(name, 0) >= 0 {
		c.add(RuleDefinition, "definition.name", "contains a NUL character; remove it")
	}
	c.changeSet(d)
	c.length(RuleRationale, "rationale", d.Rationale, MaxRationale)
	if n := len(d.Examples); n > MaxExamples {
		c.add(RuleExamples, "examples", "has %d; the limit is %d", n, MaxExamples)
	}
	for i, text := range d.Examples[:min(len(d.Examples), MaxExamples)] {
		c.length(RuleExamples, jsondoc.Index("examples", i), text, MaxExample)
	}
	if n := len(d.TestCases); n > MaxTestCases {
		c.add(RuleTestCases, "testCases", "has %d; the limit is %d", n, MaxTestCases)
	}
	if n := len(d.Canonical()); n > MaxDraft {
		c.add(RuleSubject, jsondoc.Root, "has %d bytes as JSON; the limit is %d", n, MaxDraft)
	}
	return c.problems
}
