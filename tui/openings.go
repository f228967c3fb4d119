// This file opens the pages of proposals, change sets, and definitions when other pages request it.

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

// pageOpener opens the pages that show a single proposal, change set, or definition.
type pageOpener struct {
	*deps
	screen  *shell.Shell
	pages   *navigation.Pages
	queue   *queue.Page
	options proposal.Options           // shared by all proposal pages
	sets    map[string]*changeset.Page // keyed by the name of the change set
}

// ToQueue shows the queue.
func (m *pageOpener) ToQueue() tea.Cmd {
	m.pages.Open(m.queue)
	return nil
}

// FilterQueue shows the queue with the given filter.
func (m *pageOpener) FilterQueue(filter string) tea.Cmd {
	m.pages.Open(m.queue)
	return m.queue.SetFilter(filter)
}

// Divide changes how the screen is divided between two panes.
func (m *pageOpener) Divide(by screen.Division) tea.Cmd {
	m.screen.Divide(by)
	m.pages.Fit(m.screen.Frame())
	return m.pages.Active().Reload()
}

// Resume shows the page of the proposal to which an unsent text belongs, and opens a dialog with the text.
func (m *pageOpener) Resume(r screen.Resume) tea.Cmd {
	pp := m.page(proposals.Proposal{ID: r.ID})
	pp.Resume(r)
	return m.pages.Show(pp)
}

// Drop deletes the unsent text named draft, and then runs cmd.
func (m *pageOpener) Drop(draft string, cmd tea.Cmd) tea.Cmd {
	return unsent.Then(m.screen.Unsent.Drop(draft), cmd)
}

// OpenEntry opens the page of a live definition: a tool, an agent, or an allow-list.
func (m *pageOpener) OpenEntry(open screen.Opening) tea.Cmd {
	s := subject.New(m.Context, m.shell, open, subject.Options{
		Registry: m.Registry, Desk: m.Desk, Layer: m.Layer, NoEditor: m.editor.Missing, Restore: m.user.Restore,
	})
	s.Fit(m.screen.Frame())
	return m.pages.Visit(s)
}

// page returns a new page for p.
func (m *pageOpener) page(p proposals.Proposal) *proposal.Page {
	return proposal.New(m.Context, m.options, p, m.screen.Frame())
}

// Open opens the page of p. If sameTab is set and another proposal is on screen, the page opens at the current
// tab of that proposal. Otherwise, it opens at the first tab.
func (m *pageOpener) Open(p proposals.Proposal, sameTab bool) tea.Cmd {
	next := m.page(p)
	if on, ok := m.pages.Active().(*proposal.Page); ok && sameTab {
		next.Panes = on.Panes
	}
	return m.pages.Show(next)
}

// OpenUnseen opens the page of p at its first unread part.
func (m *pageOpener) OpenUnseen(p proposals.Proposal) tea.Cmd {
	if pp, ok := m.pages.Active().(*proposal.Page); ok && pp.ID() == p.ID {
		return pp.Unseen()
	}
	next := m.page(p)
	shown := next.Unseen()
	return tea.Batch(shown, m.pages.Show(next))
}

// Mark toggles the mark of p in the queue and shows the change in the status line. Pages that do not list p
// use it.
func (m *pageOpener) Mark(p proposals.Proposal) tea.Cmd {
	m.queue.Marks.Mark(p)
	state, marks := "unmarked", m.queue.Marks.List
	if marks.Has(p.ID) {
		state = "marked"
	}
	return m.screen.Say(screen.Remark, "%s %s. Press a, c or x in the queue (Q) to decide on %s", wording.Reference(p), state, wording.Count(len(marks), "marked proposal", "marked proposals"))
}

// Marked returns the marked proposals.
func (m *pageOpener) Marked() []proposals.Proposal { return m.queue.Marks.List }

// MarkOnly marks ps and removes all other marks.
func (m *pageOpener) MarkOnly(ps []proposals.Proposal) { m.queue.Marks.List = ps }

// OpenSet opens the change set of p if p is in an open state and the set has several members. Otherwise, it
// opens p at the current tab.
func (m *pageOpener) OpenSet(p proposals.Proposal) tea.Cmd {
	if p.ChangeSet == "" || !p.State.Open() {
		return m.Open(p, true)
	}
	on := m.pages.Active()
	return func() tea.Msg {
		set, err := m.Desk.ShowSet(m.Context, m.Actor, p.ChangeSet)
		return screen.Then{Do: func() tea.Cmd {
			switch {
			case m.pages.Active() != on || m.screen.Dialog() != nil:
				return nil // the user has left the page
			case err != nil || len(set.Members) < 2:
				return m.Open(p, true)
			}
			m.showSet(set)
			return nil
		}}
	}
}

