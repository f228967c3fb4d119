package tui_test

import (
	"context"
	"testing"

	"toolcrib/gateway/instructions"
	"toolcrib/internal/shortrun"
)

// TestNextThatWaits decides on proposals one by one. A key opens the next one at the same tab, keeps the filter,
// skips proposals that do not wait, and wraps around at the end.
func TestNextThatWaits(t *testing.T) {
	b := newWorkbench(t, 100, 30, demo("viewpoint_keeper.md", "word_counts.json", "name_bank.json", "style_memory.md"))
	b.press("enter", "2").wants("#4 new", "▎Diff")
	b.press("c").write("Mend it.").press("tab", "y").wants("Sent back: tool:user/style_memory. U proposes it again. Press . for the next proposal")
	b.press(".").wants("#3 new", "▎Diff", "your turn")
	b.press(".").wants("#2 new")
	b.press(".").wants("#1 new")
	b.press(".").wants("#3 new")
	b.press("esc").wants("▌  #3")
	b.press("shift+tab", "o").press("G").press("enter").wants("#4 new", "↺ sent back")
	b.press(".").wants("#1 new")
	b.press("esc", "/").write("name bank").press("enter", ".").wants("#3 new")
	b.press(".").wants(`No other proposal that matches "name bank" waits for you`)
}

// TestEmptyPagesCountWhatWaits checks that empty pages show the number of waiting proposals (T48).
func TestEmptyPagesCountWhatWaits(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newWorkbench(t, 120, 30, demo("name_bank.json"))
	b.config.Files = func(context.Context) ([]instructions.Listed, error) { return nil, nil }
	b.restart()
	b.press("T", "T").wants("No skill or instruction file was found", "The queue (Q) has 1 proposal that waits for you.")
}
