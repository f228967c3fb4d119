package tui

import tea "charm.land/bubbletea/v2"

// Poll returns the message that checks for writes.
func Poll() tea.Msg { return pollMsg{} }

// Writes returns the number of running writes.
func (m *Model) Writes() int { return m.writes.Running() }

// Kept reports whether the last frame is still valid.
func (m *Model) Kept() bool { return m.drawn != nil }
