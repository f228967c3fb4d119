package tui_test

import (
	"strings"
	"testing"

	"toolcrib/review/rules/ruleset"
)

func TestHelpFindsKeys(t *testing.T) {
	b := newBench(t, 100, 40, demo("name_bank.json"))
	b.press("enter", "?", "/").write("waive")
	b.wants("Waive the selected finding", "(off now: ")
	if s := b.screen(); strings.Contains(s, "Copy the id") {
		t.Errorf("the filter leaves other keys:\n%s", s)
	}
	b.press("enter", "esc")
	b.wants("Copy the id", "▎Help")
	b.press("esc")
	b.wants("▎Overview")
}

// TestRulesAreExplained asks for help about the selected finding.
func TestRulesAreExplained(t *testing.T) {
	b := newFake(t, "S101", 100, 60)
	b.press("enter", "3", "?")
	r := ruleset.All()[ruleIndex(t, "S101")]
	b.wants("Rule S101  "+r.Name, "✗ bad", "✓ good", "can be waived", "Approve it and make it live")
	b.press("?")
	b.wants("▎Assessment")
}

func ruleIndex(t *testing.T, id string) int {
	t.Helper()
	for i, r := range ruleset.All() {
		if r.ID == id {
			return i
		}
	}
	t.Fatalf("there is no rule %s", id)
	return 0
}
