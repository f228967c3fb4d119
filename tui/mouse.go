package tui

import (
	tea "charm.land/bubbletea/v2"
)

// wheelLines is how far one notch of the wheel scrolls.
const wheelLines = 3

// pointer does what the mouse is for: the wheel scrolls, a click selects a row.
func (m *Model) pointer(msg tea.Msg) tea.Cmd {
	if m.layout.TooSmall || m.line != nil {
		return nil
	}
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		n := wheelLines
		if msg.Button == tea.MouseWheelUp {
			n = -n
		}
		if m.dialog != nil {
			m.dialog.pager.Scroll(n)
			return nil
		}
		return m.page.Scroll(msg.X, n)
	case tea.MouseClickMsg:
		row := msg.Y - 4 // bar, tabs, rule, names of the columns
		if m.dialog == nil && row >= 0 && row < m.layout.Body-1 {
			return m.page.Click(msg.X, row)
		}
	}
	return nil
}
