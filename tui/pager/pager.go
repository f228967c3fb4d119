// Package pager shows rows of text in a window. It scrolls, wraps, searches, and records which
// parts were on the screen. It lays out only the rows in the window, so a key costs the same in
// a text of any size.
package pager

import (
	"toolcrib/tui/theme"
)

// Pager is the window. It is made by New.
type Pager struct {
	viewport
	finder
	stops []int
	stop  int // index of the current stop, -1 for none

	rule      theme.Style // of the line between two cells
	more      theme.Style // of the sign for text beyond the edge
	point     theme.Style // of the sign before the current stop, "" for none
	picking   bool        // there is a cursor
	pickDeed  string
	picked    int         // the row it is on
	pickStyle theme.Style // of the sign before it

	seen map[Text]int // bytes of a tracked text that were shown from its beginning
}

// New returns a pager that looks as th says.
func New(th theme.Theme) *Pager {
	p := &Pager{viewport: viewport{rows: Fixed{}, layout: newLayout()}, stop: -1, seen: map[Text]int{}}
	p.Restyle(th)
	return p
}

// Point marks the row of the current stop with a sign in its first column, which makes the pager
// a list with a selected item.
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

// selects reports whether there are items to select.
func (p *Pager) selects() bool { return p.point != "" && len(p.stops) > 0 }
