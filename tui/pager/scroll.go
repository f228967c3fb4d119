// This file moves the viewport and the cursor, and records which texts have been on screen.

package pager

import (
	"slices"

	"toolcrib/tui/theme"
)

// Scroll scrolls down by n lines, or up if n is negative. While the user picks a row, it moves the picked row
// instead.
func (p *Pager) Scroll(n int) {
	if p.picking {
		p.pickRow(p.picked + n)
		return
	}
	p.scroll(n)
}

// ScrollPages scrolls by n screens. A screen is one line less than the height of the viewport. One line
// therefore stays visible for orientation.
func (p *Pager) ScrollPages(n float64) {
	p.Scroll(int(n * float64(max(1, p.height-1))))
	p.SelectVisible()
}

// ScrollToUnseen scrolls down by one screen, and then to the first row that has not been on screen. It skips
// blank rows that are not recorded.
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
		for row := p.top.row; row < p.len(); row++ { // if every row has been on screen, the first scroll remains in effect
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

// NextStop selects the next stop if step is 1, or the previous stop if step is -1. It returns false if no such
// stop exists.
func (p *Pager) NextStop(step int) (ok bool) {
	n := p.stop + step
	if p.stop < 0 { // no stop is selected: start at the top of the viewport
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

// Stop returns the index of the current stop, or -1 if no stop is selected.
func (p *Pager) Stop() int { return p.stop }

// SetStop selects stop n and scrolls to it.
func (p *Pager) SetStop(n int) {
	if n >= 0 && n < len(p.stops) {
		p.stop = n
		p.Reveal(p.stops[n])
	}
}

// StopAt selects the first stop at or below the given row. It does not scroll.
func (p *Pager) StopAt(row int) {
	if n, _ := slices.BinarySearch(p.stops, row); n < len(p.stops) {
		p.stop = n
	}
}

// StopRow returns the row of the current stop, or -1 if no stop is selected.
func (p *Pager) StopRow() int {
	if p.stop < 0 || p.stop >= len(p.stops) {
		return -1
	}
	return p.stops[p.stop]
}

// RevealOffset makes the byte at the given offset of row visible, if possible on the last line of the viewport.
func (p *Pager) RevealOffset(row, offset int) {
	sub := 0
	if p.wrap && row < p.len() {
		r := p.row(row)
		for p.hasSub(position{row, sub + 1}) {
			if s, _ := p.layout.line(cellKey{row, 0}, &r.Cells[0].Text, p.textWidth(r, 0), sub); offset < s[1] {
				break
			}
			sub++
		}
	}
	p.top = position{row, sub}
	p.scroll(1 - p.height)
}

// MarkSeen records the visible texts. For each text, it records the number of bytes from its beginning that
// have been on screen without gaps.
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

// Seen reports whether the first n bytes of text t have been on screen.
func (p *Pager) Seen(t TextID, n int) bool {
	to, known := p.seen[t]
	return known && to >= n
}

// Pick lets the user pick a row, starting at the given row. Until the user has picked one, scrolling moves the
// picked row. style is the style of the sign at that row. deed is the label of the enter key in the footer.
func (p *Pager) Pick(row int, style theme.Style, deed string) {
	p.picking, p.pickStyle, p.pickAction = true, style, deed
	p.pickRow(row)
}

// Unpick stops the picking of a row.
func (p *Pager) Unpick() { p.picking = false }

// PickAction returns the label of the enter key that was passed to Pick.
func (p *Pager) PickAction() string { return p.pickAction }

// Picked returns the picked row. It returns false if the user is not picking a row.
func (p *Pager) Picked() (row int, ok bool) { return p.picked, p.picking && p.picked < p.len() }

func (p *Pager) pickRow(row int) {
	p.picked = min(max(0, row), max(0, p.len()-1))
	p.Reveal(p.picked)
}

// The code below implements lists, which are pagers with a cursor. An item extends from its stop to the row
// before the next stop.

// Move moves the cursor down by n items, or up if n is negative. If the current item extends beyond the
// viewport, it scrolls by one line instead of moving to the next item. In a list without items, it only
// scrolls.
func (p *Pager) Move(n int) {
	if p.picking || !p.selects() {
		p.Scroll(n)
		return
	}
	extendsBelow := func(stop int) bool { // reports whether the item at the given stop ends below the viewport
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

// SelectVisible moves the cursor to an item in the viewport if the current item is not visible.
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
