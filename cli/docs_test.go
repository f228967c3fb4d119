package cli

import (
	"flag"
	"os"
	"strings"
	"testing"

	"toolcrib/cli/lint"
	"toolcrib/review/rules/ruleset"
)

var updateDocs = flag.Bool("update-docs", false, "write the generated parts of docs/")

const (
	beginGenerated = "<!-- The rest is printed by `toolcrib rules --markdown`. -->\n\n"
	rulesDoc       = "../docs/rules.md"
)

// TestRulesDocument holds the generated part of docs/rules.md against the
// rules.
func TestRulesDocument(t *testing.T) {
	text, err := os.ReadFile(rulesDoc)
	if err != nil {
		t.Fatal(err)
	}
	head, generated, ok := strings.Cut(string(text), beginGenerated)
	if !ok {
		t.Fatalf("%s lacks the line before its generated part", rulesDoc)
	}
	want := lint.RulesMarkdown() + "\n"
	if generated == want {
		return
	}
	if !*updateDocs {
		t.Fatalf("%s is not what the rules say; run: go test ./cli -run RulesDocument -update-docs", rulesDoc)
	}
	if err := os.WriteFile(rulesDoc, []byte(head+beginGenerated+want), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestFamiliesAreDocumented sees to it that no rule is left out.
func TestFamiliesAreDocumented(t *testing.T) {
	want, got := len(ruleset.All()), strings.Count(lint.RulesMarkdown(), "\n### ")
	if got != want {
		t.Errorf("%d of %d rules are documented; a family is missing", got, want)
	}
	for _, r := range ruleset.All() { // SARIF leads there, and the index does
		if at := strings.ToLower(r.ID); !strings.Contains(lint.RulesMarkdown(), "](#"+at+")") || !strings.Contains(lint.RulesMarkdown(), `<a id="`+at+`"></a>`) {
			t.Errorf("%s has no entry in the index, or no anchor", r.ID)
		}
	}
}
