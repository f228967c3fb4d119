package tui_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
)

// editor makes the workbench use a shell script as the editor. The file is its "$1".
func (b *workbench) editor(script string) {
	b.t.Helper()
	file := filepath.Join(b.t.TempDir(), "editor.sh")
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		b.t.Fatal(err)
	}
	b.env["VISUAL"] = file + " --wait"
	b.env["EDITOR"] = "false"
}

// TestNewDraftInTheEditor writes an incomplete proposal. The workbench lists everything that is missing and keeps the
// text.
func TestNewDraftInTheEditor(t *testing.T) {
	b := newWorkbench(t, 120, 50)
	b.editor(`test "$1" = --wait && echo "<!-- mine -->" >> "$2" && cp "$2" "` + filepath.Join(t.TempDir(), "seen.md") + `"`)
	b.press("ctrl+n").write("scene_pacer").press("enter")
	b.wants("Cannot submit the proposal yet", "problems", "definition.prompt", "rationale", "Saved in")
	b.press("y") // nothing can be submitted
	b.press("esc")
	kept, err := filepath.Glob(filepath.Join(b.config.Drafts, "new-tool-user-scene_pacer*"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("kept are %v: %v", kept, err)
	}
	info, err := os.Stat(kept[0])
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	text, err := os.ReadFile(kept[0])
	if err != nil || !strings.Contains(string(text), "<!-- mine -->") {
		t.Errorf("the text is not kept: %v\n%s", err, text)
	}
}

// TestEditorAtTheLine opens the revision at the current line of the diff, in an editor that supports that.
func TestEditorAtTheLine(t *testing.T) {
	b := newWorkbench(t, 140, 40, demo("name_bank.json"))
	dir := t.TempDir()
	out := filepath.Join(dir, "args")
	for name, want := range map[string]string{"nano": "+%d FILE", "code": "--goto FILE:%d", "other": "FILE"} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte("#!/bin/sh\necho \"$@\" > "+out+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		b.env["VISUAL"] = file
		b.press("enter", "2", ";", "j", "j", "e").wants("No changes")
		args, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		got := regexp.MustCompile(`/\S*/revise-[^: ]*\.(md|json)`).ReplaceAllString(strings.TrimSpace(string(args)), "FILE")
		if strings.Contains(want, "%d") {
			got = regexp.MustCompile(`[1-9][0-9]*`).ReplaceAllString(got, "%d")
		}
		if got != want {
			t.Errorf("%s gets %q; want %q", name, got, want)
		}
		b.press("esc", "esc")
	}
}

func TestEditorThatFails(t *testing.T) {
	b := newWorkbench(t, 100, 30, demo("name_bank.json"))
	b.editor("exit 3")
	b.press("enter", "e")
	b.wants("the editor failed: exit status 3; the draft is in")
}

// createConflict creates an open proposal and a live version that change the same line.
func createConflict(b *workbench) {
	b.t.Helper()
	file := func() proposals.Draft { // without parts that Markdown cannot represent
		d := b.file("name_bank.json")
		d.Definition.Tool.Guardrails, d.Definition.Tool.Prompt = "Change no name that is taken.", "Name the origin of each name."
		return d
	}
	d := file()
	d.Definition.Tool.Goals = "One thing.\nSame."
	b.approved(d)
	one := 1
	mine, theirs := file(), file()
	for goals, draft := range map[string]*proposals.Draft{"Mine.\nSame.": &mine, "Theirs.\nSame.": &theirs} {
		draft.Type, draft.BaseVersion = proposals.Modify, &one
		draft.Definition.Tool.Goals = goals
	}
	mine.Definition.Tool.Limits, theirs.Definition.Tool.Limits = &registry.Limits{DailyLimit: 5}, &registry.Limits{DailyLimit: 7}
	b.propose(mine)
	b.approved(theirs)
}

// TestRebaseWithConflicts checks that conflicts are shown and marked in the editor, that remaining markers are
// refused, and that a new revision results.
func TestRebaseWithConflicts(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newWorkbench(t, 120, 50, createConflict)
	b.press("j", "enter", "R").press("y")
	b.wants("Conflicts with version 2", "◆ goals", "here  Mine.", "live  Theirs.", "was   One thing.", "◆ limits", "here  5", "live  7")
	b.press("e")
	b.wants("e: set VISUAL or EDITOR first")
	b.press("y").wants("Choose a side first")
	copied := filepath.Join(t.TempDir(), "seen.md")
	b.editor(`cp "$2" ` + copied)
	b.press("e")
	b.wants("Cannot submit the proposal yet", "conflict")
	text, err := os.ReadFile(copied)
	if err != nil || !strings.Contains(string(text), "<<<<<<< this proposal") {
		t.Fatalf("no markers in the editor: %v\n%s", err, text)
	}
	b.editor(`sed -i -e '/^<<<<<<</,/^=======/d' -e '/^>>>>>>>/d' "$2"`)
	b.press("e")
	b.wants("No problems found.")
	b.press("y")
	page, err := b.desk.Reading.List(context.Background(), review.Query{State: proposals.UserReview})
	if err != nil || len(page.Proposals) != 1 {
		t.Fatalf("%d proposals: %v\n%s", len(page.Proposals), err, b.screen())
	}
	if p := page.Proposals[0]; p.Revision != 2 || p.BaseVersion != 2 {
		t.Errorf("revision %d against %d", p.Revision, p.BaseVersion)
	}
	if left, _ := filepath.Glob(filepath.Join(b.config.Drafts, "*")); len(left) != 0 {
		t.Errorf("still kept: %v", left)
	}
}

// TestRebaseTakesSides resolves each passage with a key (T11).
func TestRebaseTakesSides(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newWorkbench(t, 120, 50, createConflict)
	b.press("j", "enter", "R", "y").wants("▌ ◆ goals", "h take here", "l take live")
	b.press("l").wants("✓   live  Theirs.", "▌ ◆ limits")
	b.press("y").wants("Choose a side first")
	b.press("K").wants("▌ ◆ goals")
	b.press("h").wants("✓   here  Mine.", "▌ ◆ limits")
	b.press("l").wants("✓   live  7", "y save the revision")
	b.press("y").wants("base       version 2")
	checkTaken(b, "Mine.\nSame.", 7)
}

// checkTaken compares the only waiting proposal with the sides that were taken.
func checkTaken(b *workbench, goals string, limit int) {
	b.t.Helper()
	page, err := b.desk.Reading.List(context.Background(), review.Query{State: proposals.UserReview})
	if err != nil || len(page.Proposals) != 1 {
		b.t.Fatalf("%d proposals: %v", len(page.Proposals), err)
	}
	d, err := b.desk.Reading.Show(context.Background(), mara, page.Proposals[0].ID)
	if err != nil {
		b.t.Fatal(err)
	}
	tool := d.Revision.Draft.Definition.Tool
	if d.Proposal.Revision != 2 || d.Proposal.BaseVersion != 2 || tool.Goals != goals || tool.Limits == nil || tool.Limits.DailyLimit != limit {
		b.t.Errorf("revision %d against %d has %q and %+v", d.Proposal.Revision, d.Proposal.BaseVersion, tool.Goals, tool.Limits)
	}
}

// TestEditWithoutAChange checks that an unchanged text is neither offered for submission nor kept (T9).
func TestEditWithoutAChange(t *testing.T) {
	b := newWorkbench(t, 100, 30, demo("name_bank.json"))
	b.editor("true")
	b.press("enter", "e").wants("No changes", "▎Overview")
	if left := draftFiles(t, b); len(left) != 0 {
		t.Errorf("kept are %v", left)
	}
	b.editor(`sed -i 's/Bank/Vault/' "$2"`)
	b.press("e").wants("No problems found")
}

// TestEditorOfARemoteWorkbench revises a proposal where no programs can be run: in the built-in editor, with a draft
// that is kept, and with the usual check and dialog.
func TestEditorOfARemoteWorkbench(t *testing.T) {
	b := newWorkbench(t, 100, 30, demo("name_bank.json"))
	b.config.Remote = true
	b.restart()
	b.editor("exit 3") // must not run
	b.press("enter", "e")
	b.wants("Type or paste the proposal", "name_bank", "ctrl+s")
	b.write("Z").press("esc")
	b.wants("Draft saved")
	kept, err := filepath.Glob(filepath.Join(b.config.Drafts, "revise-*"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("kept are %v: %v", kept, err)
	}
	b.press("e", "backspace", "ctrl+s", "y")
	b.wants("No changes")
	b.press("e").write(" ").press("ctrl+s", "y")
	b.wants("Saved in your unsent drafts")
	if strings.Contains(b.screen(), b.config.Drafts) {
		t.Error("the screen names a folder of the server")
	}
	_, cmd := b.m.Update(keyPress("ctrl+z"))
	b.wants("no shell is available here")
	if suspends(cmd) {
		t.Error("the process is stopped for a shell that is not there")
	}
}

// TestEditorAtTheLineOfALiveText opens a change of a live definition at the line that the page shows: the match of a
// search, or the line whose version was asked for.
func TestEditorAtTheLineOfALiveText(t *testing.T) {
	b := newWorkbench(t, 100, 30, func(b *workbench) { b.approved(b.file("viewpoint_keeper.md")) })
	dir := t.TempDir()
	out, file := filepath.Join(dir, "args"), filepath.Join(dir, "nano")
	if err := os.WriteFile(file, []byte("#!/bin/sh\necho \"$@\" > "+out+"\ncp \"$2\" "+dir+"/text 2>/dev/null || cp \"$1\" "+dir+"/text\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	b.env["VISUAL"] = file
	opened := func(keys ...string) string {
		b.press("T", "/").write("viewpoint").press("enter", "enter").press(keys...).press("e").wants("No changes")
		args, err := os.ReadFile(out)
		text, textErr := os.ReadFile(filepath.Join(dir, "text"))
		if err != nil || textErr != nil {
			t.Fatal(err, textErr)
		}
		b.press("esc", "esc", "esc", "esc", "esc")
		var line int
		if _, err := fmt.Sscanf(string(args), "+%d", &line); err != nil {
			return ""
		}
		return strings.Split(string(text), "\n")[line-1]
	}
	if got := opened(); got != "" {
		t.Errorf("opened at %q; want the beginning", got)
	}
	if got := opened("/", "s", "c", "e", "n", "e", "enter"); !strings.Contains(strings.ToLower(got), "scene") {
		t.Errorf("opened at %q; want the match", got)
	}
	if got := opened("3", "j", "j"); got == "" {
		t.Error("opened at the beginning; want the line of the blame")
	}
}
