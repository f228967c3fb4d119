package tui_test

import (
	"strings"
	"testing"

	"toolcrib/proposals"
)

// modifyNameBank proposes a change of the name bank.
func modifyNameBank(change func(*proposals.Draft)) func(*workbench) {
	return func(b *workbench) {
		d := b.file("name_bank.json")
		change(&d)
		b.propose(d)
	}
}

func TestRationaleIsRendered(t *testing.T) {
	b := newWorkbench(t, 80, 40, modifyNameBank(func(d *proposals.Draft) {
		d.Rationale = "## Why\n\nIt is **bold**, and <!-- says more --> &#27;[8mthan it shows: \u202eno.\n\n- one\n- two"
	}))
	b.press("enter")
	b.wants("## Why", "It is bold, and <!-- says more --> &#27;[8mthan it shows: ⟨U+202E⟩no.", "• two")
	b.press("r")
	b.wants("It is **bold**", "- two")
	b.press("2", "r")
	b.wants("r raw: the Diff and History tabs show raw text only")
}

func TestCommentsAreRendered(t *testing.T) {
	b := newWorkbench(t, 80, 24, demo("name_bank.json"))
	b.press("enter", "C").write("Look at `prompt`, *please*").press("ctrl+s", "y", "5")
	b.wants("Look at `prompt`, please")
	b.press("r")
	b.wants("Look at `prompt`, *please*")
}

// TestLongPromptsAreRendered scrolls to the end of a prompt of many parts.
func TestLongPromptsAreRendered(t *testing.T) {
	long := "## Part\n\nSay **this** once.\n\n"
	b := newWorkbench(t, 100, 30, func(b *workbench) {
		d := b.file("assistant_telegram.md")
		d.Definition.Agent.Soul = strings.Repeat(long, 31_000/len(long))
		b.propose(d)
	})
	b.press("enter", "4", "r")
	b.wants("r raw: diffs are not rendered; p shows the whole prompt")
	b.press("p", "r")
	b.wants("rendered; r shows raw text")
	for range 4 {
		b.press("space")
		if s := b.screen(); strings.Contains(s, "**this**") || !strings.Contains(s, "Say this once.") {
			t.Fatalf("it is not rendered:\n%s", s)
		}
	}
}
