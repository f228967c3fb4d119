package tui_test

import (
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
)

// TestListsMembersBelowEachOther checks that the tools of an allow-list are shown below each other rather than as
// wrapped JSON.
func TestListsMembersBelowEachOther(t *testing.T) {
	shortrun.OneGoroutine(t)
	for _, width := range []int{120, 140, 200} {
		b := newWorkbench(t, width, 60)
		b.press("A", "A").wants("▎Allow-lists", "tools  ")
		if s := b.screen(); strings.Contains(s, `["`) || !strings.Contains(s, "│         create_reminders ") && !strings.Contains(s, " create_reminders  ") {
			t.Errorf("%d columns:\n%s", width, s)
		}
	}
}

// TestInputsOfSeveralLines checks that the lines of a test case's input are aligned and that line feeds are not shown
// as hidden characters.
func TestInputsOfSeveralLines(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newWorkbench(t, 100, 60, func(b *workbench) {
		d := b.file("name_bank.json")
		d.TestCases[0].Input = "Name the harbour master.\nThe second line."
		b.propose(d)
	})
	b.press("enter").wants("in   Name the harbour master.", "\n                The second line.")
	if s := b.screen(); strings.Contains(s, "U+000A") {
		t.Errorf("a line feed is shown as a hidden character:\n%s", s)
	}
}

// TestCutsBetweenWords checks that no text is cut within a word: in the queue with its pane, on a folded set, and in the
// log.
func TestCutsBetweenWords(t *testing.T) {
	shortrun.OneGoroutine(t)
	for _, size := range [][2]int{{60, 15}, {80, 24}, {120, 35}, {140, 40}, {200, 55}} {
		for _, keys := range [][]string{{}, {"G", "k"}, {"shift+tab"}, {"L"}, {"enter"}, {"G", "enter"}, {"A"}, {"A", "A"}, {":", "u", "n", "d", "o"}} {
			b := newSharedWorkbench(t, "screens", size[0], size[1], demo(demoFiles...), assessed)
			b.press(keys...)
			lines := strings.Split(b.screen(), "\n")
			for _, l := range lines[:len(lines)-1] {
				for _, sign := range []string{"…", "›"} {
					before, _, cut := strings.Cut(strings.TrimPrefix(strings.TrimLeft(l, " "), "toolcrib"), sign)
					if cut && !strings.HasSuffix(before, " ") && !strings.HasSuffix(before, "┃ ") {
						t.Errorf("%v %v: %q", size, keys, l)
					}
				}
			}
		}
	}
}
