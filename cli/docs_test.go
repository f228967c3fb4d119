package cli

import (
	"os"
	"strings"
	"testing"

	"toolcrib/cli/lint"
	"toolcrib/internal/generated"
	"toolcrib/review/rules/ruleset"
)

const (
	beginGenerated = "<!-- The rest is printed by `toolcrib rules --markdown`. -->\n\n"
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
	generated.Check(t, rulesDoc, []byte(head+beginGenerated+lint.RulesMarkdown()+"\n"))
}

// TestFamiliesAreDocumented checks that all rules are documented.
func TestFamiliesAreDocumented(t *testing.T) {
	want, got := len(ruleset.All()), strings.Count(lint.RulesMarkdown(), "\n### ")
	if got != want {
		t.Errorf("%d of %d rules are documented; a family is missing", got, want)
	}
	for _, r := range ruleset.All() { // SARIF and the index link to these
		if at := strings.ToLower(r.ID); !strings.Contains(lint.RulesMarkdown(), "](#"+at+")") || !strings.Contains(lint.RulesMarkdown(), `<a id="`+at+`"></a>`) {
			t.Errorf("%s has no entry in the index, or no anchor", r.ID)
		}
	}
}
