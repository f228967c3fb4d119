// This file computes which rows are visible.

package pager

import "toolcrib/tui/draw"

// viewport shows a part of the rows. top is the position of its first line, and height is the number of its
// lines.
type viewport struct {
	rows   Rows
	layout *layout
	width  int
	height int
	wrap   bool
	x      int // horizontal scroll position; 0 if lines are wrapped
	top    position
	cache  rowCache // valid only during a pass over the viewport
}

// position identifies a line on the screen by its row and, if the row is wrapped, by the number of the line in
// that row.
type position struct{ row, sub int }

// rowCache caches the last result of viewport.row during a pass over the viewport, because drawing a row
// requires it several times.
type rowCache struct {
	active, valid bool
	index         int
	row           Row
}

// beginPass starts a pass over the viewport, which caches rows. The caller must call the result at the end of
// the pass.
func (v *viewport) beginPass() func() {
	v.cache = rowCache{active: true}
	return func() { v.cache = rowCache{} }
}

// row returns row i. The caller must not modify the result.
func (v *viewport) row(i int) Row {
	if v.cache.valid && v.cache.index == i {
		return v.cache.row
	}
	row := v.rows.Row(i)
	if v.cache.active {
		v.cache.valid, v.cache.index, v.cache.row = true, i, row
	}
	return row
}

func (v *viewport) len() int {
	return v.rows.Len()
}

// hasSub reports whether the row has a line at pos.
func (v *viewport) hasSub(pos position) bool {
	if pos.sub == 0 {
		return true
	}
	if !v.wrap {
		return false
	}
	row := v.row(pos.row)
	for c := range row.Cells {
		if _, ok := v.layout.line(cellKey{pos.row, c}, &row.Cells[c].Text, v.textWidth(row, c), pos.sub); ok {
			return true
		}
	}
	return false
}

// lastSub returns the number of the last line of the given row.
func (v *viewport) lastSub(row int) int {
	if !v.wrap {
		return 0
	}
	last := 0
	r := v.row(row)
	for c := range r.Cells {
		last = max(last, v.layout.count(cellKey{row, c}, &r.Cells[c].Text, v.textWidth(r, c))-1)
	}
	return last
}

// after returns the position of the line below pos. It returns false at the end.
func (v *viewport) after(pos position) (position, bool) {
	if v.len() == 0 {
		return pos, false
	}
	if next := (position{pos.row, pos.sub + 1}); v.hasSub(next) {
		return next, true
	}
	if pos.row+1 >= v.len() {
		return pos, false
	}
	return position{pos.row + 1, 0}, true
}

// before returns the position of the line above pos. It returns false at the beginning.
func (v *viewport) before(pos position) (position, bool) {
	if pos.sub > 0 {
		return position{pos.row, pos.sub - 1}, true
	}
	if pos.row == 0 {
		return pos, false
	}
	return position{pos.row - 1, v.lastSub(pos.row - 1)}, true
}

// end returns the position of the top line when the viewport is scrolled to the end.
func (v *viewport) end() position {
	n := v.len()
	if n == 0 || v.height <= 0 {
		return position{}
	}
	at := position{n - 1, v.lastSub(n - 1)}
	for range v.height - 1 {
		up, ok := v.before(at)
		if !ok {
			return position{}
		}
		at = up
	}
	return at
}

// clamp moves the viewport back if it extends beyond the last row.
func (v *viewport) clamp() {
	if v.top.row >= v.len() {
		v.top = position{max(0, v.len()-1), 0}
	}
	// The end method is expensive, so call it only if the end can be in the viewport.
	if v.len()-v.top.row > v.height {
		return
	}
	if end := v.end(); end.above(v.top) {
		v.top = end
	}
}

func (v *viewport) scroll(n int) {
	step := v.after
	if n < 0 {
		step, n = v.before, -n
	}
	for range n {
		at, ok := step(v.top)
		if !ok {
			break
		}
		v.top = at
	}
	v.clamp()
}

