package tui

import (
	tea "charm.land/bubbletea/v2"
)

// stamped reads anew what is on the screen when something was written.
func (m *Model) stamped(msg stampMsg) tea.Cmd {
	switch {
	case msg.err != nil:
		m.fail(msg.err)
		return nil
	case msg.stamp == m.stamp:
		return nil
	}
	first := m.stamp == 0
	m.stamp = msg.stamp
	if first {
		return nil
	}
	return m.reload()
}

// reload reads everything on the screen and beneath it again.
func (m *Model) reload() tea.Cmd {
	cmds := []tea.Cmd{m.queue.reload(m), m.loadCalls()}
	if m.proposal != nil {
		cmds = append(cmds, m.loadDossier(m.proposal.id))
	}
	switch m.page {
	case pageTools, pageAgents, pageLists:
		cmds = append(cmds, m.registry().reload(m))
	case pageSubject:
		m.subject.usesRead = false
		cmds = append(cmds, m.loadDefinition(m.subject.entry.Subject), m.loadVersions(m.subject.entry.Subject))
	case pageLog:
		cmds = append(cmds, m.loadEvents(0))
	case pageDrafts:
		cmds = append(cmds, m.readDrafts(false))
	case pageQueue, pageProposal, pageHelp, pageCalls:
	}
	return tea.Batch(cmds...)
}

func (m *Model) refreshAll() tea.Cmd { return tea.Batch(tea.ClearScreen, m.reload()) }
