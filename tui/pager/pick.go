package pager

import "toolcrib/tui/theme"

// Pick puts a cursor on a row: what scrolls moves it instead, and the window
// follows. style is that of the sign before the row.
func (p *Pager) Pick(row int, style theme.Style) {
	p.picking, p.pickStyle = true, style
	p.pickRow(row)
}

// Unpick takes the cursor away.
func (p *Pager) Unpick() { p.picking = false }

// Picked returns the row with the cursor; false when there is none.
func (p *Pager) Picked() (row int, ok bool) { return p.picked, p.picking && p.picked < p.len() }

func (p *Pager) pickRow(row int) {
	p.picked = min(max(0, row), max(0, p.len()-1))
	p.Reveal(p.picked)
}
