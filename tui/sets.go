package tui

import (
	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/setpage"
	"toolcrib/tui/changeset"
)

// openSet opens the page of a proposal's change set, where it has several members and
// all are imported tools; else, and when it is closed, the proposal, in the tab of the
// one on the screen.
func (m *Model) openSet(p proposals.Proposal) tea.Cmd {
	if p.ChangeSet == "" || p.Subject.Kind != registry.KindTool || !p.State.Open() {
		return m.openProposal(p, true)
	}
	on := m.page
	return func() tea.Msg {
		set, err := m.cfg.Desk.ShowSet(m.ctx, m.cfg.Actor, p.ChangeSet)
		return result(func(m *Model) tea.Cmd {
			switch {
			case m.page != on || m.dialog != nil:
				return nil // somebody went elsewhere
			case err != nil || !onePage(set):
				return m.openProposal(p, true)
			}
			m.showSet(set)
			return nil
		})
	}
}

// onePage reports whether a change set is read and decided as one page.
func onePage(set review.ChangeSet) bool { return len(set.Members) > 1 && setpage.Fits(set) }

// showSet shows the page of a change set: the one that was opened before, which knows
// what was seen. One set takes the place of another.
func (m *Model) showSet(set review.ChangeSet) {
	next := m.sets[set.Name]
	if next != nil {
		next.Page.(*changeset.Page).Take(set)
	} else {
		next = &page{Page: changeset.New(m.ctx, m.cfg.Desk, changeset.Options{Actor: m.cfg.Actor, Read: m.shared.Seen.Sheet}, set)}
		m.sets[set.Name] = next
	}
	next.Fit(m.frame())
	if m.onSet() != nil {
		m.page = next
		return
	}
	m.open(next)
}

// decidesHere reports whether the page on the screen decides on several proposals.
func (m *Model) decidesHere() bool { return m.page == m.queue || m.onSet() != nil }

// onSet returns the page of a change set that is on the screen, nil for another.
func (m *Model) onSet() *changeset.Page {
	set, _ := m.page.Page.(*changeset.Page)
	return set
}
