package agents

import (
	"testing"

	"toolcrib/registry"
	"toolcrib/review/rules"
	"toolcrib/review/rules/rulestest"
)

// TestRetiredNamesElsewhere checks that files of coding agents may use retired names (R32).
func TestRetiredNamesElsewhere(t *testing.T) {
	d := rulestest.Sample()
	d.Definition.Tool = nil
	d.Definition.Instructions = &registry.Folder{Files: map[string]registry.File{"AGENTS.md": {Text: "First `recall`, then gmail_search.\n"}}}
	if found := rulestest.Check(t, rules.Of("A107", checkRetiredMention), rulestest.Example{Draft: d}); len(found) > 0 {
		t.Errorf("%+v", found)
	}
}

func TestARetiredNameIsToldWithItsSuccessor(t *testing.T) {
	d := rulestest.Sample()
	d.Definition.Tool.Prompt = "First `recall`, then gmail_search,\nthen email_digest."
	found := rulestest.Check(t, rules.Of("A107", checkRetiredMention), rulestest.Example{Draft: d})
	want := []string{
		"recall is a retired name; its successor is search_memories.",
		"gmail_search is a retired name; its successor is search_gmail.",
		"email_digest is a retired name without a successor.",
	}
	if len(found) != len(want) {
		t.Fatalf("found %+v", found)
	}
	for i, f := range found {
		if f.Message != want[i] || f.Path != "definition.prompt" {
			t.Errorf("%+v, want %s", f, want[i])
		}
	}
	if found[2].Line != 2 || found[2].Column != 6 {
		t.Errorf("it stands at line %d, column %d", found[2].Line, found[2].Column)
	}
}
