package tui_test

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"toolcrib/internal/shortrun"
)

// clickOn clicks on the first occurrence of a text.
func (b *workbench) clickOn(text string) {
	b.t.Helper()
	for y, l := range strings.Split(b.screen(), "\n") {
		if before, _, ok := strings.Cut(l, text); ok {
			b.send(tea.MouseClickMsg{X: ansi.StringWidth(before), Y: y, Button: tea.MouseLeft})
			return
		}
	}
	b.t.Errorf("%q is not on the screen:\n%s", text, b.screen())
}

// TestClicks clicks on pages, tabs, keys, and rows. A second click on a row opens it, and a click on a key of a
// dialog presses it (T50).
func TestClicks(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newWorkbench(t, 100, 30, demo("name_bank.json", "word_counts.json"))
	b.clickOn("Drafts")
	b.wants("▎Drafts")
	b.clickOn("Your turn")
	b.clickOn("#1 ")
	b.wants("▌  #1 ", "▎Your turn")
	b.clickOn("#2 ")
	b.wants("▌  #2 ")
	b.clickOn("#2 ")
	b.wants("› #2 new", "▎Overview")
	b.clickOn("History")
	b.wants("▎History")
	b.clickOn("c send back")
	b.wants("━━ Send back")
	b.clickOn("esc back") // the second click of a double click must not press a key of the sheet
	b.wants("━━ Send back")
	b.waited += time.Second
	b.clickOn("esc back")
	b.wants("▎History")
	b.clickOn("esc back")
	b.clickOn("Tools")
	b.wants("Locked (core)")
}
