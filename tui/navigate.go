package tui

import tea "charm.land/bubbletea/v2"

// place returns the name of the table of the page's own keys.
func (m *Model) place() string {
	switch m.page {
	case pageProposal:
		return placeProposal
	case pageTools, pageAgents, pageLists:
		return placeRegistry
	case pageSubject:
		return placeSubject
	case pageLog:
		return placeLog
	case pageHelp:
		return placeHelp
	case pageDrafts:
		return placeDrafts
	case pageCalls:
		return placeCalls
	case pageQueue:
	}
	return placeQueue
}

// open goes to a page.
func (m *Model) open(p page) tea.Cmd {
	if p == m.page {
		return nil
	}
	switch p {
	case pageQueue, pageTools, pageAgents, pageLists, pageLog:
		m.trail = nil
		if p != pageQueue {
			m.trail = []page{pageQueue}
		}
	case pageProposal, pageSubject, pageHelp, pageDrafts, pageCalls:
		m.trail = append(m.trail, m.page)
	}
	m.page = p
	switch p {
	case pageTools, pageAgents, pageLists:
		return m.registry().open(m)
	case pageLog:
		return m.loadEvents(0)
	case pageQueue, pageProposal, pageSubject, pageHelp, pageDrafts, pageCalls:
	}
	return nil
}

// back leaves a search, then the page.
func (m *Model) back() tea.Cmd {
	if p := m.textPager(); p != nil {
		if _, picking := p.Picked(); picking {
			p.Unpick()
			return nil
		}
		if p.Query() != "" {
			p.Search("")
			return nil
		}
	}
	if s := m.subject; m.page == pageSubject && s.shown != (span{}) && s.section == sectionVersions {
		s.list(m)
		return nil
	}
	if l := m.lister(); l != nil && l.filterText() != "" {
		return l.setFilter(m, "")
	}
	if len(m.trail) == 0 {
		return nil
	}
	m.page = m.trail[len(m.trail)-1]
	m.trail = m.trail[:len(m.trail)-1]
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
