package tui

import tea "charm.land/bubbletea/v2"

// Poll is the message that asks whether anything was written.
func Poll() tea.Msg { return pollMsg{} }

// Writes returns how many writes are on their way.
func (m *Model) Writes() int { return m.atWork() }

// Kept reports whether the screen stands as it was last drawn.
func (m *Model) Kept() bool { return m.drawn != nil }
