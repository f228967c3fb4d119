package tui_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"toolcrib/tui"
)

// TestImportPath selects a file in a folder with hostile names. No name reaches the screen unescaped, and the
// selected file is imported.
func TestImportPath(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a\x1b[2Jb.json", "c\u202ed.json", "漢字.json", "line\nfeed.json", "tools.json", "\xff.json"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Skip("this file system takes no such names: ", err)
		}
	}
	b, imported := newBench(t, 100, 30), ""
	b.config.Import = func(_ context.Context, file string, _ tui.Tell) ([]string, error) {
		imported = file
		return []string{"Read it."}, nil
	}
	b.m = tui.New(b.config)
	b.m.Prime(100, 30)
	b.drain(b.m.Init())
	b.press("I").write(dir+"/").press("tab").wants("tools.json", "⟨U+001B⟩", "⟨U+202E⟩", "漢字.json")
	for range 4 {
		checkSafe(t, b.m.View().Content, ownStyles(), 100, 30)
		checkWidth(t, b.m.View().Content, 100, 30)
		b.press("down")
		b.wants("▌")
	}
	b.press("enter").wants("Read it.")
	if want := filepath.Join(dir, "tools.json"); imported != want {
		t.Errorf("imported %q, want %q", imported, want)
	}
}
