package tui_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/tui"
)

// reopen quits the workbench and opens it again on the same database.
func (b *workbench) reopen(width int) {
	b.t.Helper()
	if b.press("q"); !b.quit {
		b.t.Fatal("q does not leave")
	}
	b.m = tui.New(b.config)
	b.m.Prime(width, 30)
	b.drain(b.m.Init())
}

// TestStateIsRestored checks that the page, the tab, the row, the filter, the order, and the theme are restored,
// and on another database only the theme (T36).
func TestStateIsRestored(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newSharedWorkbench(t, "screens", 100, 30, demo(demoFiles...), assessed)
	b.press("shift+tab", "o", "/").write("tool:").press("enter", "j", "j", "ctrl+t")
	b.wants("▎All", "oldest ↑", "tool:", "Theme: light")
	before := strings.Split(b.press("j", "k").screen(), "\n")
	b.reopen(100)
	after := strings.Split(b.screen(), "\n")
	for i := range 12 {
		if before[i] != after[i] {
			t.Errorf("line %d was %q, is %q", i, before[i], after[i])
		}
	}
	if !strings.Contains(b.m.View().Content, "48;2;255;255;255") {
		t.Error("the light theme does not paint its ground")
	}
	b.press("T", "/").write("delete").press("enter")
	b.reopen(100)
	b.wants("▎Tools", "delete", "1/")
	mode, err := os.Stat(filepath.Join(b.config.Drafts, ".screen.json"))
	if err != nil || mode.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", mode, err)
	}
	b.press("q")                  // stores the state for the first database
	b.config.Drafts = t.TempDir() // another database
	b.m = tui.New(b.config)
	b.m.Prime(100, 30)
	b.drain(b.m.Init())
	b.wants("▎Your turn 10", "1 of 10")
	if strings.Contains(b.screen(), "oldest") {
		t.Errorf("what was left on another database:\n%s", b.screen())
	}
	if !strings.Contains(b.m.View().Content, "48;2;255;255;255") { // the theme belongs to the user, not to the database (T52)
		t.Error("the light theme is forgotten on another database")
	}
	for _, text := range []string{"{", `{"page":"Nowhere","theme":"ink","pages":{"Queue":{"tab":"None","row":"x","filter":"state:nowhere","order":"?"}}}`} {
		if err := os.WriteFile(filepath.Join(b.config.Drafts, ".screen.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		b.m = tui.New(b.config)
		b.m.Prime(100, 30)
		b.drain(b.m.Init())
		b.wants("▎Your turn 10", "1 of 10")
	}
}

// TestOffersThemes checks that a hint in the status line names the key that switches the theme if the terminal does
// not report its background color, and that the hint takes no key that is meant for the page.
func TestOffersThemes(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newWorkbench(t, 60, 15)
	b.config.Theme = ""
	const hint = "Hard to read? ctrl+t switches the theme and saves it"
	b.reopen(60)
	b.wants(hint)
	b.press("1") // not a key of the queue; a dialog once chose the dark theme with it
	b.wants("1 is a key of the page Proposal")
	if b.reopen(60); !strings.Contains(b.screen(), hint) {
		t.Error("1 chose a theme")
	}
	b.press("?")
	b.wants("▎Help")
	b.press("esc", "ctrl+t")
	if !strings.Contains(b.m.View().Content, "48;2;255;255;255") {
		t.Error("the light theme does not paint its background")
	}
	if b.reopen(60); strings.Contains(b.screen(), hint) || !strings.Contains(b.m.View().Content, "48;2;255;255;255") {
		t.Errorf("the workbench forgot the chosen theme:\n%s", b.screen())
	}
}
