package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/tui/changeset"
	"toolcrib/tui/draw"
	"toolcrib/tui/proposal"
	"toolcrib/tui/queue"
	"toolcrib/tui/screen"
)

// open goes to a page.
func (m *pages) open(p *page) {
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
func (m *pages) visit(p *page) tea.Cmd {
	if p == m.page {
		return nil
	}
	m.open(p)
	return p.Reload()
}

// goTo opens one of the pages that are reached from everywhere.
func (m *pages) goTo(of func() *page) func() tea.Cmd {
	return func() tea.Cmd { return m.visit(of()) }
}

// back leaves a search or another mode of the page, then the page.
func (m *pages) back() tea.Cmd {
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
		m.Fail(msg.err)
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
func (m *pages) reload() tea.Cmd {
	cmds := []tea.Cmd{m.queue.Reload(), m.calls.Reload()}
	if m.proposal != nil {
		cmds = append(cmds, m.proposal.Reload())
	}
	if m.page != m.queue && m.page != m.calls && m.page != m.proposal {
		cmds = append(cmds, m.page.Reload())
	}
	return tea.Batch(cmds...)
}

func (m *pages) refreshAll() tea.Cmd { return tea.Batch(tea.ClearScreen, m.reload()) }

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

// tellAll gives a message to every page there is.
func (m *pages) tellAll(msg tea.Msg) tea.Cmd {
	return m.each(func(p *page) tea.Cmd { return p.Update(msg) })
}

// loaded shows a proposal that was read, and goes on with a text about it.
func (m *pages) loaded(msg proposal.Loaded) tea.Cmd {
	cmd := m.tellAll(msg)
	if pp, ok := m.page.Page.(*proposal.Page); ok {
		return tea.Batch(cmd, pp.GoOn())
	}
	return cmd
}

// each does something with every page there is, and returns what all of them
// answer.
func (m *pages) each(do func(*page) tea.Cmd) tea.Cmd {
	var cmds []tea.Cmd
	done := map[*page]bool{}
	for _, p := range append([]*page{m.queue, m.tools, m.agents, m.lists, m.log, m.drafts, m.calls, m.servers, m.files, m.page}, m.trail...) {
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
func (m *pages) current() (proposals.Proposal, bool) { return currentOf(m.page) }

func currentOf(p *page) (proposals.Proposal, bool) {
	if p == nil {
		return proposals.Proposal{}, false
	}
	if of, ok := p.Page.(screen.OfProposal); ok {
		return of.Current()
	}
	return proposals.Proposal{}, false
}

// OpenWaiting looks for the proposal that waits for the user next, in the order
// and with the filter of the queue; behind the last comes the first. The other members
// of a change set on the screen are not next.
func (m host) OpenWaiting() tea.Cmd {
	q, set := m.list().Waiting(), ""
	if on := m.onSet(); on != nil {
		set = on.Name()
	}
	return m.seek(func(from proposals.ID) (*proposals.Proposal, error) {
		for _, after := range []proposals.ID{from, ""} {
			for q.After = string(after); ; {
				found, err := m.cfg.Desk.List(m.ctx, q)
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

// OpenNumber looks for the proposal with a number, such as #17.
func (m host) OpenNumber(number string) tea.Cmd {
	return m.seek(func(proposals.ID) (*proposals.Proposal, error) {
		found, err := m.cfg.Desk.List(m.ctx, review.Query{Filter: number, Limit: 1})
		if err == nil && len(found.Proposals) == 0 {
			err = fmt.Errorf("no proposal has the number %s", number)
		}
		if err != nil {
			return nil, err
		}
		return &found.Proposals[0], nil
	})
}

// seek opens what find finds, nil when nothing waits, unless the user went elsewhere
// meanwhile; from is the proposal on the screen, "" for none.
func (m host) seek(find func(from proposals.ID) (*proposals.Proposal, error)) tea.Cmd {
	before, _ := m.current()
	on := m.page
	return func() tea.Msg {
		found, err := find(before.ID)
		return screen.Then{Do: func() tea.Cmd {
			if here, _ := m.current(); m.page != on || on != m.queue && here.ID != before.ID || m.dialog != nil {
				return nil
			}
			return m.sought(found, err)
		}}
	}
}

// sought opens the proposal that was found, in the shown tab, or the page of its change
// set, unless a member of that is on the screen.
func (m host) sought(found *proposals.Proposal, err error) tea.Cmd {
	switch {
	case err != nil:
		m.Fail(err)
		return nil
	case found == nil && m.list().Where() != "":
		m.Say(remark, "Nothing else that matches %q waits for you", m.list().Where())
		return nil
	case found == nil:
		m.Say(remark, "Nothing else waits for you")
		return nil
	}
	cmd := m.OpenSet(*found)
	if here, ok := m.current(); ok && m.page != m.queue && here.ChangeSet == found.ChangeSet {
		cmd = m.Open(*found, true)
	}
	return tea.Batch(cmd, m.list().Select(found.ID))
}

// rule is the line above the body, with the beginning of the one between two panes.
func (m *pages) rule() string {
	w := m.layout.Width
	if left := m.page.leftOf(m.layout); left > 0 {
		return strings.Repeat("─", left) + "┬" + strings.Repeat("─", w-left-1)
	}
	return strings.Repeat("─", w)
}

// Divide divides the screen another way.
func (m *Model) Divide(by screen.Division) tea.Cmd {
	m.division = by
	m.resize(m.layout.Width, m.layout.Height)
	return m.page.Reload()
}

// list returns the page of the queue.
func (m *pages) list() *queue.Page { return m.queue.Page.(*queue.Page) }

// root is a page that is reached from everywhere.
type root struct {
	page *page
	name draw.Safe
}

// roots lists the pages that the bar names.
func (m *pages) roots() []root {
	all := []root{{m.queue, "Queue"}, {m.tools, "Tools"}, {m.agents, "Agents"}, {m.lists, "Lists"}, {m.files, "Files"}, {m.log, "Log"}}
	if m.cfg.Files == nil {
		all = slices.DeleteFunc(all, func(r root) bool { return r.page == m.files })
	}
	return all
}

// isRoot reports whether the way here begins at p.
func (m *pages) isRoot(p *page) bool {
	return slices.ContainsFunc(m.roots(), func(r root) bool { return r.page == p })
}

// root is the page that the way here began at.
func (m *pages) root() *page {
	for _, p := range slices.Backward(append(slices.Clone(m.trail), m.page)) {
		if p != m.queue && m.isRoot(p) {
			return p
		}
	}
	return m.queue
}

// onSet returns the page of a change set that is on the screen, nil for another.
func (m *pages) onSet() *changeset.Page {
	set, _ := m.page.Page.(*changeset.Page)
	return set
}
