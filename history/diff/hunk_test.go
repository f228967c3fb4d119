package diff_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"toolcrib/history/diff"
	"toolcrib/internal/shortrun"
)

// rest returns a line without its spans.
func rest(t *testing.T, l diff.Line) string {
	t.Helper()
	var b strings.Builder
	at := 0
	for i, s := range l.Spans {
		if s.Start < at || s.Start == at && i > 0 || s.End <= s.Start || s.End > len(l.Text) {
			t.Fatalf("span %d of %v in %.100q", i, l.Spans, l.Text)
		}
		if utf8.ValidString(l.Text) && !utf8.ValidString(l.Text[s.Start:s.End]) {
			t.Fatalf("span %v splits a character of %.100q", s, l.Text)
		}
		b.WriteString(l.Text[at:s.Start])
		at = s.End
	}
	return b.String() + l.Text[at:]
}

// validHunks checks the properties of hunks and their words.
func validHunks(t *testing.T, p *diff.Patch, before, after string, context int) {
	t.Helper()
	oldLines, newLines := strings.SplitAfter(before, "\n"), strings.SplitAfter(after, "\n")
	deleted, inserted := 0, 0
	for _, h := range p.Unified(context) {
		h = h.Words()
		validLines(t, h, oldLines, newLines)
		validPairs(t, h)
		for _, l := range h.Lines {
			switch l.Kind {
			case diff.Delete:
				deleted++
			case diff.Insert:
				inserted++
			case diff.Context:
			}
		}
	}
	ends := [2]bool{strings.HasSuffix(before, "\n"), strings.HasSuffix(after, "\n")}
	if want := ends[0] != ends[1] && before != "" && after != ""; p.NewlineChanged() != want {
		t.Fatalf("NewlineChanged is %t", !want)
	}
	if d, i := p.Changed(); d != deleted || i != inserted {
		t.Fatalf("%d and %d lines changed, %d and %d shown", d, i, deleted, inserted)
	}
}

// validLines checks that a hunk has the right lines of both texts.
func validLines(t *testing.T, h diff.Hunk, oldLines, newLines []string) {
	t.Helper()
	x, y := h.OldStart, h.NewStart
	if h.OldLines == 0 {
		x++
	}
	if h.NewLines == 0 {
		y++
	}
	endX, endY := x+h.OldLines, y+h.NewLines
	for i, l := range h.Lines {
		whole := l.Text
		if !l.NoNewline {
			whole += "\n"
		}
		if l.Kind != diff.Insert {
			if l.Old != x || oldLines[x-1] != whole {
				t.Fatalf("line %d, %+v, is not old line %d", i, l, x)
			}
			x++
		} else if l.Old != 0 {
			t.Fatalf("inserted line %+v", l)
		}
		if l.Kind != diff.Delete {
			if l.New != y || newLines[y-1] != whole {
				t.Fatalf("line %d, %+v, is not new line %d", i, l, y)
			}
			y++
		} else if l.New != 0 {
			t.Fatalf("deleted line %+v", l)
		}
	}
	if x != endX || y != endY {
		t.Fatalf("hunk %d,%d %d,%d ends at %d, %d", h.OldStart, h.OldLines, h.NewStart, h.NewLines, x, y)
	}
}

// validPairs checks that pairs are in order and that paired lines are equal outside
// of their spans.
func validPairs(t *testing.T, h diff.Hunk) {
	t.Helper()
	lastPair := -1
	for i, l := range h.Lines {
		if l.Pair < 0 {
			rest(t, l)
			if l.Spans != nil && !l.Rewrapped {
				t.Fatalf("spans without a pair: %+v", l)
			}
			continue
		}
		o := h.Lines[l.Pair]
		if o.Pair != i || l.Kind == diff.Context || o.Kind == diff.Context || o.Kind == l.Kind {
			t.Fatalf("pairs %d %+v and %d %+v", i, l, l.Pair, o)
		}
		if l.Kind == diff.Delete {
			if l.Pair <= lastPair {
				t.Fatalf("pairs cross at %d", i)
			}
			lastPair = l.Pair
		}
		if a, b := rest(t, l), rest(t, o); a != b {
			t.Fatalf("outside the spans %.200q is not %.200q", a, b)
		}
		if len(l.Spans)+len(o.Spans) == 0 && l.NoNewline == o.NoNewline {
			t.Fatalf("lines %q and %q are marked as equal\n%s", l.Text, o.Text, show([]diff.Hunk{h}))
		}
	}
}

func TestHunksOfRandomTexts(t *testing.T) {
	shortrun.OneGoroutine(t)
	r := random(4)
	for n := range 400 {
		lines := prose(r, 1+r.IntN(60))
		before, after := join(lines), join(edited(r, lines, r.Float64()))
		if n%2 == 0 {
			before = strings.TrimSuffix(before, "\n")
		}
		p := valid(t, before, after)
		for _, context := range []int{0, 1, 3, -1, 1 << 62} {
			validHunks(t, p, before, after, context)
		}
		validHunks(t, p.Reverse(), after, before, 3)
	}
}

func TestKinds(t *testing.T) {
	for kind, want := range map[diff.Kind]string{diff.Context: "context", diff.Delete: "delete", diff.Insert: "insert"} {
		if kind.String() != want {
			t.Errorf("%d is %q", kind, kind)
		}
	}
}
