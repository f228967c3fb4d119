package tui_test

import "testing"

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
	b.press("T", "G", "enter").wants("4/4  U rolls back to the selected version")
}
