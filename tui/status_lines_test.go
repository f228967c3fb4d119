package tui_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/tui"
)

// TestReasonsAreShownWhole checks that a message wider than the screen is shown completely and that the rest of the
// page stays in place.
func TestReasonsAreShownWhole(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newWorkbench(t, 60, 15, demo("name_bank.json"))
	file := filepath.Join(t.TempDir(), strings.Repeat("long-name-", 12))
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b.env["EDITOR"], b.config.Drafts = "true", filepath.Join(file, "drafts")
	b.m = tui.New(b.config)
	b.m.Prime(60, 15)
	b.press("ctrl+n").write("x").press("enter")
	checkWidth(t, b.m.View().Content, 60, 15)
	whole := strings.Join(strings.Fields(b.screen()), "")
	if !strings.Contains(whole, strings.Repeat("long-name-", 12)+"/drafts/new-tool-user-x-v0.md:notadirectory") {
		t.Errorf("the reason is cut:\n%s", b.screen())
	}
	b.press("j")
	if screen := b.screen(); strings.Contains(screen, "long-name") {
		t.Errorf("it stays after the next key:\n%s", screen)
	}
}
