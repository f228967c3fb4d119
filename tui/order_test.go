package tui_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/registry"
)

// manyDrafts drafts n proposals with names in a different order.
func manyDrafts(n int) func(*workbench) {
	return func(b *workbench) {
		b.t.Helper()
		drafts := make([]proposals.Draft, n)
		for i := range drafts {
			id := fmt.Sprintf("tool_%03d", i*37%n)
			drafts[i] = proposals.Draft{Type: proposals.New, Subject: registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: id}}
		}
		if _, err := b.desk.Drafting.Propose(context.Background(), mara, drafts, false); err != nil {
			b.t.Fatal(err)
		}
	}
}

var draftName = regexp.MustCompile(`tool_\d+`)

// listed scrolls through the whole queue and returns its rows.
func (b *workbench) listed() []string {
	b.t.Helper()
	var names []string
	b.press("g")
	for range 100 {
		for line := range strings.Lines(b.screen()) {
			if name := draftName.FindString(line); name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		b.press("pgdown")
	}
	return names
}

// TestSortAppliesToTheWholeList sorts a queue of several chunks. Later chunks are in the right place, also with a filter
// and after an addition.
func TestSortAppliesToTheWholeList(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newWorkbench(t, 80, 24, manyDrafts(251))
	b.press("shift+tab")
	for _, want := range []string{"oldest ↑", "worst first", "by subject"} {
		b.press("o").wants(want)
	}
	names := b.listed()
	if len(names) != 251 || !slices.IsSorted(names) {
		t.Errorf("by subject are %d listed: %v", len(names), names)
	}
	b.press("/").write("_1").press("enter").wants("by subject", " _1 ")
	if names := b.listed(); len(names) != 100 || !slices.IsSorted(names) {
		t.Errorf("by subject and with _1 are %d listed: %v", len(names), names)
	}
	b.press("esc", "g", "j", "j").wants("▌  –        ○ ")
	crowdOf := proposals.Draft{Type: proposals.New, Subject: registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: "tool_000_before"}}
	if _, err := b.desk.Drafting.Propose(context.Background(), drafter, []proposals.Draft{crowdOf}, false); err != nil {
		t.Fatal(err)
	}
	b.poll()
	if row := b.row(); !strings.Contains(row, "tool_002") {
		t.Errorf("the list moved away from under the cursor: %q\n%s", row, b.screen())
	}
	b.press("O", "O", "O").wants("newest ↓")
}

// row returns the row at the cursor.
func (b *workbench) row() string {
	b.t.Helper()
	for line := range strings.Lines(b.screen()) {
		if strings.HasPrefix(line, "▌") {
			return line
		}
	}
	return ""
}
