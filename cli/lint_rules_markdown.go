package cli

import (
	"fmt"
	"strings"

	"toolcrib/review/rules"
	"toolcrib/review/rules/ruleset"
)

// families lists the rule families by letter, with the question that each answers.
var families = []struct{ letter, title, about string }{
	{"T", "Template", "Is everything there that a reviewer needs?"},
	{"N", "Names", "Does the name say what the tool does, as all the others do, and is it free?"},
	{"L", "Lock", "Is a core tool touched?"},
	{"S", "Security", "Could the text turn an agent against its user?"},
	{"P", "Protocol", "Does the text break the form of a call, or the duty to prove?"},
	{"O", "Overlap", "Is there such a tool already?"},
	{"D", "Data", "Are the schemas sound, and do they follow the conventions?"},
	{"R", "Registry", "Does the change loosen what was decided before?"},
	{"A", "Agent", "Are the soul and the template of an agent what they should be?"},
	{"B", "Budget", "What does the change cost in every prompt?"},
}

// rulesMarkdown returns the rule catalog in the format of docs/rules.md.
func rulesMarkdown() string {
	var b strings.Builder
	all := ruleset.All()
	for _, f := range families {
		first := true
		for _, r := range all {
			if r.Family() != f.letter {
				continue
			}
			if first {
				fmt.Fprintf(&b, "## %s: %s\n\n%s\n\n", f.letter, f.title, f.about)
				first = false
			}
			writeRuleMarkdown(&b, r)
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func writeRuleMarkdown(b *strings.Builder, r rules.Rule) {
	nature := "; cannot be waived"
	switch {
	case r.Locked:
		nature = "; always on"
	case r.Waivable:
		nature = ""
	}
	fmt.Fprintf(b, "### %s %s: %s%s\n\n%s\n\n", r.ID, r.Name, r.Severity, nature, r.Doc)
	fmt.Fprintf(b, "* Bad: %s\n* Good: %s\n", oneLine(r.Bad), oneLine(r.Good))
	if r.Suggestion != "" {
		fmt.Fprintf(b, "* Fix: %s\n", oneLine(r.Suggestion))
	}
	b.WriteByte('\n')
}

// oneLine makes an example fit a line of Markdown, its hidden characters
// visible.
func oneLine(s string) string { return safe(strings.ReplaceAll(s, "\n", " ")) }
