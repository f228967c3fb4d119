package tui_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"toolcrib/internal/shortrun"
)

// sizes are the sizes at which every screen is checked.
var sizes = [][2]int{{60, 15}, {80, 24}, {120, 40}, {140, 40}, {200, 60}}

// sizesOf returns the sizes at which the i-th screen is compared: all of them in a long run, and otherwise some of
// them in turn.
func sizesOf(i int) [][2]int {
	var some [][2]int
	for j, size := range sizes {
		if (i+j)%shortrun.Every(2) == 0 {
			some = append(some, size)
		}
	}
	return some
}

// demoFiles are proposals of every type. Later ones are further up.
var demoFiles = []string{
	"viewpoint_keeper.md", "research_notes.json", "search_gmail_off.md", "word_counts.json",
	"assistant_telegram.md", "name_bank.json", "style_memory.md", "delete_tasks_unasked.json",
}

// screens are the ways from the queue to every screen.
var screens = []struct {
	name string
	keys []string
}{
	{"queue", nil},
	{"queue-filter", []string{"/", "n", "a", "m"}},
	{"queue-all", []string{"shift+tab"}},
	{"marked", []string{"space", "space"}},
	{"marked-approve", []string{"space", "space", "a"}},
	{"marked-in-the-way", []string{"space", "space", "space", "a"}},
	{"marked-reject", []string{"space", "space", "x"}},
	{"overview", []string{"j", "j", "enter"}},
	{"diff", []string{"j", "j", "enter", "2"}},
	{"diff-split", []string{"enter", "2", "s"}},
	{"diff-nowrap", []string{"j", "j", "enter", "2", "w", "l"}},
	{"diff-search", []string{"j", "j", "enter", "2", "/", "c", "a", "s", "t", "enter"}},
	{"assessment", []string{"j", "j", "enter", "3"}},
	{"prompt", []string{"enter", "4"}},
	{"prompt-after", []string{"j", "j", "j", "enter", "4", "p"}},
	{"prompt-rendered", []string{"j", "j", "j", "enter", "4", "p", "r"}},
	{"thread", []string{"j", "j", "enter", "5"}},
	{"history", []string{"enter", "6"}},
	{"approve-locked", []string{"j", "j", "enter", "a"}},
	{"approve-ready", []string{"enter", "2", "space", "space", "3", "space", "a"}},
	{"reject", []string{"j", "j", "enter", "x"}},
	{"comment", []string{"enter", "C"}},
	{"tools", []string{"T", "j", "j"}},
	{"agents", []string{"A"}},
	{"tool", []string{"T", "enter"}},
	{"tool-versions", []string{"T", "enter", "tab"}},
	{"tool-blame", []string{"T", "enter", "tab", "tab"}},
	{"tool-compare", []string{"T", "enter", "tab", "enter"}},
	{"tool-uses", []string{"T", "/", "g", "e", "t", "_", "t", "enter", "enter", "tab", "tab", "tab"}},
	{"agent-tools", []string{"A", "enter", "tab", "tab", "tab"}},
	{"log", []string{"L"}},
	{"help", []string{"?"}},
	{"help-filter", []string{"?", "/", "c", "o", "p", "y", "enter"}},
	{"help-rules", []string{"j", "j", "enter", "3", "?"}},
}

func TestScreens(t *testing.T) {
	shortrun.OneGoroutine(t)
	for i, s := range screens {
		for _, size := range sizesOf(i) {
			t.Run(fmt.Sprintf("%s/%dx%d", s.name, size[0], size[1]), func(t *testing.T) {
				t.Parallel()
				b := newSharedWorkbench(t, "screens", size[0], size[1], demo(demoFiles...), assessed)
				b.press(s.keys...)
				checkWidth(t, b.m.View().Content, size[0], size[1])
				golden.RequireEqual(t, masked(trimmed(b.screen())))
			})
		}
	}
}

// trimmed removes trailing blanks.
func trimmed(screen string) string {
	lines := strings.Split(screen, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

// masked replaces the digits of hashes, which depend on the current rules.
func masked(screen string) string {
	screen = cutDigest.ReplaceAllStringFunc(screen, func(s string) string {
		return s[:len("digest     ")] + strings.Repeat("0", len(s)-len("digest     │")) + "│"
	})
	screen = hashEnd.ReplaceAllStringFunc(screen, func(s string) string { return strings.Map(zero, s) })
	return hash.ReplaceAllStringFunc(screen, func(s string) string {
		if !strings.ContainsAny(s, "0123456789") {
			return s
		}
		return strings.Repeat("0", len(s))
	})
}

var hash = regexp.MustCompile(`\b[0-9a-f]{5,}\b`)

// hashEnd matches the end of a hash that is wrapped to the next line.
var hashEnd = regexp.MustCompile(`(?m)│ {12}[0-9a-f]{1,4} *$`)

func zero(r rune) rune {
	if strings.ContainsRune("0123456789abcdef", r) {
		return '0'
	}
	return r
}

// cutDigest matches the visible part of a digest below a dialog.
var cutDigest = regexp.MustCompile(`digest     [0-9a-f]+│`)

// checkWidth fails if a line is not exactly as wide as the terminal, by both ways of measuring, or if the screen does
// not have its height.
func checkWidth(t *testing.T, content string, width, height int) {
	t.Helper()
	lines := strings.Split(content, "\n")
	if len(lines) != height {
		t.Errorf("%d lines on a screen of %d", len(lines), height)
	}
	for i, l := range lines {
		if w := max(ansi.StringWidth(l), ansi.StringWidthWc(l)); w > width {
			t.Errorf("line %d is %d wide on a screen of %d: %q", i+1, w, width, ansi.Strip(l))
		}
	}
}

func TestTooSmall(t *testing.T) {
	shortrun.OneGoroutine(t)
	for _, size := range [][2]int{{59, 15}, {60, 14}, {10, 3}, {1, 1}} {
		b := newWorkbench(t, size[0], size[1], demo("name_bank.json"))
		checkWidth(t, b.m.View().Content, size[0], size[1])
	}
}
