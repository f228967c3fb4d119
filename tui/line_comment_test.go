package tui_test

import (
	"context"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/review"
)

// TestCommentOnALine picks a line of the diff, comments on it, and returns to it from the thread.
func TestCommentOnALine(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newWorkbench(t, 100, 30, demo("name_bank.json"))
	b.press("enter", ";")
	b.wants("; comment: only on the Diff tab")
	b.press("2", "J", "J", ";")
	b.wants("j and k choose a line")
	b.press("j", "j", "j", ";")
	b.wants("Comment", "definition.prompt, line 3 of revision 1", "┃ Pass over a name")
	b.write("Say which ones").press("ctrl+s", "y", "5")
	b.wants("on definition.prompt, line 3 of revision 1", "┃ Pass over a name", "Say which ones")
	page, err := b.desk.Reading.List(context.Background(), review.Query{Subject: nameBank})
	if err != nil {
		t.Fatal(err)
	}
	d, err := b.desk.Reading.Show(context.Background(), mara, page.Proposals[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	if c := d.Comments[len(d.Comments)-1]; c.Field != "definition.prompt" || c.Line != 3 || c.Revision != 1 || c.Body != "Say which ones" {
		t.Errorf("the comment is %+v", c)
	}
	b.press("j", "enter")
	b.wants("▎Diff", "+*Pass over a name")
}

func TestLeavingTheChoiceOfALine(t *testing.T) {
	b := newWorkbench(t, 100, 30, demo("name_bank.json"))
	b.press("enter", "2", ";", "j", "esc")
	b.wants("▎Diff")
	b.press("enter")
	b.wants("enter show: nothing on this tab can be opened")
	b.press("esc")
	b.wants("SUBJECT")
}
