package tui_test

import (
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/review/rules/ruleset"
)

func TestHelpFindsKeys(t *testing.T) {
	b := newWorkbench(t, 100, 60, demo("name_bank.json"))
	b.press("enter", "?", "/").write("waive")
	b.wants("Waive the selected finding")
	b.press("esc")
	b.wants("Copy the proposal's number", "▎Help")
	b.press("esc")
	b.wants("▎Overview")
	if b.press("?", "/").write("copy the proposal's number").press("enter"); !strings.Contains(b.screen(), "Copied #1 ") {
		t.Errorf("what is found is not done:\n%s", b.screen())
	}
}

// TestFuzzySearch checks that matches of letters in order follow matches of the text, among the keys and in the
// filter. It then copies the number of a proposal and the command that shows it (T50).
func TestFuzzySearch(t *testing.T) {
	b := newWorkbench(t, 100, 30, demo("name_bank.json", "word_counts.json"))
	b.press(":").write("nxwt")
	b.wants("▌ .", "Open the next proposal that waits")
	b.press("esc", "/").write("wcnt")
	b.wants("▌ get_word_counts")
	b.press("tab", "enter").wants("1 of 1", "get_word_counts")
	b.press("y").wants("Copied #2")
	b.press("y").wants("Copied toolcrib show 2")
}

// TestRulesAreExplained opens the help for the selected finding.
func TestRulesAreExplained(t *testing.T) {
	b := newFake(t, "S101", 100, 60)
	b.press("enter", "3", "?")
	r := ruleset.All()[ruleIndex(t, "S101")]
	b.wants("Rule S101  "+r.Name, "✗ bad", "✓ good", "can be waived", "Approve the proposal and make it live")
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

// TestKeyOfAnotherPage checks that the message about an unavailable key names the page where it works (T48).
func TestKeyOfAnotherPage(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newWorkbench(t, 120, 40, demo("name_bank.json"))
	b.press("W").wants("W is a key of the page ")
}
