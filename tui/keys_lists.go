package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
)

func queueKeys() []key {
	return slices.Concat([]key{
		{name: "open", keys: []string{"enter", "right", "l"}, label: "open", help: "Open the selected proposal", do: on((*queuePage).openSelected), off: ask((*queuePage).noSelection)},
		{name: "approve-marked", keys: []string{"a"}, label: "approve", help: "Approve all marked proposals or none; otherwise the selected one", do: decideMarked(proposals.ActApprove), off: cannotDecide(proposals.ActApprove)},
		{name: "needs-changes-marked", keys: []string{"c"}, label: "send back", help: "Send back the marked proposals, or the selected one, with a reason", do: decideMarked(proposals.ActRequestChanges), off: cannotDecide(proposals.ActRequestChanges)},
		{name: "reject-marked", keys: []string{"x"}, label: "reject", help: "Reject the marked proposals, or the selected one, with a reason", do: decideMarked(proposals.ActReject), off: cannotDecide(proposals.ActReject)},
		{name: "mark", keys: []string{"space", "+"}, label: "mark", help: "Toggle mark and move down", do: on((*queuePage).markRow), off: (*Model).cannotMark},
		{name: "mark-range", keys: []string{"v"}, help: "Mark a range of rows by moving; again: end it", do: on((*queuePage).markRange), off: ask((*queuePage).noSelection)},
		{name: "mark-all", keys: []string{"*"}, help: "Mark every listed proposal that waits for you; again: unmark all", do: on((*queuePage).markAll), off: ask((*queuePage).nothingToMark)},
		{name: "next-state", keys: []string{"tab"}, label: "state", help: "Show the next state", do: moveTab(1)},
		{name: "previous-state", keys: []string{"shift+tab"}, help: "Show the previous state", do: moveTab(-1)},
		{name: "filter", keys: []string{"/"}, label: "filter", help: "Filter by text, number, state, author, rule and more", do: (*Model).askQueueFilter},
		{name: "sort", keys: []string{"o"}, label: "sort", late: always, help: "Sort by newest, oldest, worst finding, subject, author", do: sortBy(1)},
		{name: "sort-back", keys: []string{"O"}, help: "Go back to the previous order", do: sortBy(-1)},
		{name: "next-waiting", keys: []string{"."}, help: "Open the next one that waits for you, in list order", do: (*Model).nextWaiting},
		{name: "new", keys: []string{"ctrl+n"}, label: "new", late: always, help: "Draft a new proposal in the editor", do: (*Model).draftNew, off: (*Model).noEditor},
		{name: "copy-id", keys: []string{"y"}, help: "Copy the id", do: (*Model).copyID, off: ask((*queuePage).noSelection)},
	}, paneKeys(), previewKeys(), listKeys())
}

func moveTab(step int) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd {
		if m.queue.everywhere {
			m.say(remark, "The filter names a state or a number, in any state; esc clears it")
			return nil
		}
		n := len(m.queue.tabList())
		m.queue.tab = (m.queue.tab + step + n) % n
		return m.queue.restart(m)
	}
}

func (q *queuePage) noSelection(m *Model) string {
	if _, ok := q.current(); !ok {
		return "no proposal is selected"
	}
	return ""
}

// current returns the proposal the keys act on, on either page.
func (m *Model) current() (proposals.Proposal, bool) {
	if p, ok := m.page.(ofProposal); ok {
		return p.current()
	}
	return proposals.Proposal{}, false
}

func (m *Model) copyID() tea.Cmd {
	p, ok := m.current()
	if !ok {
		return nil
	}
	m.say(success, "Copied %s", p.ID)
	return tea.SetClipboard(string(p.ID))
}

func (q *queuePage) openSelected(m *Model) tea.Cmd {
	p, ok := q.current()
	if !ok {
		return nil
	}
	return m.openProposal(p)
}
