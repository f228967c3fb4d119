package tui

import (
	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/tui/proposal"
	"toolcrib/tui/screen"
)

// page is a page of the workbench.
type page struct {
	screen.Page
	listed []screen.Key // its keys, once: the footer asks at every frame
}

// keysOf returns the keys of a page as the user has bound them.
func (m *Model) keysOf(p *page) []screen.Key {
	if p.listed == nil {
		p.listed = m.bound(p.Keys())
	}
	return p.listed
}

// leftOf returns where the line between two panes stands, 0 for one pane.
func (p *page) leftOf(l screen.Layout) int {
	if paned, ok := p.Page.(screen.Paned); ok {
		return paned.LeftOf(l)
	}
	return 0
}

// filter returns how the list of the page is narrowed, "" where it is not.
func (p *page) filter() string {
	if f, ok := p.Page.(screen.Filtered); ok {
		return f.Filter()
	}
	return ""
}

// tell gives a page a message, and does what it wants.
func (m *Model) tell(p *page, msg tea.Msg) tea.Cmd { return m.carry(p.Update(msg)) }

// tellAll gives a message to every page there is.
func (m *Model) tellAll(msg tea.Msg) tea.Cmd {
	return m.each(func(p *page) tea.Cmd { return m.tell(p, msg) })
}

// loaded shows a proposal that was read, and goes on with a text about it.
func (m *Model) loaded(msg proposal.Loaded) tea.Cmd {
	cmd := m.tellAll(msg)
	if pp, ok := m.page.Page.(*proposal.Page); ok {
		return tea.Batch(cmd, m.carry(pp.GoOn()))
	}
	return cmd
}

// each does something with every page there is, and returns what all of them
// answer.
func (m *Model) each(do func(*page) tea.Cmd) tea.Cmd {
	var cmds []tea.Cmd
	done := map[*page]bool{}
	for _, p := range append([]*page{m.queue, m.tools, m.agents, m.lists, m.log, m.drafts, m.calls, m.servers, m.page}, m.trail...) {
		if !done[p] {
			done[p] = true
			cmds = append(cmds, do(p))
		}
	}
	if m.proposal != nil && !done[m.proposal] {
		cmds = append(cmds, do(m.proposal))
	}
	return tea.Batch(cmds...)
}

// current returns the proposal that the keys act on.
func (m *Model) current() (proposals.Proposal, bool) { return currentOf(m.page) }

func currentOf(p *page) (proposals.Proposal, bool) {
	if p == nil {
		return proposals.Proposal{}, false
	}
	if of, ok := p.Page.(screen.OfProposal); ok {
		return of.Current()
	}
	return proposals.Proposal{}, false
}
