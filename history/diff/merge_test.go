package diff_test

import (
	"strings"
	"testing"

	"toolcrib/history/diff"
	"toolcrib/internal/shortrun"
)

// mergeLaws checks properties that hold for any three texts.
func mergeLaws(t *testing.T, base, ours, theirs string) {
	t.Helper()
	clean := func(what, want string, m diff.Merge) {
		t.Helper()
		if m.Text != want || len(m.Conflicts) > 0 {
			t.Fatalf("%s: %d conflicts, %.200q; want %.200q", what, len(m.Conflicts), m.Text, want)
		}
	}
	clean("only ours changed", ours, diff.Merge3(base, ours, base))
	clean("only theirs changed", theirs, diff.Merge3(base, base, theirs))
	clean("both the same", ours, diff.Merge3(base, ours, ours))

	m, w := diff.Merge3(base, ours, theirs), diff.Merge3(base, theirs, ours)
	if len(m.Conflicts) != len(w.Conflicts) {
		t.Fatalf("%d conflicts one way, %d the other", len(m.Conflicts), len(w.Conflicts))
	}
	for i, c := range m.Conflicts {
		if o := w.Conflicts[i]; c.Base != o.Base || c.Ours != o.Theirs || c.Theirs != o.Ours {
			t.Fatalf("conflict %d is %+v one way, %+v the other", i, c, o)
		}
		if c.Ours.Text == c.Theirs.Text || c.Ours.Text == c.Base.Text && c.Theirs.Text == c.Base.Text {
			t.Fatalf("conflict %d is not a conflict: %+v", i, c)
		}
		for _, s := range []struct {
			whole string
			side  diff.Side
		}{{base, c.Base}, {ours, c.Ours}, {theirs, c.Theirs}, {m.Text, diff.Side{Lines: c.Merged, Text: c.Ours.Text}}} {
			if got := strings.Join(strings.SplitAfter(s.whole, "\n")[s.side.Lines.Start:s.side.Lines.End], ""); got != s.side.Text {
				t.Fatalf("conflict %d: lines %v are %q, not %q", i, s.side.Lines, got, s.side.Text)
			}
		}
	}
	if len(m.Conflicts) == 0 && m.Text != w.Text {
		t.Fatalf("a clean merge gives %.200q one way, %.200q the other", m.Text, w.Text)
	}
	all := func(side diff.Choice) []diff.Choice {
		choices := make([]diff.Choice, len(m.Conflicts))
		for i := range choices {
			choices[i] = side
		}
		return choices
	}
	clean("all of ours taken", m.Text, m.Taken(all(diff.TakeOurs)))
	clean("all of theirs taken", w.Text, m.Taken(all(diff.TakeTheirs)))
	if n := len(m.Conflicts); n > 1 { // resolving one by one in any order equals resolving all at once
		last := make([]diff.Choice, n)
		last[n-1] = diff.TakeTheirs
		clean("theirs taken one by one", w.Text, m.Taken(last).Taken(all(diff.TakeTheirs)))
	}
	marked := m.Marked(diff.Labels{Ours: "o", Base: "b", Theirs: "t"})
	if len(m.Conflicts) == 0 && marked != m.Text {
		t.Fatalf("markers without a conflict: %.200q", marked)
	}
}

func TestMergeLaws(t *testing.T) {
	shortrun.OneGoroutine(t)
	r := random(8)
	for range 3000 {
		mergeLaws(t, small(r), small(r), small(r))
	}
	for range 200 {
		lines := prose(r, 1+r.IntN(80))
		mergeLaws(t, join(lines), join(edited(r, lines, 0.1)), join(edited(r, lines, 0.1)))
	}
}

// TestMergeOfSeparateEdits changes different halves of a text on each side.
func TestMergeOfSeparateEdits(t *testing.T) {
	r := random(9)
	for range 200 {
		top, bottom := prose(r, 1+r.IntN(40)), prose(r, 1+r.IntN(40))
		middle := "a line that stays\nand another\n"
		newTop, newBottom := join(edited(r, top, 0.3)), join(edited(r, bottom, 0.3))
		m := diff.Merge3(join(top)+middle+join(bottom), newTop+middle+join(bottom), join(top)+middle+newBottom)
		if want := newTop + middle + newBottom; m.Text != want || len(m.Conflicts) > 0 {
			t.Fatalf("%d conflicts, got %q, want %q", len(m.Conflicts), m.Text, want)
		}
	}
}

func TestMarked(t *testing.T) {
	tests := []struct {
		name, base, ours, theirs, want string
	}{
		{
			"apart",
			"a\nb\nc\nd\n", "A\nb\nc\nd\n", "a\nb\nc\nD\n",
			"A\nb\nc\nD\n",
		},
		{
			"the same on both sides",
			"a\nb\nc\n", "a\nx\nc\n", "a\nx\nc\n",
			"a\nx\nc\n",
		},
		{
			"one line, two ways",
			"a\nb\nc\n", "a\nx\nc\n", "a\ny\nc\n",
			"a\n<<<<<<< ours\nx\n||||||| base\nb\n=======\ny\n>>>>>>> live\nc\n",
		},
		{
			"both add in one place",
			"a\n", "a\nx\n", "a\ny\n",
			"a\n<<<<<<< ours\nx\n||||||| base\n=======\ny\n>>>>>>> live\n",
		},
		{
			"deleted here, changed there",
			"a\nb\nc\n", "a\nc\n", "a\nB\nc\n",
			"a\n<<<<<<< ours\n||||||| base\nb\n=======\nB\n>>>>>>> live\nc\n",
		},
		{
			"edits that touch",
			"a\nb\n", "A\nb\n", "a\nB\n",
			"<<<<<<< ours\nA\nb\n||||||| base\na\nb\n=======\na\nB\n>>>>>>> live\n",
		},
		{
			"no newline at the end",
			"a", "b", "c",
			"<<<<<<< ours\nb\n||||||| base\na\n=======\nc\n>>>>>>> live\n",
		},
		{
			"a forged marker",
			"a\nb\n", "a\n=======\n>>>>>>> live\n", "a\nc\n",
			"a\n<<<<<<<< ours\n=======\n>>>>>>> live\n|||||||| base\nb\n========\nc\n>>>>>>>> live\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := diff.Merge3(tt.base, tt.ours, tt.theirs).Marked(diff.Labels{Ours: "ours", Base: "base", Theirs: "live"})
			if got != tt.want {
				t.Errorf("got\n%swant\n%s", got, tt.want)
			}
		})
	}
}
