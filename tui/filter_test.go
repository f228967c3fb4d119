package tui_test

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"toolcrib/internal/shortrun"
	"toolcrib/tui"
)

// TestFilterSuggestsCompletions types a filter with completions (T5).
func TestFilterSuggestsCompletions(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newWorkbench(t, 120, 30, demo("name_bank.json", "viewpoint_keeper.md", "word_counts.json"), assessed)
	b.press("/")
	b.wants("text, #17, agent:, author:", "tab complete")
	b.write("ru")
	b.wants(" rule:")
	b.press("tab").write("x")
	b.wants(`"x" is not the id of a rule`)
	b.press("backspace").write("X101").press("enter")
	b.wants("1 of 1", "name_bank")
	if screen := b.screen(); strings.Contains(screen, "viewpoint_keeper") {
		t.Errorf("without the rule:\n%s", screen)
	}
	b.press("esc", "/").write("state:us").press("tab").write("-tool:vie").press("down", "tab")
	b.wants("state:user_review -tool:viewpoint_keeper")
	b.press("enter")
	b.wants("name_bank")
	if screen := b.screen(); strings.Contains(screen, "#2 ") {
		t.Errorf("the negated one is listed:\n%s", screen)
	}
	b.press("esc", "/").write("bad:").press("enter")
	b.wants(`column 1: unknown "bad:"`)

	// a number opens its proposal from the list
	b.press("esc", "/").write("#2").press("enter")
	b.wants("Queue › #2", "viewpoint_keeper")
	b.press("esc")
	b.wants("name_bank", "viewpoint_keeper")

	// the current filter is selected and replaced by typed text
	b.press("/").write("view").press("enter", "/").write("bank").press("enter")
	b.wants("name_bank", "1 of 1")
	b.press("/", "right").write(" view").press("enter")
	b.wants("No match")

	// also if the selected filter fills the line
	long := tea.PasteMsg{Content: strings.Repeat("x", 1000)}
	b.press("esc", "/")
	b.send(long)
	b.press("enter", "/").write("view").press("enter")
	b.wants("viewpoint_keeper", "1 of 1")
	b.press("esc", "/")
	b.send(long)
	b.press("enter", "/")
	b.send(tea.PasteMsg{Content: "bank"})
	b.press("enter").wants("name_bank", "1 of 1")
}

// TestHostileFilter checks that typed text and completions are sanitized.
func TestHostileFilter(t *testing.T) {
	b := newWorkbench(t, 80, 20, demo("name_bank.json"))
	b.press("/").write("set:\u202e\x1b[2J\U000e0041")
	if screen := b.m.View().Content; strings.ContainsAny(screen, "\u202e\U000e0041") || strings.Contains(screen, "\x1b[2J") {
		t.Errorf("%q", screen)
	}
}

// TestViewsAreTabs checks that a view lists the matches of its filter (T5, T21).
func TestViewsAreTabs(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newWorkbench(t, 120, 30, demo("name_bank.json", "viewpoint_keeper.md"), assessed)
	b.config.Views = []tui.View{{Name: "Blocked \u202eones", Filter: "blocked"}, {Name: "None", Filter: "rule:S999"}}
	b.m = tui.New(b.config)
	b.m.Prime(120, 30)
	b.drain(b.m.Init())
	b.wants("Your turn 2", "Blocked ⟨U+202E⟩ones", "None")
	b.press("shift+tab")
	b.wants("Nothing matches this view: rule:S999")
	b.press("shift+tab")
	b.wants("name_bank", "1 of 1")
	b.press("/").write("view").press("enter")
	b.wants("No match")
	b.press("esc")
	b.wants("name_bank")
}

// TestFilterNamesAState checks that a filter with a state applies to all states, and that the tab returns afterwards
// (T5).
func TestFilterNamesAState(t *testing.T) {
	b := newWorkbench(t, 100, 30, demo("name_bank.json", "viewpoint_keeper.md"))
	b.press("enter", "x").write("No.").press("ctrl+s", "y", "esc").wants("▎Your turn 1")
	for _, text := range []string{"state:rejected", "#2"} {
		b.press("/").write(text)
		b.wants("▎All", "tool:user/viewpoint_keeper")
		b.press("esc").wants("▎Your turn 1", "tool:user/name_bank")
	}
	b.press("/").write("state:rejected").press("enter", "tab").wants("esc clears it")
	b.press("esc").wants("▎Your turn 1")
}

// TestTabsCountMatches checks that each tab shows the number of its matching proposals while a filter is active.
func TestTabsCountMatches(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newWorkbench(t, 120, 30, demo("name_bank.json", "viewpoint_keeper.md", "word_counts.json"))
	b.config.Views = []tui.View{{Name: "Tools", Filter: "type:new"}}
	b.restart()
	b.wants("▎Your turn 3  Chief  Sent back  Drafts  Done  All  │ Tools 3")
	b.press("/").write("name").wants("▎Your turn 1  Chief  Sent back  Drafts  Done  All 1  │ Tools 1")
	b.press("enter", "x", "N", "o", ".", "ctrl+s", "y").wants("Rejected")
	b.wants("▎Your turn  Chief  Sent back  Drafts  Done 1  All 1  │ Tools 1")
	b.press("esc").wants("▎Your turn 2  Chief  Sent back  Drafts  Done 1  All  │ Tools 3")
}
