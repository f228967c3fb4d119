package pager

import (
	"strings"

	"toolcrib/tui/draw"
	"toolcrib/tui/theme"
)

// divider stands between two cells.
const divider = "│"

// cellWidth returns the width of a cell of a row, gutter included.
func (p *Pager) cellWidth(row Row, c int) int {
	n := len(row.Cells)
	if n < 2 {
		return p.width
	}
	left := (p.width - 1) / 2
	if c == 0 {
		return left
	}
	return p.width - 1 - left
}

// textWidth returns the width of the text in a cell. The last column is kept
// free for the sign that there is more.
func (p *Pager) textWidth(row Row, c int) int {
	width := p.cellWidth(row, c)
	if most := row.Cells[c].Most; p.wrap && most > 0 {
		width = min(width, most)
	}
	return max(1, width-row.Cells[c].Gutter.Width()-1)
}

// View returns the window as height lines of exactly width cells.
func (p *Pager) View() []string {
	defer p.through()()
	lines := make([]string, 0, p.height)
	at, ok := p.top, p.len() > 0
	var b strings.Builder
	for ok && len(lines) < p.height {
		b.Reset()
		p.write(&b, at)
		lines = append(lines, b.String())
		at, ok = p.after(at)
	}
	for len(lines) < p.height {
		lines = append(lines, draw.Blank(p.width))
	}
	return lines
}

// write appends one line of the window.
func (p *Pager) write(b *strings.Builder, at place) {
	row := p.row(at.row)
	for c := range row.Cells {
		if c > 0 {
			p.rule.Over(row.Base).Write(b, divider)
		}
		cell := row.Cells[c] // a copy: marks of a search are put into it
		width, text := p.cellWidth(row, c), p.textWidth(row, c)
		gutter := cell.Gutter
		if at.sub > 0 {
			gutter = cell.Hang
		}
		if c == 0 && p.point != "" && at.row == p.StopRow() {
			gutter = pointed(gutter, p.point)
		}
		if row, ok := p.Picked(); c == 0 && ok && row == at.row {
			gutter = pointed(gutter, p.pickStyle)
		}
		from, to, col, shown := p.span(cellKey{at.row, c}, &cell, text, at.sub)
		if at.sub > 0 && !shown { // the other cell is longer
			row.Base.Write(b, draw.Blank(width))
			continue
		}
		left := max(0, width-cell.Gutter.Width())
		text = min(text, left)
		gutter.Write(b, width-left, row.Base)
		if p.query != "" {
			cell.Text.Over = p.matches(cell.Text.Raw, from, to)
		}
		if row.Base != "" {
			cell.Text.Base = cell.Text.Base.Over(row.Base)
		}
		used := 0
		if shown && left > 0 {
			used = cell.Text.Write(b, from, to, col, text)
		}
		fill := cell.Fill.Over(row.Base)
		if shown && !p.wrap && used < left && to < len(cell.Text.Raw) {
			fill.Write(b, draw.Blank(left-1-used))
			p.more.Over(fill).Write(b, "›")
			continue
		}
		fill.Write(b, draw.Blank(left-used))
	}
}

// span returns the bytes of a cell's text that one line of the window shows.
func (p *Pager) span(key cellKey, cell *Cell, width, sub int) (from, to, col int, shown bool) {
	if p.wrap {
		s, ok := p.layout.line(key, &cell.Text, width, sub)
		return s[0], s[1], 0, ok
	}
	x := p.x
	if cell.Still || cell.Track == 0 && cell.Gutter == nil {
		x = 0 // headings stay where they are
	}
	from, col = p.layout.column(key, cell.Text.Raw, x)
	to, _ = draw.Measure(cell.Text.Raw, from, col, width)
	return from, to, col, true
}

// pointer is the sign before the current stop.
const pointer = "▌"

// pointed returns a gutter that begins with a blank with the sign in its place.
func pointed(gutter draw.Line, style theme.Style) draw.Line {
	if len(gutter) == 0 || !strings.HasPrefix(string(gutter[0].Text), " ") {
		return gutter
	}
	first := gutter[0]
	first.Text = first.Text[1:]
	return append(draw.Of(style, pointer).Add(first.Style, first.Text), gutter[1:]...)
}
