// Package pager shows rows of text through a window: it scrolls, wraps, searches,
// and records which parts were on the screen. Only the rows in the window are ever
// laid out, so a key costs the same in a text of any size.
package pager

import (
	"strings"

	"toolcrib/tui/draw"
	"toolcrib/tui/theme"
)

// Rows are the rows that a pager shows.
type Rows interface {
	Len() int
	// Row returns row i. It is asked for rows in the window only.
	Row(i int) Row
	// Stops are the rows that a reader goes to one after the other, in order.
	Stops() []int
}

// Row is one row: one cell over the whole width, or two side by side.
type Row struct {
	Cells []Cell
	Base  theme.Style // under everything in the row
}

// Cell is a piece of text and the text before its first line.
type Cell struct {
	Gutter draw.Line
	Hang   draw.Line // before the further lines when it is wrapped; as wide as Gutter
	Text   draw.Text
	Fill   theme.Style // behind the text to the edge
	// Still keeps the text in its place when rows that are not wrapped are scrolled to
	// the side.
	Still bool
	// Most is the column at which wrapped text breaks at the latest, in cells from
	// the edge of the window; 0 means its other edge.
	Most int
	// Track, when it is not 0, names the text for the pager to remember how much
	// of it was shown.
	Track Text
}

// Text names a text whose reading is tracked, in any arrangement of its rows.
type Text uint64

// place is a line of the laid out text: a row, and a line within it when rows
// are wrapped.
type place struct{ row, sub int }

// nothing has no rows, for a pager that was given none yet.
type nothing struct{}

func (nothing) Len() int     { return 0 }
func (nothing) Row(int) Row  { return Row{} }
func (nothing) Stops() []int { return nil }

// Pager is the window. It is made by New.
type Pager struct {
	rows   Rows
	stops  []int
	layout *layout
	width  int
	height int
	wrap   bool
	x      int // cells scrolled to the right when not wrapped
	top    place
	stop   int // index of the current stop, -1 for none

	query     string
	hit       int         // the row of the last match, -1 for none
	match     theme.Style // of what a search finds
	rule      theme.Style // of the line between two cells
	more      theme.Style // of the sign for text beyond the edge
	point     theme.Style // of the sign before the current stop, "" for none
	picking   bool        // there is a cursor
	picked    int         // the row it is on
	pickStyle theme.Style // of the sign before it

	seen map[Text]int // bytes of a tracked text that were shown from its beginning

	walk walked // while a window is gone through
}

// walked is the row that was made last while a window is gone through: each of its
// lines needs it more than once.
type walked struct {
	on, made bool
	at       int
	row      Row
}

// through begins to go through a window; the function it returns ends that.
func (p *Pager) through() func() {
	p.walk = walked{on: true}
	return func() { p.walk = walked{} }
}

// row returns a row, which is not to be changed.
func (p *Pager) row(i int) Row {
	if p.walk.made && p.walk.at == i {
		return p.walk.row
	}
	row := p.rows.Row(i)
	if p.walk.on {
		p.walk.made, p.walk.at, p.walk.row = true, i, row
	}
	return row
}

type cellKey struct{ row, cell int }

// New returns a pager that looks as th says.
func New(th theme.Theme) *Pager {
	p := &Pager{rows: nothing{}, stop: -1, layout: newLayout(), seen: map[Text]int{}}
	p.Restyle(th)
	return p
}

// Point marks the row of the current stop with a sign in its first column. It
// makes a list of the pager, with the first item selected.
func (p *Pager) Point(style theme.Style) { p.point = style }

// Restyle makes it look as th says.
func (p *Pager) Restyle(th theme.Theme) { p.match, p.rule, p.more = th.Match, th.Rule, th.Accent }

// SetRows shows other rows from their beginning. What was seen is forgotten.
func (p *Pager) SetRows(rows Rows) {
	p.rows, p.top, p.x, p.stop, p.picking = rows, place{}, 0, -1, false
	p.stops = rows.Stops()
	p.selectFirst()
	p.seen = map[Text]int{}
	p.layout.reset()
}

// Replace shows the same texts in other rows: it keeps the place, and which parts
// were seen.
func (p *Pager) Replace(rows Rows) {
	p.rows, p.stops = rows, rows.Stops()
	p.layout.reset()
	if p.stop >= len(p.stops) {
		p.stop = len(p.stops) - 1
	}
	p.selectFirst()
	if p.picked >= rows.Len() {
		p.picking = false
	}
	p.clamp()
}

// selectFirst selects the first item of a list where none is.
func (p *Pager) selectFirst() {
	if p.stop < 0 && p.selects() {
		p.stop = 0
	}
}

// SetSize sets the window.
func (p *Pager) SetSize(width, height int) {
	if p.width == width && p.height == height {
		return
	}
	if p.width != width {
		p.layout.reset()
		p.top.sub = 0
	}
	p.width, p.height = width, height
	p.clamp()
}

// SetWrap wraps long rows, or lets them run out of the window.
func (p *Pager) SetWrap(wrap bool) {
	if p.wrap == wrap {
		return
	}
	p.wrap, p.x, p.top.sub = wrap, 0, 0
	p.layout.reset()
	p.clamp()
}

// Wrapped reports whether long rows are wrapped.
func (p *Pager) Wrapped() bool { return p.wrap }

// len returns the number of rows.
func (p *Pager) len() int {
	return p.rows.Len()
}

// Percent returns how far down the window is, from 0 to 100; -1 when everything is
// in it.
func (p *Pager) Percent() int {
	end := p.end()
	if end == (place{}) {
		return -1
	}
	if p.top == end {
		return 100
	}
	return min(99, p.top.row*100/max(1, end.row))
}

// layout remembers where texts are broken into lines, and where far columns of
// long lines begin. It grows as far as it is asked.
type layout struct {
	breaks map[cellKey]*breaks
	marks  map[cellKey][]int // byte at which column n*markEvery begins
	window window            // the last that was asked for
}

// window is the rows from first to before last, which a number of lines from top on
// shows.
type window struct {
	top         place
	height      int
	first, last int
}

// breaks are the bytes at which the lines of one text begin.
type breaks struct {
	starts []int
	done   bool
}

func newLayout() *layout {
	l := &layout{}
	l.reset()
	return l
}

func (l *layout) reset() {
	l.breaks, l.marks, l.window = map[cellKey]*breaks{}, map[cellKey][]int{}, window{}
}

// line returns from and to of line n of a text in width cells.
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

// maxShown is the length of ⟨U+10FFFF⟩, in bytes.
const maxShown = len("⟨U+10FFFF⟩")

// grow finds the end of one line more: behind the last space that fits, else
// where the width ends, before a code point that package visible shows.
func (b *breaks) grow(raw string, width int) {
	from := b.starts[len(b.starts)-1]
	to, _ := draw.Measure(raw, from, 0, max(1, width))
	if to >= len(raw) {
		b.done = true
		return
	}
	if raw[to] == ' ' { // the break takes the space with it
		to++
	} else if i := strings.LastIndexByte(raw[from:to], ' '); i > 0 && i > (to-from)/3 {
		to = from + i + 1
	} else if i := strings.LastIndex(raw[from:to], "⟨"); i > 0 && to-from-i <= maxShown && !strings.Contains(raw[from+i:to], "⟩") {
		to = from + i // a shown code point stays whole
	}
	if to >= len(raw) {
		b.done = true
		return
	}
	b.starts = append(b.starts, to)
}

// markEvery is how many cells apart far columns are remembered.
const markEvery = 2048

// column returns the byte at which column x of a text begins, and which column
// that byte really is in, which is less where x is inside of a wide character.
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
