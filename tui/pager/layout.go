// This file computes line breaks and defines the rows of a pager.

package pager

import (
	"strings"

	"toolcrib/tui/draw"
	"toolcrib/tui/theme"
)

type cellKey struct{ row, cell int }

// layout caches the line breaks of wrapped texts, and offsets within long unwrapped lines. Both are computed
// on demand.
type layout struct {
	breaks map[cellKey]*breaks
	marks  map[cellKey][]int // element n is the byte offset of column n*markEvery
	window window            // the last range of rows that was computed
}

// window contains the visible rows, from first to last-1, for the given top and height.
type window struct {
	top         position
	height      int
	first, last int
}

// breaks contains the offset at which each line of a wrapped text begins. done is set if all lines are known.
type breaks struct {
	starts []int
	done   bool
}

func (l *layout) reset() {
	l.breaks, l.marks, l.window = map[cellKey]*breaks{}, map[cellKey][]int{}, window{}
}

// line returns the start and end offsets of line n of a text that is wrapped to the given width. ok is false
// if the text has no line n.
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

// grow computes the next line break. If possible, the line ends after the last space that fits. Otherwise, it
// has the full width. A line never ends inside the notation of a code point, such as ⟨U+10FFFF⟩, which package
// visible writes.
func (b *breaks) grow(raw string, width int) {
	from := b.starts[len(b.starts)-1]
	to, _ := draw.Measure(raw, from, 0, max(1, width))
	if to >= len(raw) {
		b.done = true
		return
	}
	if raw[to] == ' ' { // the space belongs to the line before the break
		to++
	} else if i := strings.LastIndexByte(raw[from:to], ' '); i > 0 && i > (to-from)/3 {
		to = from + i + 1
	} else if i := strings.LastIndex(raw[from:to], "⟨"); i > 0 && to-from-i <= maxShown && !strings.Contains(raw[from+i:to], "⟩") {
		to = from + i // do not break the notation of a code point
	}
	if to >= len(raw) {
		b.done = true
		return
	}
	b.starts = append(b.starts, to)
}

// markEvery is the distance between columns with cached offsets, in cells.
const markEvery = 2048

// column returns the byte offset of the character at column x of a text, and the column at which this
// character begins. That column is smaller than x if x is in the second half of a wide character.
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

// Rows provides the rows that a pager shows.
type Rows interface {
	Len() int
	// Row returns row i. The pager calls it only for the rows that it needs.
	Row(i int) Row
	// Stops returns the indexes of the rows between which the user can step, in ascending order.
	Stops() []int
}

// Row is a row with a single cell over the whole width, or with two cells side by side.
type Row struct {
	Cells []Cell
}

// Cell is a text with a gutter.
type Cell struct {
	Gutter draw.Line
	Hang   draw.Line // gutter of continuation lines, as wide as Gutter
	Text   draw.Text
	Fill   theme.Style // style of the blanks between the text and the edge
	// NoScroll excludes the text from horizontal scrolling.
	NoScroll bool
	// MaxWidth is the maximum width of the cell if lines are wrapped; 0 means no limit.
	MaxWidth int
	// Track is the ID of the text in the pager's record of displayed texts. If Track is 0, the text is not
	// recorded.
	Track TextID
}

// TextID identifies a text in the pager's record of displayed texts. It does not depend on the layout.
type TextID uint64

// Fixed implements Rows for rows that are already laid out.
type Fixed struct {
	Rows     []Row
	StopRows []int // result of Stops
}

// Len implements Rows.
func (f Fixed) Len() int { return len(f.Rows) }

// Row implements Rows.
func (f Fixed) Row(i int) Row { return f.Rows[i] }

// Stops implements Rows.
func (f Fixed) Stops() []int { return f.StopRows }
