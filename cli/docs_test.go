package cli

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"toolcrib/cli/output"
	"toolcrib/internal/generated"
	"toolcrib/review/rules"
	"toolcrib/review/rules/ruleset"
)

const (
	beginGenerated = "<!-- `make generate` writes the rest. -->\n\n"
	rulesDoc       = "../docs/rules.md"
)

// TestRulesDocument compares the generated part of docs/rules.md with the rules.
func TestRulesDocument(t *testing.T) {
	text, err := os.ReadFile(rulesDoc)
	if err != nil {
		t.Fatal(err)
	}
	head, _, ok := strings.Cut(string(text), beginGenerated)
	if !ok {
		t.Fatalf("%s lacks the line before its generated part", rulesDoc)
	}
	generated.Check(t, rulesDoc, []byte(head+beginGenerated+rulesMarkdown()+"\n"))
}

// TestFamiliesAreDocumented checks that all rules are documented.
func TestFamiliesAreDocumented(t *testing.T) {
	want, got := len(ruleset.All()), strings.Count(rulesMarkdown(), "\n### ")
	if got != want {
		t.Errorf("%d of %d rules are documented; a family is missing", got, want)
	}
	for _, r := range ruleset.All() { // SARIF and the index link to these
		if at := strings.ToLower(r.ID); !strings.Contains(rulesMarkdown(), "](#"+at+")") || !strings.Contains(rulesMarkdown(), `<a id="`+at+`"></a>`) {
			t.Errorf("%s has no entry in the index, or no anchor", r.ID)
		}
	}
}

// ruleFamilies lists the letter of each rule family, its title, and the question that it answers.
var ruleFamilies = []struct{ letter, title, about string }{
	{"T", "Template", "Is the proposal complete?"},
	{"N", "Names", "Is the name descriptive, consistent with other names, and unused?"},
	{"L", "Lock", "Does the change affect a core tool?"},
	{"S", "Security", "Could the text turn an agent against its user?"},
	{"P", "Protocol", "Does the text violate the call protocol, or the requirement of evidence?"},
	{"O", "Overlap", "Does the tool duplicate another tool?"},
	{"D", "Data", "Are the schemas valid, and do they follow the conventions?"},
	{"R", "Registry", "Does the change loosen earlier decisions?"},
	{"A", "Agent", "Do the soul and the template of an agent follow their conventions?"},
	{"B", "Budget", "How does the change affect the cost of every prompt?"},
	{"F", "Files", "Which programs, permissions, and hidden parts do skills and instruction files contain?"},
}

// rulesMarkdown returns the rule catalog in the format of docs/rules.md: an index, and a
// section for each rule with its id in lower case as the anchor.
func rulesMarkdown() string {
	var index, sections strings.Builder
	index.WriteString("## Rules\n\n| family | rules |\n|---|---|\n")
	all := ruleset.All()
	for _, f := range ruleFamilies {
		var links []string
		for _, r := range all {
			if r.Family() != f.letter {
				continue
			}
			if len(links) == 0 {
				fmt.Fprintf(&sections, "## %s: %s\n\n%s\n\n", f.letter, f.title, f.about)
			}
			links = append(links, fmt.Sprintf("[%s %s](#%s)", r.ID, r.Name, anchor(r)))
			writeRuleMarkdown(&sections, r)
		}
		if len(links) > 0 {
			fmt.Fprintf(&index, "| **%s** %s | %s |\n", f.letter, f.title, strings.Join(links, ", "))
		}
	}
	return index.String() + "\n" + strings.TrimSuffix(sections.String(), "\n")
}

// anchor returns the HTML anchor of a rule's section.
func anchor(r rules.Rule) string { return strings.ToLower(r.ID) }

func writeRuleMarkdown(b *strings.Builder, r rules.Rule) {
	nature := "; cannot be waived"
	switch {
	case r.Locked:
		nature = "; always on"
	case r.Waivable:
		nature = ""
	}
	fmt.Fprintf(b, "<a id=%q></a>\n\n### %s %s: %s%s\n\n%s\n\n", anchor(r), r.ID, r.Name, r.Severity, nature, r.Doc)
	fmt.Fprintf(b, "* Bad: %s\n* Good: %s\n", oneLine(r.Bad), oneLine(r.Good))
	if r.Suggestion != "" {
		fmt.Fprintf(b, "* Fix: %s\n", oneLine(r.Suggestion))
	}
	if r.Importer != "" {
		fmt.Fprintf(b, "* %s\n", oneLine(rules.Importing(r.Importer)))
	}
	b.WriteByte('\n')
}

// oneLine joins the lines of an example and shows its hidden characters.
func oneLine(s string) string { return output.Safe(strings.ReplaceAll(s, "\n", " ")) }
