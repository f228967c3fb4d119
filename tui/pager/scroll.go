// This file moves the viewport and the cursor, and records what was on screen.

package pager

import (
	"slices"

	"toolcrib/tui/theme"
)

// Scroll scrolls by n lines, upward if n is negative. While a row is being picked, it moves the picked row.
func (p *Pager) Scroll(n int) {
	if p.picking {
		p.pickRow(p.picked + n)
		return
	}
	p.scroll(n)
}

// ScrollPages scrolls by n times the height, less one line for orientation.
func (p *Pager) ScrollPages(n float64) {
	p.Scroll(int(n * float64(max(1, p.height-1))))
	p.SelectVisible()
}

// ScrollToUnseen scrolls to the first line below the viewport, past rows that were seen and blank rows that need not
// be.
func (p *Pager) ScrollToUnseen() {
	if p.picking {
		p.ScrollPages(1)
		return
	}
	unread := func(c Cell) bool {
		return c.Track == 0 && c.Text.Raw != "" || c.Track != 0 && !p.Seen(c.Track, len(c.Text.Raw))
	}
	p.scroll(p.height)
	if p.top.sub == 0 {
		for row := p.top.row; row < p.len(); row++ { // if everything was seen, this is a plain screen down
			if slices.ContainsFunc(p.row(row).Cells, unread) {
				p.top.row = row
				break
			}
		}
	}
	p.clamp()
	p.SelectVisible()
}

// Home scrolls to the beginning.
func (p *Pager) Home() {
	p.top, p.x, p.picked = position{}, 0, 0
	if p.selects() {
		p.stop = 0
	}
}

// End scrolls to the end.
func (p *Pager) End() {
	p.top, p.picked = p.end(), max(0, p.len()-1)
	if p.selects() {
		p.stop = len(p.stops) - 1
	}
}

// NextStop selects the next stop, or the previous one if step is -1. It returns false if there is none.
func (p *Pager) NextStop(step int) (ok bool) {
	n := p.stop + step
	if p.stop < 0 { // start at the top of the viewport
		for n = 0; n < len(p.stops) && p.stops[n] < p.top.row; n++ {
		}
		if step < 0 {
			n--
		}
	}
	if n < 0 || n >= len(p.stops) {
		return false
	}
	p.stop = n
	p.picked = p.stops[n]
	p.Reveal(p.stops[n])
	return true
}

// Stop returns the index of the current stop, or -1.
func (p *Pager) Stop() int { return p.stop }

// SetStop selects stop n and scrolls to it.
func (p *Pager) SetStop(n int) {
	if n >= 0 && n < len(p.stops) {
		p.stop = n
		p.Reveal(p.stops[n])
	}
}

// StopAt selects the first stop at or below row without scrolling.
func (p *Pager) StopAt(row int) {
	if n, _ := slices.BinarySearch(p.stops, row); n < len(p.stops) {
		p.stop = n
	}
}

// StopRow returns the row of the current stop, or -1.
func (p *Pager) StopRow() int {
	if p.stop < 0 || p.stop >= len(p.stops) {
		return -1
	}
	return p.stops[p.stop]
}

// RevealOffset scrolls until the byte at an offset of a row is visible.
func (p *Pager) RevealOffset(row, at int) {
	sub := 0
	if p.wrap && row < p.len() {
		r := p.row(row)
		for p.hasSub(position{row, sub + 1}) {
			if s, _ := p.layout.line(cellKey{row, 0}, &r.Cells[0].Text, p.textWidth(r, 0), sub); at < s[1] {
				break
			}
			sub++
		}
	}
	p.top = position{row, sub}
	p.scroll(1 - p.height)
}

// MarkSeen records the visible texts as read. A text counts as read up to the first gap.
func (p *Pager) MarkSeen() {
	defer p.beginPass()()
	at, ok := p.top, p.len() > 0
	for n := 0; ok && n < p.height; n++ {
		row := p.row(at.row)
		for c := range row.Cells {
			cell := &row.Cells[c]
			if cell.Track == 0 {
				continue
			}
			key := cellKey{at.row, c}
			from, to, _, shown := p.span(key, cell, p.textWidth(row, c), at.sub)
			if before, known := p.seen[cell.Track]; shown && (from == 0 && !known || known && from <= before && to > before) {
				p.seen[cell.Track] = to
			}
		}
		at, ok = p.after(at)
	}
}

// Seen reports whether the first n bytes of a text were on screen.
func (p *Pager) Seen(t TextID, n int) bool {
	to, known := p.seen[t]
	return known && to >= n
}

// Pick starts picking a row. Scrolling keys then move the picked row. style applies to the sign of the row, and deed
// names the effect of enter for the footer.
func (p *Pager) Pick(row int, style theme.Style, deed string) {
	p.picking, p.pickStyle, p.pickAction = true, style, deed
	p.pickRow(row)
}

// Unpick ends picking.
func (p *Pager) Unpick() { p.picking = false }

// PickAction returns the effect of enter on the picked row.
func (p *Pager) PickAction() string { return p.pickAction }

// Picked returns the picked row, or false if no row is being picked.
func (p *Pager) Picked() (row int, ok bool) { return p.picked, p.picking && p.picked < p.len() }

func (p *Pager) pickRow(row int) {
	p.picked = min(max(0, row), max(0, p.len()-1))
	p.Reveal(p.picked)
}

// A pager with a cursor is a list. An item extends from its stop to the row before the next stop.

// Move moves the cursor to the next item, or to the previous one if n is -1. If the current item extends beyond the
// viewport, it first scrolls by one line. Without items, it only scrolls.
func (p *Pager) Move(n int) {
	if p.picking || !p.selects() {
		p.Scroll(n)
		return
	}
	extendsBelow := func(stop int) bool { // reports whether the item at a stop ends below the viewport
		end := p.len() - 1
		if stop+1 < len(p.stops) {
			end = p.stops[stop+1] - 1
		}
		bottom := p.top
		for range p.height - 1 {
			down, ok := p.after(bottom)
			if !ok {
				return false
			}
			bottom = down
		}
		return bottom.above(position{end, p.lastSub(end)})
	}
	for ; n > 0; n-- {
		if extendsBelow(p.stop) || p.stop == len(p.stops)-1 {
			p.scroll(1)
			continue
		}
		p.stop++
		for row := p.StopRow(); p.top.row < row; p.scroll(1) {
			if _, last := p.Window(); row < last && !extendsBelow(p.stop) {
				break
			}
		}
	}
	for ; n < 0; n++ {
		if row := p.StopRow(); p.top.row > row || p.top == (position{row, p.top.sub}) && p.top.sub > 0 || p.stop == 0 {
			p.scroll(-1)
			continue
		}
		p.stop--
		for row := p.StopRow(); p.top.row > row || p.top.row == row && p.top.sub > 0; {
			p.scroll(-1)
		}
	}
}

// SelectVisible moves the cursor into the viewport.
func (p *Pager) SelectVisible() {
	if !p.selects() {
		return
	}
	first, last := p.Window()
	for p.StopRow() < first && p.stop < len(p.stops)-1 {
		p.stop++
	}
	for p.StopRow() >= last && p.stop > 0 {
		p.stop--
	}
}