// Wrapped reports whether long rows are wrapped.
func (v *viewport) Wrapped() bool { return v.wrap }

// Percent returns the scroll position from 0 to 100. It returns -1 if all rows are visible.
func (v *viewport) Percent() int {
	end := v.end()
	if end == (position{}) {
		return -1
	}
	if v.top == end {
		return 100
	}
	return min(99, v.top.row*100/max(1, end.row))
}

// ScrollX scrolls to the right by n cells, or to the left if n is negative. It has no effect if lines are
// wrapped.
func (v *viewport) ScrollX(n int) {
	if !v.wrap {
		v.x = max(0, v.x+n)
	}
}

// Reveal makes the given row visible. If the row is not visible yet, Reveal scrolls it to one third of the
// height below the top.
func (v *viewport) Reveal(row int) {
	if first, last := v.Window(); row >= first && row < last {
		return
	}
	v.Center(row)
}

// Center scrolls the given row to one third of the height below the top.
func (v *viewport) Center(row int) {
	v.top = position{min(max(0, row), max(0, v.len()-1)), 0}
	v.scroll(-v.height / 3)
}

// ScrollTo scrolls the given row to the top. Near the end, it scrolls only until the last row is visible.
func (v *viewport) ScrollTo(row int) {
	v.top = position{min(max(0, row), max(0, v.len()-1)), 0}
	v.clamp()
}

// Window returns the indexes of the visible rows as a range from start to end-1.
func (v *viewport) Window() (start, end int) {
	if v.len() == 0 {
		return 0, 0
	}
	if w := v.layout.window; w.last > 0 && w.top == v.top && w.height == v.height {
		return w.first, w.last
	}
	at := v.top
	for range v.height - 1 {
		down, ok := v.after(at)
		if !ok {
			break
		}
		at = down
	}
	v.layout.window = window{v.top, v.height, v.top.row, at.row + 1}
	return v.top.row, at.row + 1
}

// Lines returns the number of lines of all rows, but at most limit.
func (v *viewport) Lines(limit int) int {
	n := 0
	for at, ok := (position{}), v.len() > 0; ok && n < limit; n++ {
		at, ok = v.after(at)
	}
	return n
}

// WrapsNothing reports whether p wraps lines, but all rows are on screen and none is wider than its column.
func WrapsNothing(p *Pager) bool {
	return p.wrap && p.len() <= p.height && p.Lines(p.height+1) == p.len()
}

// cellWidth returns the width of cell c of the given row, including its gutter.
func (v *viewport) cellWidth(row Row, c int) int {
	n := len(row.Cells)
	if n < 2 {
		return v.width
	}
	left := (v.width - 1) / 2
	if c == 0 {
		return left
	}
	return v.width - 1 - left
}

// textWidth returns the width of the text in cell c of the given row. The last column of a cell is reserved for
// the sign of a text that continues beyond the edge.
func (v *viewport) textWidth(row Row, c int) int {
	width := v.cellWidth(row, c)
	if most := row.Cells[c].MaxWidth; v.wrap && most > 0 {
		width = min(width, most)
	}
	return max(1, width-row.Cells[c].Gutter.Width()-1)
}

// span returns the start and end offsets of the visible text in line sub of a cell, and the column of its first
// character. visible reports whether the cell has such a line.
func (v *viewport) span(key cellKey, cell *Cell, width, sub int) (start, end, col int, visible bool) {
	if v.wrap {
		s, ok := v.layout.line(key, &cell.Text, width, sub)
		return s[0], s[1], 0, ok
	}
	x := v.x
	if cell.NoScroll || cell.Track == 0 && cell.Gutter == nil {
		x = 0 // headings do not scroll
	}
	start, col = v.layout.column(key, cell.Text.Raw, x)
	end, _ = draw.Measure(cell.Text.Raw, start, col, width)
	return start, end, col, true
}

func (a position) above(b position) bool { return a.row < b.row || a.row == b.row && a.sub < b.sub }
