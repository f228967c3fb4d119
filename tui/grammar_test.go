package tui_test

import (
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
)

// TestListsSelectTheFirst opens the first row of every list with enter, and others with the arrow keys (T3).
func TestListsSelectTheFirst(t *testing.T) {
	b := newSharedWorkbench(t, "screens", 100, 30, demo(demoFiles...), assessed)
	for _, way := range [][]string{{"L"}, {"j", "j", "enter", "3"}, {"T", "enter", "tab"}, {"g", "enter", "6"}} {
		b.press("Q").press(way...)
		if selectedLine(b) == "" {
			t.Errorf("%v selects nothing:\n%s", way, b.screen())
		}
	}
	b.press("L")
	first := selectedLine(b)
	b.press("down", "j", "up")
	if second := selectedLine(b); second == first || second == "" {
		t.Errorf("the arrows select %q after %q", second, first)
	}
	b.press("G")
	if last := selectedLine(b); !strings.Contains(last, "   1 ") {
		t.Errorf("the last entry of the log is not selected: %q", last)
	}
	b.press("g")
	if again := selectedLine(b); again != first {
		t.Errorf("the first entry is %q, was %q", again, first)
	}
	b.press("enter").wants("Queue › ")
}

// TestChoosingALineIsAMode checks that the footer shows the keys of the mode and that all other keys are disabled
// (T4).
func TestChoosingALineIsAMode(t *testing.T) {
	b := newWorkbench(t, 100, 30, demo("name_bank.json"))
	b.press("enter", "2", ";").wants("enter comment on the line", "esc leave")
	b.press("a").wants("Choose a line first: enter comments on the line, esc cancels")
	b.press("j", "enter").wants("Comment", "of revision 1")
	b.press("esc").wants("▎Diff")
	b.press("/").wants("enter search")
}

// TestFooterFollowsTheTab checks that the footer shows the keys of the current tab.
func TestFooterFollowsTheTab(t *testing.T) {
	b := newSharedWorkbench(t, "screens", 100, 30, demo(demoFiles...), assessed)
	b.press("j", "j", "enter")
	for tab, keys := range map[string]string{"2": "; comment", "3": "W waive"} {
		b.press(tab)
		if footer := lastLine(b); !strings.Contains(footer, keys) {
			t.Errorf("the footer of tab %s lacks %q: %q", tab, keys, footer)
		}
	}
}

// TestCommandsAreFoundByName runs a command from the search, and shows why another is disabled.
func TestCommandsAreFoundByName(t *testing.T) {
	b := newWorkbench(t, 100, 30, demo("name_bank.json"))
	b.press("enter", ":").write("with a rea").wants("Reject the proposal with a reason", "Send the proposal back to its author with a reason", "enter go there")
	b.press("down", "enter").wants("━━ Reject ━━")
	b.press("esc", ":").write("rebase").press("enter").wants("R rebase: the proposal is not stale")
	b.press(":").write("nothing like it").wants("No matches")
	b.press("enter").wants("No match for")
	for _, way := range [][]string{{"T", ":"}, {"L", ":"}, {"?", "/"}, {"Q", "/"}, {"enter", ":"}} {
		b.press(way...).write("7").press("enter").wants("no proposal has the number #7")
	}
	for _, typed := range []string{"1", "#1", " 1 "} {
		b.press("T", ":").write(typed).press("enter").wants("› #1 new tool:user/name_bank")
	}
	b.press("Q", "/").write("1").press("enter").wants("› #1 new tool:user/name_bank")
	b.press(":").write("audit").press("enter").wants("▎Audit log")
}

// TestSearchRunsKeysOfOtherPages finds keys of other pages by synonyms and runs them (T23).
func TestSearchRunsKeysOfOtherPages(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newSharedWorkbench(t, "versions", 100, 40, threeVersions)
	b.press("?", "/").write("waive").wants("Proposal: Waive the selected finding")
	b.press("esc", "esc")
	for _, word := range []string{"restore", "rollback", "roll back", "revert"} {
		b.press(":").write(word).wants("▌ U                A tool or an agent: ")
		b.press("esc")
	}
	for _, word := range []string{"send back", "decline", "merge"} {
		b.press(":").write(word).wants("selected one")
		b.press("esc")
	}
	b.press("T", "/").write("name_bank").press("enter", ":").write("rollback").press("enter").wants("▎Versions", "U restore: ")
	b.press("j", "U").wants("Restore")
	b.press("esc", ":").write("audit log").press("enter").wants("▎Audit log")
	b.press(":").write("oldest").press("enter").wants("oldest ↑")
	b.press(":").write("blame").press("enter").wants("Select a row and press enter")
}

func lastLine(b *workbench) string {
	lines := strings.Split(b.screen(), "\n")
	return lines[len(lines)-1]
}
