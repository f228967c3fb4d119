package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/review"
)

// nextWaiting looks for the proposal that waits for the user next, in the order
// and with the filter of the queue; behind the last comes the first. The other members
// of a change set on the screen are not next.
func (m *Model) nextWaiting() tea.Cmd {
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

// openNumber looks for the proposal with a number, such as #17.
func (m *Model) openNumber(number string) tea.Cmd {
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
func (m *Model) seek(find func(from proposals.ID) (*proposals.Proposal, error)) tea.Cmd {
	before, _ := m.current()
	on := m.page
	return func() tea.Msg {
		found, err := find(before.ID)
		return result(func(m *Model) tea.Cmd {
			if here, _ := m.current(); m.page != on || here.ID != before.ID || m.dialog != nil {
				return nil
			}
			return m.sought(found, err)
		})
	}
}

// sought opens the proposal that was found, in the shown tab, or the page of its change
// set, unless a member of that is on the screen.
func (m *Model) sought(found *proposals.Proposal, err error) tea.Cmd {
	switch {
	case err != nil:
		m.fail(err)
		return nil
	case found == nil && m.list().Where() != "":
		m.say(remark, "Nothing else that matches %q waits for you", m.list().Where())
		return nil
	case found == nil:
		m.say(remark, "Nothing else waits for you")
		return nil
	}
	cmd := m.openSet(*found)
	if here, ok := m.current(); ok && m.page != m.queue && here.ChangeSet == found.ChangeSet {
		cmd = m.openProposal(*found, true)
	}
	return tea.Batch(cmd, m.list().Select(found.ID))
}
