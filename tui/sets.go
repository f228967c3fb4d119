package tui

import (
	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review/setpage"
	"toolcrib/tui/changeset"
)

// openSet opens the page of a proposal's change set, where it has several members and
// all are imported tools; else, and when it is closed, the proposal.
func (m *Model) openSet(p proposals.Proposal) tea.Cmd {
	if p.ChangeSet == "" || p.Subject.Kind != registry.KindTool || !p.State.Open() {
		return m.openProposal(p, false)
	}
	on := m.page
	return func() tea.Msg {
		set, err := m.cfg.Desk.ShowSet(m.ctx, m.cfg.Actor, p.ChangeSet)
		return result(func(m *Model) tea.Cmd {
			switch {
			case m.page != on || m.dialog != nil:
				return nil // somebody went elsewhere
			case err != nil || len(set.Members) < 2 || !setpage.Fits(set):
				return m.openProposal(p, false)
			}
			next := &page{Page: changeset.New(m.ctx, m.cfg.Desk, changeset.Options{Actor: m.cfg.Actor, Read: m.shared.Seen.Sheet}, set)}
			next.Fit(m.frame())
			m.open(next)
			return nil
		})
	}
}

// decidesHere reports whether the page on the screen decides on several proposals.
func (m *Model) decidesHere() bool { return m.page == m.queue || m.onSet() != nil }

// onSet returns the page of a change set that is on the screen, nil for another.
func (m *Model) onSet() *changeset.Page {
	set, _ := m.page.Page.(*changeset.Page)
	return set
}
