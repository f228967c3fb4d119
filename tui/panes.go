package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

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
