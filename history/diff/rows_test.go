package diff_test

import (
	"slices"
	"testing"

	"toolcrib/history/diff"
)

func TestRows(t *testing.T) {
	h := diff.Lines(
		"top\nread the canon files\ngone\nwrite a report\nbottom\n",
		"top\nnew at first\nnew at second\nread all canon files\nwrite a short report\nbottom\n",
	).Unified(3)[0].Words()
	type cells struct{ left, right string }
	var got []cells
	for _, r := range h.Rows() {
		var c cells
		if r.Left >= 0 {
			c.left = h.Lines[r.Left].Text
		}
		if r.Right >= 0 {
			c.right = h.Lines[r.Right].Text
		}
		got = append(got, c)
	}
	want := []cells{
		{"top", "top"},
		{"", "new at first"},
		{"", "new at second"},
		{"read the canon files", "read all canon files"},
		{"gone", ""},
		{"write a report", "write a short report"},
		{"bottom", "bottom"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestRowsShowEverything checks that every line is in exactly one row, on its side
// and in order.
func TestRowsShowEverything(t *testing.T) {
	r := random(5)
	for range 200 {
		lines := prose(r, 1+r.IntN(60))
		for _, h := range diff.Lines(join(lines), join(edited(r, lines, r.Float64()))).Unified(2) {
			h = h.Words()
			left, right := 0, 0
			for _, row := range h.Rows() {
				if row.Left >= 0 {
					for h.Lines[left].Kind == diff.Insert {
						left++
					}
					if row.Left != left {
						t.Fatalf("line %d is left, not %d", row.Left, left)
					}
					left++
				}
				if row.Right >= 0 {
					for h.Lines[right].Kind == diff.Delete {
						right++
					}
					if row.Right != right {
						t.Fatalf("line %d is right, not %d", row.Right, right)
					}
					right++
				}
			}
			for _, l := range h.Lines[left:] {
				if l.Kind != diff.Insert {
					t.Fatalf("missing on the left: %+v", l)
				}
			}
			for _, l := range h.Lines[right:] {
				if l.Kind != diff.Delete {
					t.Fatalf("missing on the right: %+v", l)
				}
			}
		}
	}
}
