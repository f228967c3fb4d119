package pager

import (
	"fmt"
	"strings"
	"testing"

	"toolcrib/tui/draw"
	"toolcrib/tui/theme"
)

// texts are rows of tracked text.
type texts []string

func (t texts) Len() int     { return len(t) }
func (t texts) Stops() []int { return []int{0, len(t) - 1} }
func (t texts) Row(i int) Row {
	return Row{Cells: []Cell{{Text: draw.Text{Raw: t[i]}, Track: TextID(i + 1)}}}
}

func TestSeenNeedsTheWholeText(t *testing.T) {
	long := strings.Repeat("0123456789", 10)
	p := New(theme.Theme{})
	p.SetRows(texts{"short", long})
	p.SetSize(41, 5)
	p.MarkSeen()
	if !p.Seen(1, 5) || p.Seen(2, len(long)) {
		t.Fatal("what is beyond the edge counts as seen, or what is not does not")
	}
	p.ScrollX(60) // leaves a gap
	p.MarkSeen()
	if p.Seen(2, len(long)) {
		t.Fatal("a text with a gap counts as seen")
	}
	p.ScrollX(-30)
	p.MarkSeen()
	p.ScrollX(30)
	p.MarkSeen()
	if !p.Seen(2, len(long)) {
		t.Fatal("a text that was scrolled through does not count as seen")
	}
}

func TestWrappedTextIsShownWhole(t *testing.T) {
	words := strings.Repeat("some words and 漢字 ", 40)
	for _, width := range []int{7, 20, 61} {
		p := New(theme.Theme{})
		p.SetWrap(true)
		p.SetRows(texts{words})
		p.SetSize(width, 10)
		var got strings.Builder
		for n := p.Lines(10_000); n > 0; n-- {
			p.SetSize(width, 1)
			got.WriteString(strings.TrimRight(p.View()[0], " "))
			p.Scroll(1)
		}
		if strings.ReplaceAll(got.String(), " ", "") != strings.ReplaceAll(words, " ", "") {
			t.Errorf("width %d: %q", width, got.String())
		}
	}
}

// TestShownCodePointsStayWhole wraps written-out code points without spaces between them.
func TestShownCodePointsStayWhole(t *testing.T) {
	shown := strings.Repeat("⟨U+200B⟩⟨U+E0041⟩", 20)
	for width := 11; width < 60; width++ {
		p := New(theme.Theme{})
		p.SetWrap(true)
		p.SetRows(texts{"Why" + shown})
		p.SetSize(width, 10_000)
		var got strings.Builder
		for _, line := range p.View() {
			line = strings.TrimRight(line, " ")
			if strings.Count(line, "⟨") != strings.Count(line, "⟩") {
				t.Errorf("width %d: %q", width, line)
			}
			got.WriteString(line)
		}
		if got.String() != "Why"+shown {
			t.Errorf("width %d: %q", width, got.String())
		}
	}
}

func TestScrollingStaysInside(t *testing.T) {
	rows := make(texts, 30)
	for i := range rows {
		rows[i] = fmt.Sprint("row ", i)
	}
	p := New(theme.Theme{})
	p.SetRows(rows)
	p.SetSize(20, 10)
	p.Scroll(1000)
	if first, last := p.Window(); first != 20 || last != 30 {
		t.Errorf("at the end: %d to %d", first, last)
	}
	p.Scroll(-1000)
	if first, _ := p.Window(); first != 0 {
		t.Errorf("at the beginning: %d", first)
	}
	if !p.Search("ROW 17") {
		t.Fatal("not found")
	}
	if first, last := p.Window(); first > 17 || last <= 17 {
		t.Errorf("row 17 is not in %d to %d", first, last)
	}
	if p.Search("row 31") {
		t.Error("found what is not there")
	}
}

// pairs is a row of two texts side by side.
type pairs [2]string

func (p pairs) Len() int     { return 1 }
func (p pairs) Stops() []int { return nil }
func (p pairs) Row(int) Row {
	cell := func(text string) Cell {
		return Cell{Gutter: draw.Of("", " - "), Hang: draw.Of("", " - "), Text: draw.Text{Raw: text}}
	}
	return Row{Cells: []Cell{cell(p[0]), cell(p[1])}}
}

// TestShorterSideIsBlank checks that the shorter of two texts side by side is followed by blanks, because a sign there
// would belong to no line.
func TestShorterSideIsBlank(t *testing.T) {
	p := New(theme.Theme{})
	p.SetWrap(true)
	p.SetSize(21, 3)
	p.SetRows(pairs{"one", "one two three four"})
	for i, line := range p.View() {
		left, right, _ := strings.Cut(line, "│")
		if want := i == 0; (strings.TrimSpace(left) != "") != want {
			t.Errorf("line %d begins with %q", i, left)
		}
		if !strings.HasPrefix(right, " - ") {
			t.Errorf("line %d ends with %q", i, right)
		}
	}
}

// TestSearchCounts counts the matches in a text that fits into the viewport and in one that does not (T21).
func TestSearchCounts(t *testing.T) {
	for _, height := range []int{20, 3} {
		p := New(theme.Theme{})
		p.SetRows(texts{"head", "one", "row", "two", "row", "three", "row", "end"})
		p.SetSize(40, height)
		count := func(want int, hit bool) {
			t.Helper()
			if n, of, ok := p.Match(); n != want || of != 3 || !ok || !hit {
				t.Errorf("height %d: match %d of %d (%v, %v), want %d of 3", height, n, of, ok, hit, want)
			}
		}
		count(1, p.Search("row"))
		for _, want := range []int{2, 3, 1} {
			count(want, p.NextMatch(1))
		}
		count(3, p.NextMatch(-1))
	}
}

// TestScrollToUnseenRows goes from screen to screen of unread rows: without overlap, and past rows that
// were seen.
func TestScrollToUnseenRows(t *testing.T) {
	rows := make(texts, 40)
	for i := range rows {
		rows[i] = "row"
	}
	p := New(theme.Theme{})
	p.SetRows(rows)
	p.SetSize(20, 10)
	for _, top := range []int{15, 0} { // rows 15 to 24 were seen before
		p.ScrollTo(top)
		p.MarkSeen()
	}
	for _, want := range []int{10, 25, 30, 30} {
		p.ScrollToUnseen()
		if first, _ := p.Window(); first != want {
			t.Fatalf("the window begins at row %d, want %d", first, want)
		}
		p.MarkSeen()
	}
	for i := range rows {
		if !p.Seen(TextID(i+1), len(rows[i])) {
			t.Errorf("row %d was skipped", i)
		}
	}
}
