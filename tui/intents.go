package tui

import (
	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/screen"
)

// carry carries out what a page wants of the workbench, and has its command run.
func (m *Model) carry(intent screen.Intent, cmd tea.Cmd) tea.Cmd {
	switch i := intent.(type) {
	case screen.Say:
		m.status = i
	case *screen.Line:
		m.line = i
	case screen.Open:
		return tea.Batch(cmd, m.openProposal(i.Proposal))
	case screen.Divide:
		return tea.Batch(cmd, m.divided(i.Division))
	}
	return cmd
}

// action is what the workbench itself does at a key.
func (m *Model) action(do func(*Model) tea.Cmd) screen.Action {
	return func() (screen.Intent, tea.Cmd) { return nil, do(m) }
}
