package tui_test

import (
	"context"
	"encoding/json"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/review"
)

// TestDroppedTestCasesAreShown weakens the test cases of a live tool and makes no other large change. The overview,
// the diff, and the dialogs show this, and an approval requires reading it (C42).
func TestDroppedTestCasesAreShown(t *testing.T) {
	shortrun.OneGoroutine(t)
	var dropped, kept string
	b := newWorkbench(t, 110, 60, func(b *workbench) {
		d := b.file("name_bank.json")
		made, err := b.desk.Drafting.Propose(context.Background(), mara, []proposals.Draft{d}, true)
		if err == nil {
			_, err = b.desk.Deciding.Approve(context.Background(), mara, []review.Choice{{ID: made[0].ID}}, "")
		}
		if err != nil {
			t.Fatal(err)
		}
		base := 1
		d.Type, d.BaseVersion = proposals.Modify, &base
		dropped, kept = d.TestCases[1].Name, d.TestCases[0].Name
		changed, other := d.TestCases[0], d.TestCases[1]
		changed.Checks = []proposals.Check{{Type: proposals.CheckMaxChars, Value: json.RawMessage(`9000`)}}
		other.Name, other.Input = "another", "Another input"
		d.TestCases = []proposals.TestCase{changed, other}
		d.Definition.Tool.Goals = "Less."
		if _, err := b.desk.Drafting.Propose(context.Background(), mara, []proposals.Draft{d}, true); err != nil {
			t.Fatal(err)
		}
	})
	b.press("enter").wants("! drops test case "+dropped, "! changes test case "+kept, "adds test case another")
	b.press("a").wants("! unread: ", "testCases.another", "▲ 2 tests dropped or changed")
	b.press("esc", "2").wants("Not part of the definition", dropped+`"]  removed`, "9000")
	for range 4 {
		b.press("space")
	}
	b.press("a").wants("y approve", "▲ 2 tests dropped or changed")
	b.press("d", "down", "down", "down", "down").wants("! drops test case "+dropped, "! changes test case "+kept)
	b.press("esc", "esc", "a").wants("▲ 2 tests dropped or changed")
}
