package tui

import (
	tea "charm.land/bubbletea/v2"
)

// wheelLines is how far one notch of the wheel scrolls.
const wheelLines = 3

// pointer does what the mouse is for: the wheel scrolls, a click selects a row.
func (m *Model) pointer(msg tea.Msg) tea.Cmd {
	if m.layout.tooSmall || m.line != nil {
		return nil
	}
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		n := wheelLines
		if msg.Button == tea.MouseWheelUp {
			n = -n
		}
		switch {
		case m.dialog != nil:
			m.dialog.pager.Scroll(n)
		case m.textPager() != nil:
			m.textPager().Scroll(n)
		case m.page == pageQueue:
			return m.queue.move(m, n)
		default:
			return m.registry().move(m, n)
		}
	case tea.MouseClickMsg:
		row := msg.Y - 4 // bar, tabs, rule, names of the columns
		if m.dialog != nil || row < 0 || row >= m.layout.body-1 {
			return nil
		}
		switch m.page {
		case pageQueue:
			return m.queue.move(m, m.queue.top+row-m.queue.cursor)
		case pageTools, pageAgents, pageLists:
			r := m.registry()
			return r.move(m, r.top+row-r.cursor)
		case pageProposal, pageSubject, pageLog, pageHelp, pageDrafts, pageCalls:
		}
	}
	return nil
}
