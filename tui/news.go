package tui

import (
	"strconv"

	"toolcrib/proposals"
	"toolcrib/tui/draw"
	"toolcrib/tui/queue"
	"toolcrib/tui/wording"
)

// news counts the proposals of other processes since the user looked at the queue.
type news struct {
	known int // proposals; 0 while nothing is known
	fresh int // of them, those that came since
}

// counted stores the numbers of proposals, and reports those that others made.
func (m *Model) counted(msg queue.Counted) {
	if msg.Err != nil {
		m.fail(msg.Err)
		return
	}
	if more := msg.Total - m.known; m.known > 0 && more > 0 {
		m.fresh += more
		if len(msg.Newest) == 1 && m.dialog == nil && m.line == nil {
			m.say(remark, "%s", arrived(m.fresh, msg.Newest[0]))
		}
	}
	m.known = msg.Total
}

// arrived reports new proposals.
func arrived(n int, p proposals.Proposal) string {
	name := wording.Reference(p) + " " + string(p.Type) + " " + p.Subject.String() + " by " + p.Author.String()
	if n == 1 {
		return "New: " + name
	}
	return strconv.Itoa(n) + " new since you looked; the newest is " + name
}

// looked forgets new proposals once the queue was on the screen.
func (m *Model) looked() {
	if m.page == m.queue && m.dialog == nil {
		m.fresh = 0
	}
}

// badge says on every page how many proposals are new.
func (m *Model) badge() draw.Line {
	if m.fresh == 0 {
		return nil
	}
	return draw.Of(m.theme.Accent, draw.Showf("● %d new: Q  ", m.fresh))
}
