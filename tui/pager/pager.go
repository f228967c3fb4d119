// Package pager shows rows of text in a viewport. It scrolls, wraps lines, searches, and records which texts were on
// screen. It lays out only the visible rows, so the response time to a key press does not depend on the size of the
// text.
package pager

import (
	"strings"

	"toolcrib/tui/draw"
	"toolcrib/tui/theme"
)

// Pager is a viewport with stops and a search. Stops are rows between which the user can step, for example the
// headings of a text. A Pager also records which texts have been on screen. Use New to create a Pager.
type Pager struct {
	viewport
	stops []int
	stop  int // index of the current stop; -1 for none

	query string
	hit   int         // row of the current match; -1 for none
	match theme.Style // style of matches

	rule        theme.Style // style of the divider between two cells
	more        theme.Style // style of the sign for text that continues beyond the edge
	cursorStyle theme.Style // style of the sign at the current stop; "" for no sign
	picking     bool        // the user is picking a row
	pickAction  string
	picked      int         // the row being picked
	pickStyle   theme.Style // style of the sign at the picked row

	seen map[TextID]int // for each text, the number of bytes from its beginning that have been on screen
}

// New returns an empty pager with the styles of th.
func New(th theme.Theme) *Pager {
	p := &Pager{viewport: viewport{rows: Fixed{}, layout: &layout{}}, stop: -1, seen: map[TextID]int{}}
	p.layout.reset()
	p.Restyle(th)
	return p
}

// ShowCursor turns the pager into a list: a sign in the first column marks the current stop.
func (p *Pager) ShowCursor(style theme.Style) { p.cursorStyle = style }

// Restyle applies the styles of th.
func (p *Pager) Restyle(th theme.Theme) { p.match, p.rule, p.more = th.Match, th.Rule, th.Accent }

// SetRows replaces the rows, scrolls to the beginning, and clears the record of displayed texts.
func (p *Pager) SetRows(rows Rows) {
	p.rows, p.top, p.x, p.stop, p.picking = rows, position{}, 0, -1, false
	p.stops = rows.Stops()
	p.selectFirst()
	p.seen = map[TextID]int{}
	p.layout.reset()
}

// Replace replaces the rows by another layout of the same texts. The position and the record of displayed texts stay
// the same.
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

// selectFirst selects the first stop if the pager is a list and no stop is selected.
func (p *Pager) selectFirst() {
	if p.stop < 0 && p.selects() {
		p.stop = 0
	}
}

// SetSize sets the size of the viewport.
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

// SetWrap sets whether long rows are wrapped.
func (p *Pager) SetWrap(wrap bool) {
	if p.wrap == wrap {
		return
	}
	p.wrap, p.x, p.top.sub = wrap, 0, 0
	p.layout.reset()
	p.clamp()
}

// selects reports whether the pager is a list with at least one item.
func (p *Pager) selects() bool { return p.cursorStyle != "" && len(p.stops) > 0 }

// divider is the character between the two cells of a row.
const divider = "│"

// View returns the lines of the viewport. Each line is exactly as wide as the viewport.
func (p *Pager) View() []string {
	defer p.beginPass()()
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

// write appends the visible line at pos to b.
func (p *Pager) write(b *strings.Builder, pos position) {
	row := p.row(pos.row)
	for c := range row.Cells {
		if c > 0 {
			p.rule.Write(b, divider)
		}
		cell := row.Cells[c] // a copy, because write adds the marks of the search
		width, text := p.cellWidth(row, c), p.textWidth(row, c)
		gutter := cell.Gutter
		if pos.sub > 0 {
			gutter = cell.Hang
		}
		if c == 0 && p.cursorStyle != "" && pos.row == p.StopRow() {
			gutter = withCursor(gutter, p.cursorStyle)
		}
		if row, ok := p.Picked(); c == 0 && ok && row == pos.row {
			gutter = withCursor(gutter, p.pickStyle)
		}
		from, to, col, shown := p.span(cellKey{pos.row, c}, &cell, text, pos.sub)
		if pos.sub > 0 && !shown { // the other cell of the row has more lines than this cell
			b.WriteString(draw.Blank(width))
			continue
		}
		left := max(0, width-cell.Gutter.Width())
		text = min(text, left)
		gutter.Write(b, width-left, "")
		if p.query != "" {
			cell.Text.Over = p.matches(cell.Text.Raw, from, to)
		}
		used := 0
		if shown && left > 0 {
			used = cell.Text.Write(b, from, to, col, text)
		}
		if shown && !p.wrap && used < left && to < len(cell.Text.Raw) {
			cell.Fill.Write(b, draw.Blank(left-1-used))
			p.more.Over(cell.Fill).Write(b, "›")
			continue
		}
		cell.Fill.Write(b, draw.Blank(left-used))
	}
}

// cursorSign is the sign at the current stop and at the picked row.
const cursorSign = "▌"

// withCursor returns gutter with its leading blank replaced by cursorSign. If gutter has no leading blank,
// withCursor returns it unchanged.
func withCursor(gutter draw.Line, style theme.Style) draw.Line {
	if len(gutter) == 0 || !strings.HasPrefix(string(gutter[0].Text), " ") {
		return gutter
	}
	first := gutter[0]
	first.Text = first.Text[1:]
	return append(draw.Of(style, cursorSign).Add(first.Style, first.Text), gutter[1:]...)
}
