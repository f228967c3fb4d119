// This file breaks texts into lines and defines the rows of a pager.

package pager

import (
	"strings"

	"toolcrib/tui/draw"
	"toolcrib/tui/theme"
)

type cellKey struct{ row, cell int }

// layout caches the line breaks of texts and the positions of distant columns in long lines. It is computed on
// demand.
type layout struct {
	breaks map[cellKey]*breaks
	marks  map[cellKey][]int // offset of column n*markEvery
	window window            // last computed window
}

// window is the range of rows that height lines from top show. last is exclusive.
type window struct {
	top         position
	height      int
	first, last int
}

// breaks are the offsets at which the lines of a wrapped text begin.
type breaks struct {
	starts []int
	done   bool
}

func (l *layout) reset() {
	l.breaks, l.marks, l.window = map[cellKey]*breaks{}, map[cellKey][]int{}, window{}
}

// line returns the offsets of line n of a text in width cells.
func (l *layout) line(key cellKey, t *draw.Text, width, n int) (span [2]int, ok bool) {
	b := l.breaks[key]
	if b == nil {
		b = &breaks{starts: []int{0}}
		l.breaks[key] = b
	}
	for len(b.starts) <= n+1 && !b.done {
		b.grow(t.Raw, width)
	}
	if n >= len(b.starts) {
		return span, false
	}
	end := len(t.Raw)
	if n+1 < len(b.starts) {
		end = b.starts[n+1]
	}
	return [2]int{b.starts[n], end}, true
}

func (l *layout) count(key cellKey, t *draw.Text, width int) int {
	l.line(key, t, width, 0)
	b := l.breaks[key]
	for !b.done {
		b.grow(t.Raw, width)
	}
	return len(b.starts)
}

// maxShown is the length of ⟨U+10FFFF⟩ in bytes.
const maxShown = len("⟨U+10FFFF⟩")

// grow finds the end of the next line: after the last space that fits, or else at the width. It does not break a code
// point that package visible writes out.
func (b *breaks) grow(raw string, width int) {
	from := b.starts[len(b.starts)-1]
	to, _ := draw.Measure(raw, from, 0, max(1, width))
	if to >= len(raw) {
		b.done = true
		return
	}
	if raw[to] == ' ' { // the space stays on the broken line
		to++
	} else if i := strings.LastIndexByte(raw[from:to], ' '); i > 0 && i > (to-from)/3 {
		to = from + i + 1
	} else if i := strings.LastIndex(raw[from:to], "⟨"); i > 0 && to-from-i <= maxShown && !strings.Contains(raw[from+i:to], "⟩") {
		to = from + i // keep a written-out code point in one piece
	}
	if to >= len(raw) {
		b.done = true
		return
	}
	b.starts = append(b.starts, to)
}

// markEvery is the distance between cached columns, in cells.
const markEvery = 2048

// column returns the offset at which column x of a text begins, and the actual column of that offset, which is
// smaller if x is inside a wide character.
func (l *layout) column(key cellKey, raw string, x int) (from, col int) {
	if x <= 0 {
		return 0, 0
	}
	if x < markEvery {
		return draw.Measure(raw, 0, 0, x)
	}
	marks := l.marks[key]
	if marks == nil {
		marks = []int{0}
	}
	for len(marks)*markEvery <= x && marks[len(marks)-1] < len(raw) {
		last := marks[len(marks)-1]
		to, _ := draw.Measure(raw, last, 0, markEvery)
		marks = append(marks, to)
	}
	l.marks[key] = marks
	n := min(x/markEvery, len(marks)-1)
	to, used := draw.Measure(raw, marks[n], 0, x-n*markEvery)
	return to, n*markEvery + used
}

// Rows are the rows that a pager shows.
type Rows interface {
	Len() int
	// Row returns row i. It is called only for visible rows.
	Row(i int) Row
	// Stops returns the rows that the user can step through, in order.
	Stops() []int
}

// Row is one row: one cell over the whole width, or two side by side.
type Row struct {
	Cells []Cell
}

// Cell is a text with a gutter.
type Cell struct {
	Gutter draw.Line
	Hang   draw.Line // gutter of continuation lines, as wide as Gutter
	Text   draw.Text
	Fill   theme.Style // background from the text to the edge
	// NoScroll excludes the text from horizontal scrolling.
	NoScroll bool
	// MaxWidth is the maximum width of wrapped text, in cells from the edge of the viewport; 0 means the other edge.
	MaxWidth int
	// Track identifies the text in the record of what was read; 0 means that it is not recorded.
	Track TextID
}

// TextID identifies a tracked text in any layout of the rows.
type TextID uint64

// Fixed are rows that have been laid out.
type Fixed struct {
	Rows     []Row
	StopRows []int // stops
}

// Len implements Rows.
func (f Fixed) Len() int { return len(f.Rows) }

// Row implements Rows.
func (f Fixed) Row(i int) Row { return f.Rows[i] }

// Stops implements Rows.
func (f Fixed) Stops() []int { return f.StopRows }
