package tui_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/tui"
)

// restart keeps only the state that survives a crash: the database and the unsent texts.
func (b *workbench) restart() {
	b.m = tui.New(b.config)
	b.m.Prime(100, 30)
	b.drain(b.m.Init())
}

// TestDraftsAreOffered crashes with an unfinished comment on a line and an unfinished reason, and continues both.
func TestDraftsAreOffered(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newWorkbench(t, 100, 30, demo("name_bank.json"))
	b.press("enter", "2", ";", "j", "j", ";").write("Which of th")
	b.restart()
	b.wants("1 unsent draft. Press D to see it")
	b.press("enter", "x").write("It hides")
	b.restart()
	b.press("D")
	b.wants("2 drafts", "Folder: ", "comment", "reject", "#1 tool:user/name_bank", "Which of th", "It hides")
	for _, f := range draftFiles(t, b) {
		info, err := os.Stat(f)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", f, info.Mode(), err)
		}
	}
	if !strings.Contains(selectedLine(b), "comment") {
		b.press("j")
	}
	b.press("enter")
	b.wants("definition.", "of revision 1", "Which of th")
	b.write("em?").press("ctrl+s", "y").wants("Comment sent")
	b.press("5").wants("Which of them?", "on definition.")
	b.press("D", "enter")
	b.wants("Reject", "It hides")
	b.press("esc", "esc", "x", "y")
	if left := draftFiles(t, b); len(left) != 0 {
		t.Errorf("still kept: %v", left)
	}
	b.wants("No unsent drafts.")
}

func draftFiles(t *testing.T, b *workbench) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(b.config.Drafts, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func selectedLine(b *workbench) string {
	for line := range strings.Lines(b.screen()) {
		if strings.HasPrefix(line, "▌") {
			return line
		}
	}
	return ""
}

// TestDraftTooLongToSubmit checks that the workbench warns about an overlong draft before its submission (T20).
func TestDraftTooLongToSubmit(t *testing.T) {
	shortrun.NeedsLong(t)
	b := newWorkbench(t, 120, 40, func(b *workbench) {
		d := b.file("name_bank.json")
		d.Definition.Tool.Prompt = strings.Repeat("All of it. ", 100_000)
		if _, err := b.desk.Drafting.Propose(context.Background(), mara, []proposals.Draft{d}, false); err != nil {
			b.t.Fatal(err)
		}
	})
	b.press("tab", "tab", "tab").wants("Can't be submitted yet: ")
	b.press("enter").wants("Can't be submitted yet", "definition.prompt", "S submit")
	b.press("S").wants("S submit: definition.prompt")
}
