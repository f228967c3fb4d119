package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/tui/changeset"
	"toolcrib/tui/decisions"
	"toolcrib/tui/entries"
	"toolcrib/tui/navigation"
	"toolcrib/tui/proposal"
	"toolcrib/tui/queue"
	"toolcrib/tui/screen"
	"toolcrib/tui/shell"
	"toolcrib/tui/subject"
	"toolcrib/tui/unsent"
	"toolcrib/tui/wording"
)

// openings opens the pages that have a subject: a proposal, a change set, or a definition.
type openings struct {
	*deps
	screen  *shell.Shell
	pages   *navigation.Pages
	queue   *queue.Page
	options proposal.Options           // shared by all proposal pages
	sets    map[string]*changeset.Page // by name of the change set
}

// ToQueue shows the queue.
func (m *openings) ToQueue() tea.Cmd {
	m.pages.Open(m.queue)
	return nil
}

// Narrow shows the queue with the given filter.
func (m *openings) Narrow(filter string) tea.Cmd {
	m.pages.Open(m.queue)
	return m.queue.Narrow(filter)
}

// Divide changes how the screen is divided between list and side pane.
func (m *openings) Divide(by screen.Division) tea.Cmd {
	m.screen.Divide(by)
	m.pages.Fit(m.screen.Frame())
	return m.pages.On().Reload()
}

// Resume shows the page of the proposal that an unsent text belongs to, with the dialog that contains it.
func (m *openings) Resume(r screen.Resume) tea.Cmd {
	pp := m.page(proposals.Proposal{ID: r.ID})
	pp.Resume(r)
	return m.pages.Show(pp)
}

// Drop deletes an unsent text, and then runs a command.
func (m *openings) Drop(draft string, next tea.Cmd) tea.Cmd {
	return unsent.Then(m.screen.Unsent.Drop(draft), next)
}

// OpenEntry opens the page of a live definition: a tool, an agent, or an allow-list.
func (m *openings) OpenEntry(open screen.Opening) tea.Cmd {
	s := subject.New(m.ctx, m.shell, open, subject.Options{
		Registry: m.Registry, Desk: m.Desk, Layer: m.Layer, NoEditor: m.editor.Missing, Restore: m.user.Restore,
	})
	s.Fit(m.screen.Frame())
	return m.pages.Visit(s)
}

// page returns a new page of a proposal.
func (m *openings) page(p proposals.Proposal) *proposal.Page {
	return proposal.New(m.ctx, m.options, p, m.screen.Frame())
}

// Open opens the page of p. With sameTab, it opens at the tab of the proposal on screen, and otherwise at the first
// tab.
func (m *openings) Open(p proposals.Proposal, sameTab bool) tea.Cmd {
	next := m.page(p)
	if on, ok := m.pages.On().(*proposal.Page); ok && sameTab {
		next.Panes = on.Panes
	}
	return m.pages.Show(next)
}

// OpenUnseen opens the page of p at its first unread part.
func (m *openings) OpenUnseen(p proposals.Proposal) tea.Cmd {
	if pp, ok := m.pages.On().(*proposal.Page); ok && pp.ID() == p.ID {
		return pp.Unseen()
	}
	next := m.page(p)
	shown := next.Unseen()
	return tea.Batch(shown, m.pages.Show(next))
}

// Mark toggles the mark of p in the queue and reports the new state, for pages that show no row of p.
func (m *openings) Mark(p proposals.Proposal) tea.Cmd {
	m.queue.Marked.Mark(p)
	said, marks := "unmarked", m.queue.Marked.Marks
	if marks.Has(p.ID) {
		said = "marked"
	}
	return m.screen.Say(screen.Remark, "%s %s. In the queue (Q), a, c or x decides on %s", wording.Reference(p), said, wording.Count(len(marks), "marked proposal", "marked proposals"))
}

// Marked returns the marked proposals.
func (m *openings) Marked() []proposals.Proposal { return m.queue.Marked.Marks }

// MarkOnly replaces the marks.
func (m *openings) MarkOnly(ps []proposals.Proposal) { m.queue.Marked.Marks = ps }

// OpenSet opens the change set of p if p is open and the set has several members. Otherwise it opens p itself, at the
// tab of the proposal on screen.
func (m *openings) OpenSet(p proposals.Proposal) tea.Cmd {
	if p.ChangeSet == "" || !p.State.Open() {
		return m.Open(p, true)
	}
	on := m.pages.On()
	return func() tea.Msg {
		set, err := m.Desk.ShowSet(m.ctx, m.Actor, p.ChangeSet)
		return screen.Then{Do: func() tea.Cmd {
			switch {
			case m.pages.On() != on || m.screen.Dialog() != nil:
				return nil // the user left the page
			case err != nil || len(set.Members) < 2:
				return m.Open(p, true)
			}
			m.showSet(set)
			return nil
		}}
	}
}

