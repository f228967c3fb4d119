package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/draw"
	"toolcrib/tui/screen"
)

// paned is a page that has two panes where the screen is wide enough.
type paned interface {
	page
	// left returns how many cells the left pane has, 0 where there is one pane.
	left(l screen.Layout) int
	// from is how wide the screen has to be for two.
	from() int
}

// panes are the tabs of a page that shows the first of them on the left and one of
// the others on the right, or only the current one where there is no room for two.
type panes struct {
	tab    int // has the keys
	beside int // is on the right while the first tab has the keys, 0 for the second tab
}

func (p *panes) left(l screen.Layout) int { return l.Left }

func (p *panes) from() int { return screen.PanesFrom }

// turn gives a tab the keys.
func (p *panes) turn(tab int) {
	p.tab = tab
	if tab > 0 {
		p.beside = tab
	}
}

// right returns the tab in the right pane.
func (p *panes) right() int { return max(1, p.beside) }

// visible reports whether a tab is on the screen.
func (p *panes) visible(l screen.Layout, tab int) bool {
	return tab == p.tab || l.Left > 0 && (tab == 0 || tab == p.right())
}

// width returns how many cells a tab has.
func (p *panes) width(l screen.Layout, tab int) int {
	if tab == 0 && l.Left > 0 {
		return l.Left
	}
	return l.Right
}

// at returns the tab in column x of the screen.
func (p *panes) at(l screen.Layout, x int) int {
	switch {
	case l.Left == 0:
		return p.tab
	case x < l.Left:
		return 0
	}
	return p.right()
}

// on returns the tab on the right or on the left.
func (p *panes) on(right bool) int {
	if right {
		return p.right()
	}
	return 0
}

// strip draws the names of the tabs, each above its pane, with room for right at the
// end.
func (p *panes) strip(m *Model, names []string, right draw.Line) draw.Line {
	l := m.layout
	if l.Left == 0 {
		return m.tabLine(names, p.tab, true, l.Width)
	}
	first := m.tabLine(names[:1], 0, p.tab == 0, l.Left).Fit(l.Left + 1)
	return append(first, m.tabLine(names[1:], p.right()-1, p.tab > 0, l.Right-right.Width())...)
}

// rule is the line above the body, with the beginning of the one between two panes.
func (m *Model) rule() string {
	w := m.layout.Width
	if p, ok := m.page.(interface{ left(l screen.Layout) int }); ok && p.left(m.layout) > 0 {
		left := p.left(m.layout)
		return strings.Repeat("─", left) + "┬" + strings.Repeat("─", w-left-1)
	}
	return strings.Repeat("─", w)
}

// divided divides the screen another way.
func (m *Model) divided(by screen.Division) tea.Cmd {
	m.division = by
	m.resize(m.layout.Width, m.layout.Height)
	return m.page.reload(m)
}
