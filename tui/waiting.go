package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/review"
)

// waitingMsg is a proposal that was looked for: the next that waits for the user's
// decision, or one with a number.
type waitingMsg struct {
	from  proposals.ID        // where it was asked, "" for nowhere
	page  *page               // where it was asked
	found *proposals.Proposal // nil when none waits
	err   error
}

// nextWaiting looks for the proposal that waits for the user next, in the order
// and with the filter of the queue; behind the last comes the first.
func (m *Model) nextWaiting() tea.Cmd {
	here, _ := m.current()
	from, on, desk := here.ID, m.page, m.cfg.Desk
	q := m.list().Waiting()
	return func() tea.Msg {
		for _, after := range []proposals.ID{from, ""} {
			q.After = string(after)
			found, err := desk.List(m.ctx, q)
			if err != nil {
				return waitingMsg{from: from, page: on, err: err}
			}
			for _, p := range found.Proposals {
				if p.ID != from {
					return waitingMsg{from: from, page: on, found: &p}
				}
			}
		}
		return waitingMsg{from: from, page: on}
	}
}

// openNumber looks for the proposal with a number, such as #17.
func (m *Model) openNumber(number string) tea.Cmd {
	here, _ := m.current()
	from, on, desk := here.ID, m.page, m.cfg.Desk
	return func() tea.Msg {
		found, err := desk.List(m.ctx, review.Query{Filter: number, Limit: 1})
		switch {
		case err != nil:
			return waitingMsg{from: from, page: on, err: err}
		case len(found.Proposals) == 0:
			return waitingMsg{from: from, page: on, err: fmt.Errorf("no proposal has the number %s", number)}
		}
		return waitingMsg{from: from, page: on, found: &found.Proposals[0]}
	}
}

// waitingFound opens the first waiting proposal, in the shown tab, unless the user
// went elsewhere meanwhile.
func (m *Model) waitingFound(msg waitingMsg) tea.Cmd {
	here, _ := m.current()
	switch {
	case m.page != msg.page || here.ID != msg.from || m.dialog != nil:
		return nil
	case msg.err != nil:
		m.fail(msg.err)
		return nil
	case msg.found == nil && m.list().Where() != "":
		m.say(remark, "Nothing else that matches %q waits for you", m.list().Where())
		return nil
	case msg.found == nil:
		m.say(remark, "Nothing else waits for you")
		return nil
	}
	cmd := m.openProposal(*msg.found, true)
	return tea.Batch(cmd, m.list().Select(msg.found.ID))
}
