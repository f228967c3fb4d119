package tui

import (
	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
)

func queueKeys() []key {
	return []key{
		{name: "open", keys: []string{"enter", "right", "l"}, label: "open", help: "Open the selected proposal", do: (*Model).openSelected, off: (*Model).noSelection},
		{name: "approve-marked", keys: []string{"a"}, label: "approve", late: (*Model).noneMarked, help: "Approve what is marked, all of it or nothing, or the selected proposal", do: decide(proposals.ActApprove), off: cannotDecide(proposals.ActApprove)},
		{name: "needs-changes-marked", keys: []string{"c"}, label: "changes", late: (*Model).noneMarked, help: "Send back what is marked, or the selected proposal, with a reason", do: decide(proposals.ActRequestChanges), off: cannotDecide(proposals.ActRequestChanges)},
		{name: "reject-marked", keys: []string{"x"}, label: "reject", late: (*Model).noneMarked, help: "Reject what is marked, or the selected proposal, with a reason", do: decide(proposals.ActReject), off: cannotDecide(proposals.ActReject)},
		{name: "down", keys: []string{"j", "down"}, help: "One row down", do: moveList(1)},
		{name: "up", keys: []string{"k", "up"}, help: "One row up", do: moveList(-1)},
		{name: "half-down", keys: []string{"ctrl+d"}, help: "Half a screen down", do: moveScreens(0.5)},
		{name: "half-up", keys: []string{"ctrl+u"}, help: "Half a screen up", do: moveScreens(-0.5)},
		{name: "page-down", keys: []string{"pgdown", "ctrl+f"}, help: "A screen down", do: moveScreens(1)},
		{name: "page-up", keys: []string{"pgup", "ctrl+b"}, help: "A screen up", do: moveScreens(-1)},
		{name: "first", keys: []string{"g", "home"}, help: "To the first row", do: moveList(-1 << 30)},
		{name: "last", keys: []string{"G", "end"}, help: "To the last row that is read; again for more", do: moveList(1 << 30)},
		{name: "mark", keys: []string{"space", "+"}, label: "mark", help: "Mark it, to decide on several together, and go on to the next row; again: unmark it", do: (*Model).markRow, off: (*Model).cannotMark},
		{name: "mark-all", keys: []string{"*"}, help: "Mark everything in the list that waits for you; again: nothing", do: (*Model).markAll, off: (*Model).nothingToMark},
		{name: "next-state", keys: []string{"tab"}, label: "state", help: "Show the next state", do: moveTab(1)},
		{name: "previous-state", keys: []string{"shift+tab"}, help: "Show the previous state", do: moveTab(-1)},
		{name: "filter", keys: []string{"/"}, label: "filter", help: "Show what has a text in its subject, title, author or change set", do: (*Model).askFilter},
		{name: "sort", keys: []string{"o"}, label: "sort", help: "Sort all of it: newest, oldest, worst finding, subject, author", do: sortBy(1)},
		{name: "sort-back", keys: []string{"O"}, help: "Sort as before that", do: sortBy(-1)},
		{name: "next-waiting", keys: []string{"."}, help: "Open the next that waits for you, with the filter and in the order of the list", do: (*Model).nextWaiting},
		{name: "new", keys: []string{"n"}, label: "new", late: always, help: "Draft a new proposal in the editor", do: (*Model).draftNew, off: (*Model).noEditor},
		{name: "copy-id", keys: []string{"y"}, help: "Copy the id", do: (*Model).copyID, off: (*Model).noSelection},
	}
}

func moveList(n int) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd { return m.queue.move(m, n) }
}

func moveScreens(n float64) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd { return m.queue.move(m, int(n*float64(m.queue.rows(m)))) }
}

func moveTab(step int) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd {
		n := len(queueTabs())
		m.queue.tab = (m.queue.tab + step + n) % n
		return m.queue.restart(m)
	}
}

func (m *Model) noSelection() string {
	if _, ok := m.queue.selected(); !ok {
		return "no proposal is selected"
	}
	return ""
}

// current returns the proposal the keys act on, on either page.
func (m *Model) current() (proposals.Proposal, bool) {
	if m.page == pageProposal {
		return m.proposal.dossier.Proposal, m.proposal.loaded
	}
	return m.queue.selected()
}

func (m *Model) copyID() tea.Cmd {
	p, ok := m.current()
	if !ok {
		return nil
	}
	m.say(success, "Copied %s", p.ID)
	return tea.SetClipboard(string(p.ID))
}

func (m *Model) openSelected() tea.Cmd {
	p, ok := m.queue.selected()
	if !ok {
		return nil
	}
	return m.openProposal(p)
}