// showSet opens the page of a change set. If the set already has a page, showSet reuses it, because the page
// records what the user has read. The set may have had another name when that page was opened.
func (m *pageOpener) showSet(set review.ChangeSet) {
	next := m.sets[set.Name]
	for name, other := range m.sets { // look for a page that has shown members of the set under another name
		if next == nil && other.Contains(set) {
			next, m.sets[set.Name] = other, other
			delete(m.sets, name)
		}
	}
	if next != nil {
		next.Show(set)
	} else {
		next = changeset.New(m.Context, m.shell, m.Desk, changeset.Options{Actor: m.Actor, AddView: m.seen.AddView, Regroup: m.Regroup}, set)
		m.sets[set.Name] = next
	}
	next.Fit(m.screen.Frame())
	if m.set() != nil {
		m.pages.Swap(next)
		return
	}
	m.pages.Open(next)
}

// set returns the change set page on screen. It returns nil if another page is on screen.
func (m *pageOpener) set() *changeset.Page {
	set, _ := m.pages.Active().(*changeset.Page)
	return set
}

// Set implements decisions.Pages.
func (m *pageOpener) Set() decisions.Set {
	if set := m.set(); set != nil {
		return set
	}
	return nil
}

// Tokens implements decisions.Pages.
func (m *pageOpener) Tokens() string {
	if pp, ok := m.pages.Active().(*proposal.Page); ok {
		return pp.Tokens()
	}
	return ""
}

// Deciding implements decisions.Pages.
func (m *pageOpener) Deciding() bool {
	return (m.pages.Active() == m.queue || m.set() != nil || isProposal(m.pages.Active())) && m.screen.Dialog() == nil
}

// OpenWaiting opens the next proposal that waits for the user, in the order and with the filter of the queue.
// After the last proposal, it continues with the first. If a change set is on screen, it skips the members of
// the set.
func (m *pageOpener) OpenWaiting() tea.Cmd {
	q, set := m.queue.Waiting(), ""
	if on := m.set(); on != nil {
		set = on.Name()
	}
	return m.find(func(from proposals.ID) (*proposals.Proposal, error) {
		for _, after := range []proposals.ID{from, ""} {
			for q.After = string(after); ; {
				found, err := m.Desk.List(m.Context, q)
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

// OpenNumber opens the proposal with the given number, such as #17.
func (m *pageOpener) OpenNumber(number string) tea.Cmd {
	return m.find(func(proposals.ID) (*proposals.Proposal, error) {
		found, err := m.Desk.List(m.Context, review.Query{Filter: number, Limit: 1})
		if err == nil && len(found.Proposals) == 0 {
			err = fmt.Errorf("no proposal has the number %s", number)
		}
		if err != nil {
			return nil, err
		}
		return &found.Proposals[0], nil
	})
}

// find returns a command that calls read and opens the proposal that read returns, or its change set. The
// argument of read is the ID of the proposal on screen, or "". If the user has changed the page in the
// meantime, the command opens nothing.
func (m *pageOpener) find(read func(current proposals.ID) (*proposals.Proposal, error)) tea.Cmd {
	before, _ := m.pages.Current()
	on := m.pages.Active()
	return func() tea.Msg {
		found, err := read(before.ID)
		return screen.Then{Do: func() tea.Cmd {
			here, _ := m.pages.Current()
			switch {
			case m.pages.Active() != on || on != m.queue && here.ID != before.ID || m.screen.Dialog() != nil:
				return nil
			case err != nil:
				return m.screen.Fail(err)
			case found == nil && m.queue.Waiting().Filter != "":
				return m.screen.Say(screen.Remark, "No other proposal that matches %q waits for you", m.queue.Waiting().Filter)
			case found == nil:
				return m.screen.Say(screen.Remark, "No other proposal waits for you")
			}
			open := m.OpenSet
			if on != m.queue && here.ChangeSet == found.ChangeSet { // another member of the same set is on screen
				open = func(p proposals.Proposal) tea.Cmd { return m.Open(p, true) }
			}
			return tea.Batch(open(*found), m.queue.Select(found.ID))
		}}
	}
}

// OpenPlace implements keys.Opener.
func (m *pageOpener) OpenPlace(place string) (cmd tea.Cmd, opened bool) {
	switch place {
	case new(subject.Page).Place():
		if of, ok := m.pages.Active().(screen.EntryPage); ok {
			if e, selected := of.Selected(); selected {
				return m.OpenEntry(screen.Opening{Entry: e}), true
			}
		}
		return m.pages.Visit(m.pages.ByPlace(new(entries.Page).Place())), false
	case new(proposal.Page).Place():
		if p, ok := m.pages.Current(); ok {
			return m.Open(p, false), true
		}
	}
	return m.pages.Visit(m.queue), false
}
