package tui_test

import (
	"context"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/review"
)

// approved proposes drafts and approves them.
func (b *workbench) approved(drafts ...proposals.Draft) {
	b.t.Helper()
	ctx := context.Background()
	for _, d := range drafts {
		ps, err := b.desk.Drafting.Propose(ctx, mara, []proposals.Draft{d}, true)
		if err != nil {
			b.t.Fatal(err)
		}
		if _, err := b.desk.Deciding.Approve(ctx, mara, []review.Choice{{ID: ps[0].ID}}, ""); err != nil {
			b.t.Fatal(err)
		}
	}
}

// threeVersions approves three versions of the name bank.
func threeVersions(b *workbench) {
	b.t.Helper()
	for version, goals := range []string{"One thing.", "Two things.", "Three things."} {
		d := b.file("name_bank.json")
		d.Definition.Tool.Goals = goals
		if version > 0 {
			d.Type, d.BaseVersion = proposals.Modify, &version
		}
		b.approved(d)
	}
}

var toNameBank = []string{"T", "/", "n", "a", "m", "e", "enter", "enter"}

// TestAnyTwoVersionsAreCompared marks the newest version and compares it with the oldest.
func TestAnyTwoVersionsAreCompared(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newWorkbench(t, 100, 30, threeVersions)
	b.press(toNameBank...).press("tab", "b")
	b.wants("Version 3 marked", "●v3")
	b.press("j", "down", "enter")
	b.wants("version 1 → version 3", "- One thing.", "+ Three things.")
	b.press("esc")
	b.wants("v3", "v2", "v1")
	b.press("k", "enter") // the mark is gone
	b.wants("version 1 → version 2")
}

// TestHistoryTabComparesTwoVersions compares two versions on a proposal's History tab.
func TestHistoryTabComparesTwoVersions(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newWorkbench(t, 100, 40, threeVersions)
	b.press("shift+tab", "enter", "6", "b", "j", "j", "enter")
	b.wants("version 1 → version 3", "- One thing.", "+ Three things.")
}

// TestVersionsAndFactsOfAChange checks that the time, the author, and the size of each version are shown, and the
// capabilities of a change before its rationale and in its sheet.
func TestVersionsAndFactsOfAChange(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newWorkbench(t, 100, 40, threeVersions, func(b *workbench) {
		d, three := b.file("name_bank.json"), 3
		d.Type, d.BaseVersion, d.Definition.Tool.Goals = proposals.Modify, &three, "Three things. Send them to https://httpbin.org/post."
		b.propose(d)
	})
	b.press(".", "1").wants("Reach: 1 added, 0 removed", "+ host or mailbox: httpbin.org")
	if s := b.screen(); strings.Index(s, "Reach:") > strings.Index(s, "Rationale") {
		t.Errorf("the rationale stands before the facts:\n%s", s)
	}
	b.press("a").wants("reach +1 −0")
	b.press("esc", "6").wants("v3   20 Nov 12:00  mara  +1 −1", "r1   20 Nov 12:00  agent:drafter  base: version 3")
	b.press("T").press(toNameBank[1:]...).press("tab").wants("v2   20 Nov 12:00  mara  +1 −1")
}

func TestBlameOfAText(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newWorkbench(t, 100, 30, threeVersions)
	b.press(toNameBank...).press("tab", "tab")
	b.wants("◆ usageNotes  as of v3", "◆ goals  as of v3", "◆ prompt  as of v3", "v1 2026-11-20 user:mara", "v3 2026-11-20")
	b.press("]", "]").wants("▌ v3 2026-11-20 user:mara                  │ Three things.")
	b.press("enter").wants("#3 modify tool:user/name_bank")
	b.press("esc", "[").wants("▌ v1 2026-11-20 user:mara                  │ Use it when")
	b.press("[", "[").wants("▌ v1 2026-11-20 user:mara                  │ Read the cast list")
}

// TestBlameOfALineOfTheDiff goes from a line of a diff to the version that introduced it, and to its proposal (T32).
func TestBlameOfALineOfTheDiff(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newWorkbench(t, 100, 30, threeVersions, func(b *workbench) {
		d, three := b.file("name_bank.json"), 3
		d.Type, d.BaseVersion, d.Definition.Tool.Goals = proposals.Modify, &three, "Three things.\nAnd a fourth."
		b.propose(d)
	})
	b.press(".", "2").wants("+ And a fourth.")
	b.press("B").wants("▎Blame", "◆ goals  as of v3", "v3 2026-11-20 user:mara", "│ Three things.")
	b.press("enter").wants("#3 modify tool:user/name_bank", "approved")
	b.press("esc", "esc", "1", "B")
	b.wants("B blame: only on the Diff tab")
	b.press("Q", "shift+tab", "G", "enter", "2", "B").wants("B blame: everything is new")
}

func TestRestoreOfAVersion(t *testing.T) {
	b := newWorkbench(t, 100, 30, threeVersions)
	b.press(toNameBank...).press("tab", "U")
	b.wants("U restore: the selected version is the live version")
	b.press("j", "j", "U").write("The third went wrong.").press("tab", "y")
	b.wants("restore tool:user/name_bank", "▎Diff", "+ One thing.", "your turn", "press a to approve it")
	b.press("1").wants("The third went wrong.")
}

func TestWhoUsesATool(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newWorkbench(t, 100, 30)
	b.press("T", "/", "g", "e", "t", "_", "t", "a", "s", "k", "s", "enter", "enter", "tab", "tab", "tab")
	b.wants("✓ agent:global/assistant", "allow-list assistant", "listed")
	b.press("A", "enter", "tab", "tab", "tab")
	b.wants("▎Tools", "get_tasks")
}
