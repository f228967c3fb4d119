package pager

import (
	"strings"

	"toolcrib/tui/draw"
	"toolcrib/tui/theme"
)

// divider separates two cells.
const divider = "│"

// View returns the visible lines, exactly width cells wide and height in number.
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
	if percent := p.Percent(); percent >= 0 {
		draw.Scrollbar(lines, percent, p.len(), p.rule)
	}
	return lines
}

// write appends one visible line.
func (p *Pager) write(b *strings.Builder, at place) {
	row := p.row(at.row)
	for c := range row.Cells {
		if c > 0 {
			p.rule.Over(row.Base).Write(b, divider)
		}
		cell := row.Cells[c] // a copy, because the marks of the search are added
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
		if at.sub > 0 && !shown { // the other cell has more lines
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

// pointer is the sign of the current stop.
const pointer = "▌"

// pointed replaces the blank at the beginning of gutter by the pointer.
func pointed(gutter draw.Line, style theme.Style) draw.Line {
	if len(gutter) == 0 || !strings.HasPrefix(string(gutter[0].Text), " ") {
		return gutter
	}
	first := gutter[0]
	first.Text = first.Text[1:]
	return append(draw.Of(style, pointer).Add(first.Style, first.Text), gutter[1:]...)
}
