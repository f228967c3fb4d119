package tui

import (
	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/proposal"
	"toolcrib/tui/screen"
)

// open goes to a page.
func (m *Model) open(p *page) {
	if p == m.page {
		return
	}
	if m.isRoot(p) {
		m.trail = nil
		if p != m.queue {
			m.trail = []*page{m.queue}
		}
	} else {
		m.trail = append(m.trail, m.page)
	}
	m.page = p
}

// visit goes to a page and reads what it shows.
func (m *Model) visit(p *page) tea.Cmd {
	if p == m.page {
		return nil
	}
	m.open(p)
	return p.Reload()
}

// goTo opens one of the pages that are reached from everywhere.
func (m *Model) goTo(of func() *page) screen.Action {
	return func() (screen.Intent, tea.Cmd) { return nil, m.visit(of()) }
}

// back leaves a search or another mode of the page, then the page.
func (m *Model) back() tea.Cmd {
	if cmd, left := m.page.Leave(); left {
		return cmd
	}
	if len(m.trail) == 0 {
		return nil
	}
	m.page = m.trail[len(m.trail)-1]
	m.trail = m.trail[:len(m.trail)-1]
	if _, ok := m.page.Page.(*proposal.Page); ok {
		m.proposal = m.page
	}
	return nil
}

// stamped reloads the screen when something was written.
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
	cmds := []tea.Cmd{m.queue.Reload(), m.calls.Reload()}
	if m.proposal != nil {
		cmds = append(cmds, m.proposal.Reload())
	}
	if m.page != m.queue && m.page != m.calls && m.page != m.proposal {
		cmds = append(cmds, m.page.Reload())
	}
	return tea.Batch(cmds...)
}

func (m *Model) refreshAll() tea.Cmd { return tea.Batch(tea.ClearScreen, m.reload()) }