// showSet opens the page of a change set. It reuses the page that was opened before, because that page records what
// the user has read, even if the set has been renamed since.
func (m *openings) showSet(set review.ChangeSet) {
	next := m.sets[set.Name]
	for name, other := range m.sets { // the members may have belonged to another set
		if next == nil && other.Knows(set) {
			next, m.sets[set.Name] = other, other
			delete(m.sets, name)
		}
	}
	if next != nil {
		next.Take(set)
	} else {
		next = changeset.New(m.ctx, m.shell, m.Desk, changeset.Options{Actor: m.Actor, Read: m.seen.Sheet, Regroup: m.Regroup}, set)
		m.sets[set.Name] = next
	}
	next.Fit(m.screen.Frame())
	if m.set() != nil {
		m.pages.Swap(next)
		return
	}
	m.pages.Open(next)
}

// set returns the change set page on screen, or nil if another page is.
func (m *openings) set() *changeset.Page {
	set, _ := m.pages.On().(*changeset.Page)
	return set
}

// Set implements decisions.Pages.
func (m *openings) Set() decisions.Set {
	if set := m.set(); set != nil {
		return set
	}
	return nil
}

// OnProposal implements decisions.Pages.
func (m *openings) OnProposal() (tokens string, changed func() string) {
	if pp, ok := m.pages.On().(*proposal.Page); ok {
		return pp.Tokens(), pp.Since()
	}
	return "", nil
}

// Deciding implements decisions.Pages.
func (m *openings) Deciding() bool {
	return (m.pages.On() == m.queue || m.set() != nil || isProposal(m.pages.On())) && m.screen.Dialog() == nil
}

// OpenWaiting opens the next proposal that waits for the user, in the order and with the filter of the queue, and
// wraps around at the end. It skips the other members of the change set on screen.
func (m *openings) OpenWaiting() tea.Cmd {
	q, set := m.queue.Waiting(), ""
	if on := m.set(); on != nil {
		set = on.Name()
	}
	return m.seek(func(from proposals.ID) (*proposals.Proposal, error) {
		for _, after := range []proposals.ID{from, ""} {
			for q.After = string(after); ; {
				found, err := m.Desk.List(m.ctx, q)
				if err != nil {
					return nil, err
				}
				for _, p := range found.Proposals {
					if p.ID != from && (set == "" || p.ChangeSet != set) {
						return &p, nil
					}
				}
				if q.After = found.Next; q.After == "" {
					break
				}
			}
		}
		return nil, nil
	})
}

// OpenNumber opens the proposal with a number such as #17.
func (m *openings) OpenNumber(number string) tea.Cmd {
	return m.seek(func(proposals.ID) (*proposals.Proposal, error) {
		found, err := m.Desk.List(m.ctx, review.Query{Filter: number, Limit: 1})
		if err == nil && len(found.Proposals) == 0 {
			err = fmt.Errorf("no proposal has the number %s", number)
		}
		if err != nil {
			return nil, err
		}
		return &found.Proposals[0], nil
	})
}

// seek opens the proposal that find returns, unless the user has left the page before the result arrives. from is the
// proposal on screen, or "".
func (m *openings) seek(find func(from proposals.ID) (*proposals.Proposal, error)) tea.Cmd {
	before, _ := m.pages.Current()
	on := m.pages.On()
	return func() tea.Msg {
		found, err := find(before.ID)
		return screen.Then{Do: func() tea.Cmd {
			if here, _ := m.pages.Current(); m.pages.On() != on || on != m.queue && here.ID != before.ID || m.screen.Dialog() != nil {
				return nil
			}
			return m.sought(found, err)
		}}
	}
}

// sought opens the proposal that seek found, at the current tab, or opens its change set unless a member of that set
// is on screen. If found is nil, it reports that nothing waits.
func (m *openings) sought(found *proposals.Proposal, err error) tea.Cmd {
	switch {
	case err != nil:
		return m.screen.Fail(err)
	case found == nil && m.queue.Where() != "":
		return m.screen.Say(screen.Remark, "Nothing else that matches %q waits for you", m.queue.Where())
	case found == nil:
		return m.screen.Say(screen.Remark, "Nothing else waits for you")
	}
	cmd := m.OpenSet(*found)
	if here, ok := m.pages.Current(); ok && m.pages.On() != m.queue && here.ChangeSet == found.ChangeSet {
		cmd = m.Open(*found, true)
	}
	return tea.Batch(cmd, m.queue.Select(found.ID))
}

// OpenPlace implements keys.Opener.
func (m *openings) OpenPlace(place string) (cmd tea.Cmd, there bool) {
	switch place {
	case new(subject.Page).Place():
		if of, ok := m.pages.On().(screen.OfEntry); ok {
			if e, selected := of.Selected(); selected {
				return m.OpenEntry(screen.Opening{Entry: e}), true
			}
		}
		return m.pages.Visit(m.pages.At(new(entries.Page).Place())), false
	case new(proposal.Page).Place():
		if p, ok := m.pages.Current(); ok {
			return m.Open(p, false), true
		}
	}
	return m.pages.Visit(m.queue), false
}
