package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/tui/draw"
)

// chunk is how many proposals are read at once.
const chunk = 100

// keep is how many chunks are kept around the window; others are read again
// when they are scrolled to.
const keep = 20

// slot is one chunk of the list: how it is read, and what is in it while it is
// kept.
type slot struct {
	after   string
	rows    []proposals.Proposal // nil while it is not kept
	size    int
	loading bool
}

// query returns the query that reads slot n.
func (q *queuePage) query(n int) review.Query {
	return review.Query{State: q.shownTab().state, Filter: q.where(), Order: q.order, Reverse: q.backward, Limit: chunk, After: q.slots[n].after}
}

// total returns how many rows are known of.
func (q *queuePage) total() int {
	n := 0
	for _, s := range q.slots {
		n += s.size
	}
	return n
}

// size returns how many rows the list has, whether they were read or not; false
// where only those are known of that were read.
func (q *queuePage) size() (int, bool) {
	if q.where() != "" || q.counts == nil {
		return q.total(), q.whole()
	}
	n := q.counts[q.shownTab().state]
	if q.shownTab().state == "" {
		for _, of := range q.counts {
			n += of
		}
	}
	return n, true
}

// whole reports whether the list was read to its other end.
func (q *queuePage) whole() bool {
	last := q.slots[len(q.slots)-1]
	return q.asked && (last.rows != nil || last.size > 0)
}

// at returns row i; false while it is not there.
func (q *queuePage) at(i int) (proposals.Proposal, bool) {
	if p := q.find(i); p != nil {
		return *p, true
	}
	return proposals.Proposal{}, false
}

// find returns row i, nil while it is not there. Rows that were read never change:
// they are read again into a new slice.
func (q *queuePage) find(i int) *proposals.Proposal {
	if q.backward {
		i = q.total() - 1 - i
	}
	for _, s := range q.slots {
		if i < s.size {
			if s.rows == nil || i < 0 {
				return nil
			}
			return &s.rows[i]
		}
		i -= s.size
	}
	return nil
}

// window returns the rows on the screen and as many around it as are kept ready,
// counted as they are read: from one on to before another.
func (q *queuePage) window(m *Model) (from, to int) {
	from, to = q.top-m.layout.Body, q.top+2*m.layout.Body
	if q.backward {
		n := q.total()
		from, to = n-to, n-from
	}
	return from, to
}

// loaded takes in a chunk.
func (q *queuePage) loaded(m *Model, msg queueMsg) tea.Cmd {
	n := slices.IndexFunc(q.slots, func(s slot) bool { return s.after == msg.query.After })
	if n < 0 || msg.query.State != q.shownTab().state || msg.query.Filter != q.where() || msg.query.Order != q.order || msg.query.Reverse != q.backward {
		return nil // of a list that is not shown any more
	}
	s := &q.slots[n]
	s.loading, q.err, q.asked = false, msg.err, true
	if msg.err != nil {
		m.fail(msg.err)
		return nil
	}
	whole, before := msg.page.Next == "", q.total()
	s.rows, s.size = q.arranged(msg.page.Proposals), len(msg.page.Proposals)
	q.measure(m, s.rows)
	if s.rows == nil {
		s.rows = []proposals.Proposal{}
	}
	q.slots = q.slots[:max(n+1, len(q.slots))]
	if whole {
		q.slots = q.slots[:n+1]
	} else if n == len(q.slots)-1 {
		q.slots = append(q.slots, slot{after: msg.page.Next})
	} else if q.slots[n+1].after != msg.page.Next {
		q.slots = append(q.slots[:n+1], slot{after: msg.page.Next})
	}
	if more := q.total() - before; q.backward { // it is above what is there
		q.cursor, q.top = q.cursor+more, q.top+more
	}
	q.restore()
	q.clamp(m)
	q.forget(m)
	return tea.Batch(q.fill(m), q.debounce(m))
}

// restore finds the row again that the cursor was at.
func (q *queuePage) restore() {
	if q.want == "" {
		return
	}
	base := 0
	for _, s := range q.slots {
		if i := slices.IndexFunc(s.rows, func(p proposals.Proposal) bool { return p.ID == q.want }); i >= 0 {
			i += base
			if q.backward {
				i = q.total() - 1 - i
			}
			if q.top > 0 { // at the top, what is new is seen
				q.top += i - q.cursor
			}
			q.cursor = i
			break
		}
		base += s.size
	}
	q.want = ""
}

// forget drops the chunks far from the window.
func (q *queuePage) forget(m *Model) {
	from, to := q.window(m)
	base := 0
	for i := range q.slots {
		s := &q.slots[i]
		if s.rows != nil && (base+s.size < from-keep*chunk/2 || base > to+keep*chunk/2) {
			s.rows = nil
		}
		base += s.size
	}
}

// fill reads the chunks that the window shows and does not have.
func (q *queuePage) fill(m *Model) tea.Cmd {
	if !q.asked {
		return nil
	}
	return q.load(m, func(s *slot) bool { return s.rows == nil && !s.loading })
}

// load reads the chunks in the window that are wanted.
func (q *queuePage) load(m *Model, wanted func(*slot) bool) tea.Cmd {
	var cmds []tea.Cmd
	base := 0
	from, to := q.window(m)
	for i := range q.slots {
		s := &q.slots[i]
		if base <= to && base+s.size >= from && wanted(s) {
			s.loading = true
			cmds = append(cmds, m.loadQueue(q.query(i)))
		}
		base += s.size
	}
	return tea.Batch(cmds...)
}

// restart reads the list from its beginning.
func (q *queuePage) restart(m *Model) tea.Cmd { return q.readFrom(m, false) }

// readFrom reads the list again, from its beginning or from its end.
func (q *queuePage) readFrom(m *Model, backward bool) tea.Cmd {
	q.backward, q.slots, q.cursor, q.top, q.want, q.asked = backward, []slot{{loading: true}}, 0, 0, "", false
	q.dossier, q.changes, q.widest, q.span = review.Dossier{}, nil, map[draw.Safe]int{}, nil
	return m.loadQueue(q.query(0))
}
