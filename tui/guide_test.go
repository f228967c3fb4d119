package tui_test

import (
	"strings"
	"testing"
)

// TestGuide follows the hints of the demonstration from a proposal to a rollback, and strays from them.
func TestGuide(t *testing.T) {
	b := newWorkbench(t, 100, 60, demo("word_counts.json"))
	b.config.Guide = true
	b.restart()
	b.wants("nothing goes live unapproved", "1/4  enter opens the selected proposal")
	b.press("enter").wants("2/4  a approves it")
	b.press("T").wants("2/4  Q goes back to the proposals")
	b.press("Q").wants("2/4  a approves it")
	b.press("enter", "u", "u", "u", "a", "y").wants("Live: tool:user/get_word_counts")
	b.press("k").wants("3/4  T lists live tools")
	b.press("T", "G", "enter").wants("4/4  tab: versions; U rolls back to the selected version")
}

// TestGuideFollowsTheSelection checks that the guide names no key that does nothing for the selection.
func TestGuideFollowsTheSelection(t *testing.T) {
	b := newWorkbench(t, 100, 60, demo("word_counts.json"))
	b.config.Guide = true
	b.restart()
	b.press("tab").wants("No proposals in this state")
	lacks := func(hint string) {
		t.Helper()
		if s := b.screen(); strings.Contains(s, hint) {
			t.Errorf("%q:\n%s", hint, s)
		}
	}
	lacks("1/4")
	b.press("T").wants("1/4  Q goes to the proposals")
	b.press("Q", "shift+tab", "enter").wants("2/4  a approves it")
	b.press("esc").wants("2/4  a approves it")
	b.press("tab")
	lacks("2/4")
	b.press("shift+tab", "x", "N", "o", ".", "ctrl+s", "y").wants("Rejected")
	b.press("tab", "tab", "tab", "tab", "enter").wants("rejected")
	lacks("2/4")
}
