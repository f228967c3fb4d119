package tui_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"

	"toolcrib/internal/shortrun"
	"toolcrib/tui/theme"
)

// TestReviewOnOneScreen decides on a single screen (T16, T17): the summary, the findings, the test cases, and the
// cost of the prompts are left of the diff, and the digests come last.
func TestReviewOnOneScreen(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newSharedWorkbench(t, "screens", 140, 80, demo(demoFiles...), assessed)
	b.press("j", "j", "enter").wants("▎Diff", "◆ prompt  added", "Rationale", "■ block  X101", "Test cases", "✓ as expected", "tokens", "Digests")
	if screen := b.screen(); strings.Index(screen, "Digests") < strings.Index(screen, "An approval changes") {
		t.Errorf("the digests are not last:\n%s", screen)
	}
	b.press("h").wants("▎Overview", "W waive")
	b.press("j", "enter").wants("▎Diff", "└ ▲ X102")
	b.press("esc").wants("▎Overview")
	b.press("W").wants("Waive a finding", "X102")
	b.press("esc", "l").wants("▎Diff")
	b.press("4").wants("▎Prompt", "Rationale")
	b.press("h").wants("▎Overview", "tokens o200k")
}

// TestPanesShowNothingTwice checks that the overview omits what the tab beside it shows.
func TestPanesShowNothingTwice(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newSharedWorkbench(t, "screens", 140, 80, demo(demoFiles...), assessed)
	b.press("j", "j", "enter")
	for tab, once := range map[string]string{"3": "A zero-width character", "7": "Name the harbour master. The cast has a"} {
		if b.press(tab); strings.Count(b.screen(), once) != 1 {
			t.Errorf("tab %s shows %q %d times:\n%s", tab, once, strings.Count(b.screen(), once), b.screen())
		}
	}
}

// TestPanesMoveAndZoom moves the divider between two panes, and zooms one of them.
func TestPanesMoveAndZoom(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newSharedWorkbench(t, "screens", 140, 40, demo(demoFiles...), assessed)
	line := func() int {
		t.Helper()
		rule := []rune(strings.Split(b.screen(), "\n")[2])
		return strings.IndexRune(strings.ReplaceAll(string(rule), "─", "-"), '┬')
	}
	for _, way := range [][]string{nil, {"enter"}, {"Q", "T"}, {"enter"}} {
		b.press(way...)
		at := line()
		if b.press(">"); line() != at+8 {
			t.Errorf("%v: > moved the line from %d to %d", way, at, line())
		}
		if b.press("<"); line() != at {
			t.Errorf("%v: < moved the line to %d, not back to %d", way, line(), at)
		}
		if b.press("z"); line() != -1 {
			t.Errorf("%v: z left two panes", way)
		}
		b.press(">").wants("z shows both")
		b.press("z")
		checkWidth(t, b.m.View().Content, 140, 40)
	}
	for range 20 {
		b.press("<")
	}
	b.wants("at least 40 columns")
	b = newSharedWorkbench(t, "screens", 100, 40)
	b.wants("Delete tasks", "◆ approval.tier")
	if strings.Contains(b.press("z").screen(), "◆ approval.tier") {
		t.Errorf("z leaves the pane below the list:\n%s", b.screen())
	}
	b.press(">").wants("two panes need 120 columns")
	b.press("z", "enter", "z").wants("two panes need 140 columns")
}

// TestPreviewScrolls scrolls the pane beside a list.
func TestPreviewScrolls(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newSharedWorkbench(t, "screens", 120, 20, demo(demoFiles...), assessed)
	b.press("T").wants("▪ Locked (core)", "usageNotes")
	before := b.screen()
	if b.press("J"); b.screen() == before {
		t.Error("J did not scroll the pane beside the list")
	}
	if b.press("K"); b.screen() != before {
		t.Error("K did not scroll it back")
	}
	b.press("J", "j", "k").wants("version 1") // another row begins at its top
	if b.screen() != before {
		t.Errorf("the pane is elsewhere:\n%s", b.screen())
	}
}

// TestWidestScreens checks the pages with panes on the widest screen.
func TestWidestScreens(t *testing.T) {
	shortrun.OneGoroutine(t)
	for _, s := range screens {
		switch s.name {
		case "queue", "overview", "prompt-after", "tools", "tool-versions", "log":
		default:
			continue
		}
		t.Run(fmt.Sprintf("%s/300x70", s.name), func(t *testing.T) {
			b := newSharedWorkbench(t, "screens", 300, 70, demo(demoFiles...), assessed)
			b.press(s.keys...)
			checkWidth(t, b.m.View().Content, 300, 70)
			golden.RequireEqual(t, masked(trimmed(b.screen())))
		})
	}
}

// TestFocusColor checks that the rule above the pane with the focus has the color of the focus, and no other rule.
func TestFocusColor(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newSharedWorkbench(t, "screens", 140, 40, demo(demoFiles...), assessed)
	title := string(theme.Dark().Title)
	for _, step := range []struct {
		keys []string
		want string
	}{
		{nil, "left"},
		{[]string{"enter"}, "right"},
		{[]string{"h"}, "left"},
		{[]string{"2"}, "right"},
		{[]string{"z"}, "none"},
		{[]string{"z", "Q", "T"}, "left"},
		{[]string{"j", "enter"}, "left"},
		{[]string{"l"}, "right"},
		{[]string{"L"}, "none"},
		{[]string{"?"}, "none"},
	} {
		left, right, two := strings.Cut(strings.Split(b.press(step.keys...).m.View().Content, "\n")[2], "┬")
		got := "none"
		switch l, r := strings.Contains(left, title), strings.Contains(right, title); {
		case l && r:
			got = "both"
		case l:
			got = "left"
		case r && two:
			got = "right"
		}
		if got != step.want {
			t.Errorf("after %v: %s, want %s", step.keys, got, step.want)
		}
	}
}
