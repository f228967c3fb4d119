package tui_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"toolcrib/tui"
)

// exporting opens a workbench that exports with write.
func exporting(t *testing.T, write func(tui.Export) ([]string, error)) *bench {
	t.Helper()
	b := newBench(t, 100, 30, demo("name_bank.json"))
	b.config.Export = func(_ context.Context, e tui.Export, _ tui.Tell) ([]string, error) { return write(e) }
	b.config.ExportFormats = []tui.ExportFormat{{Name: "toolcrib", About: "tools and agents"}, {Name: "mcp", About: "action tools"}, {Name: "bundle", About: "everything", Whole: true}}
	b.restart()
	return b
}

// TestExport asks for a file and a format, and never overwrites a file without asking (SPEC 8.2).
func TestExport(t *testing.T) {
	var got []tui.Export
	b := exporting(t, func(e tui.Export) ([]string, error) {
		got = append(got, e)
		return []string{"Wrote 16 tools."}, nil
	})
	dir := t.TempDir()
	fresh, taken := filepath.Join(dir, "a\x1b[2J.json"), filepath.Join(dir, "taken.json")
	if err := os.WriteFile(taken, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.press("T", "ctrl+e").write(fresh).press("enter")
	b.wants("Export", "a⟨U+001B⟩[2J.json", "▌ toolcrib", "y write", "tab next format")
	checkSafe(t, b.m.View().Content, ownStyles(), 100, 30)
	b.press("tab", "enter").wants("▌ mcp") // enter confirms nothing
	b.press("y").wants("Wrote 16 tools.")
	b.press("esc", "ctrl+e").write(dir+"/ta").press("tab", "enter")
	b.wants("! This file exists: 2 bytes", "y replace the file")
	b.press("esc").wants("Tools")
	b.press("A", "ctrl+e").write(taken).press("enter", "o").wants("agent assistant and its tools")
	b.press("shift+tab").wants("everything live in the view of user") // a bundle contains everything
	b.press("shift+tab", "y").wants("Wrote 16 tools.")
	want := []tui.Export{{File: fresh, Format: "mcp"}, {File: taken, Format: "mcp", Agent: "assistant", Replace: true}}
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("exported %+v, want %+v", got, want)
	}
}

// TestExportRefusals checks the messages about files that cannot be written.
func TestExportRefusals(t *testing.T) {
	b := exporting(t, func(tui.Export) ([]string, error) { t.Error("exported"); return nil, nil })
	dir := t.TempDir()
	b.press("T", "ctrl+e").write(dir).press("enter").wants("is a folder; name a file in it")
	b.press("ctrl+e").write(dir + "/none/x").press("enter").wants("not found; create it")
	b.config.Export, b.config.Remote = nil, true
	b.restart()
	b.press("T", "ctrl+e").wants("files here are the server's; write yours: ssh HOST toolcrib export > FILE")
	b.press("I").wants("ssh HOST toolcrib import - < FILE")
}
