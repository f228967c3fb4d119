package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/screen"
)

// rule is the line above the body, with the beginning of the one between two panes.
func (m *Model) rule() string {
	w := m.layout.Width
	if left := m.page.leftOf(m.layout); left > 0 {
		return strings.Repeat("─", left) + "┬" + strings.Repeat("─", w-left-1)
	}
	return strings.Repeat("─", w)
}

// divided divides the screen another way.
func (m *Model) divided(by screen.Division) tea.Cmd {
	m.division = by
	m.resize(m.layout.Width, m.layout.Height)
	return m.page.Reload()
}
