package tui_test

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"toolcrib/internal/shortrun"
)

// TestWorldScreens checks a proposal with many scripts: wide characters, emoji with and without joiners, combining
// marks, a line of 5,000 characters, and text with terminal commands.
func TestWorldScreens(t *testing.T) {
	shortrun.OneGoroutine(t)
	for i, s := range []struct {
		name string
		keys []string
	}{
		{"queue", nil},
		{"overview", []string{"enter"}},
		{"diff", []string{"enter", "2"}},
		{"diff-prompt", []string{"enter", "2", "/", "f", "i", "v", "e", "enter"}},
		{"diff-long-line", []string{"enter", "2", "w", "J", "J", "J", "J", "J", "J", "J", "J", "l", "l", "l", "l", "l", "l"}},
		{"diff-end", []string{"enter", "2", "G"}},
		{"against-other-script", []string{"enter", "2", "s", "G", "space"}},
		{"comment", []string{"enter", "2", "C", "漢", "字", "é", "👩", "한"}},
		{"reject", []string{"enter", "x", "名"}},
		{"approve", []string{"enter", "2", "space", "space", "space", "space", "space", "space", "space", "space", "a"}},
	} {
		for _, size := range sizesOf(i) {
			t.Run(fmt.Sprintf("%s/%dx%d", s.name, size[0], size[1]), func(t *testing.T) {
				t.Parallel()
				b := newSharedWorkbench(t, "world", size[0], size[1], demo("name_bank.json", "world_names.json"))
				b.press(s.keys...)
				content := b.m.View().Content
				checkWidth(t, content, size[0], size[1])
				checkSafe(t, content, ownStyles(), size[0], size[1])
				golden.RequireEqual(t, masked(trimmed(b.screen())))
			})
		}
	}
}

// TestQuietScreens checks screens with little content.
func TestQuietScreens(t *testing.T) {
	shortrun.OneGoroutine(t)
	for i, s := range []struct {
		name  string
		files []string
		keys  []string
	}{
		{"nothing-proposed", nil, nil},
		{"nothing-found", []string{"name_bank.json"}, []string{"/", "q", "q", "enter"}},
		{"nothing-in-state", []string{"name_bank.json"}, []string{"tab", "tab"}},
		{"no-tool-found", nil, []string{"T", "/", "q", "q", "enter"}},
		{"waive", []string{"name_bank.json"}, []string{"enter", "3", "W"}},
		{"needs-changes", []string{"name_bank.json"}, []string{"enter", "c", "W", "h", "y"}},
		{"key-that-is-off", []string{"name_bank.json"}, []string{"enter", "R"}},
	} {
		for _, size := range sizesOf(i) {
			t.Run(fmt.Sprintf("%s/%dx%d", s.name, size[0], size[1]), func(t *testing.T) {
				t.Parallel()
				prepare := []func(*workbench){demo(s.files...)}
				if s.files != nil {
					prepare = append(prepare, assessed)
				}
				b := newWorkbench(t, size[0], size[1], prepare...)
				b.press(s.keys...)
				checkWidth(t, b.m.View().Content, size[0], size[1])
				golden.RequireEqual(t, masked(trimmed(b.screen())))
			})
		}
	}
}

// TestBelowTheSmallestSize checks the message below the minimum size.
func TestBelowTheSmallestSize(t *testing.T) {
	shortrun.OneGoroutine(t)
	for _, size := range [][2]int{{59, 15}, {60, 14}, {30, 5}, {24, 3}, {10, 2}, {3, 1}, {1, 1}} {
		b := newWorkbench(t, size[0], size[1], demo("name_bank.json"))
		checkWidth(t, b.m.View().Content, size[0], size[1])
		if size[0] >= 24 && size[1] >= 3 {
			b.wants("60×15", "q quits")
		}
	}
}

// TestStaleSizeIsRequested changes the size of the terminal without a message.
func TestStaleSizeIsRequested(t *testing.T) {
	width, height := 80, 24
	b := newWorkbench(t, width, height, func(b *workbench) { b.size = func() (int, int) { return width, height } })
	width, height = 40, 10
	b.poll()
	b.wants("60×15")
	width, height = 100, 30
	b.poll()
	checkWidth(t, b.m.View().Content, width, height)
	b.wants("quit")
}

// TestGoldensFit checks that every golden has the size in its name, so that none is accepted that would not fit a
// terminal.
func TestGoldensFit(t *testing.T) {
	n := 0
	err := fs.WalkDir(os.DirFS("testdata"), ".", func(name string, entry fs.DirEntry, err error) error {
		var width, height int
		if err != nil || entry.IsDir() {
			return err
		}
		if _, scanErr := fmt.Sscanf(path.Base(name), "%dx%d.golden", &width, &height); scanErr != nil {
			return nil // a different golden
		}
		n++
		text, err := os.ReadFile(path.Join("testdata", name))
		lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		if len(lines) > height {
			t.Errorf("%s has %d lines", name, len(lines))
		}
		for i, l := range lines {
			if w := max(ansi.StringWidth(l), ansi.StringWidthWc(l)); w > width {
				t.Errorf("%s: line %d is %d wide", name, i+1, w)
			}
		}
		return err
	})
	if err != nil || n == 0 {
		t.Fatalf("%d goldens: %v", n, err)
	}
}
