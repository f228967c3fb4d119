package tui

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/tui/difflist"
)

// chunk is how many proposals are read at once.
const chunk = 100

// keep is how many chunks are kept around the window; others are read again
// when they are scrolled to.
const keep = 20

// debounceDelay is how long a row has to be selected before the pane beside the
// list reads it.
const debounceDelay = 120 * time.Millisecond

// queueTabs are the states that the queue can be narrowed to.
type queueTab struct {
	name  string
	brief string // where there is no room for all names
	state proposals.State
}

func queueTabs() []queueTab {
	return []queueTab{
		{"All", "All", ""},
		{"Your turn", "Yours", proposals.UserReview},
		{"With chief", "Chief", proposals.ChiefReview},
		{"Changes", "Changes", proposals.NeedsChanges},
		{"Drafts", "Drafts", proposals.Drafted},
		{"Approved", "Approved", proposals.Approved},
		{"Rejected", "Rejected", proposals.Rejected},
		{"Withdrawn", "Withdrawn", proposals.Withdrawn},
	}
}

// slot is one chunk of the list: how it is read, and what is in it while it is
// kept.
type slot struct {
	after   string
	rows    []proposals.Proposal // nil while it is not kept
	size    int
	loading bool
}

// queuePage is the queue: a window on the list of proposals, the newest first.
// Chunks are found by key, so the last costs what the first costs.
type queuePage struct {
	listPage
	tab     int
	filter  string
	order   review.Order
	slots   []slot
	cursor  int
	top     int
	want    proposals.ID // the row to stay at when the list is read anew
	dossier review.Dossier
	changes *difflist.List // of the dossier, nil for none that is shown here
	err     error
	asked   bool
}

func newQueuePage() *queuePage { return &queuePage{slots: []slot{{}}} }

func (q *queuePage) place() string { return placeQueue }

func (q *queuePage) leave(m *Model) (tea.Cmd, bool) { return leaveFilter(m, q) }

func (q *queuePage) resize(m *Model) { q.clamp(m) }

func (q *queuePage) scroll(m *Model, n int) tea.Cmd { return q.move(m, n) }

func (q *queuePage) click(m *Model, row int) tea.Cmd { return q.move(m, q.top+row-q.cursor) }

func (q *queuePage) update(m *Model, msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case queueMsg:
		return q.loaded(m, msg)
	case debouncedMsg:
		return q.debounced(m, msg)
	case dossierMsg:
		q.dossierLoaded(msg)
	}
	return nil
}

// query is what reads slot n.
func (q *queuePage) query(n int) review.Query {
	return review.Query{State: queueTabs()[q.tab].state, Filter: q.filter, Order: q.order, Limit: chunk, After: q.slots[n].after}
}

// total returns how many rows are known of.
func (q *queuePage) total() int {
	n := 0
	for _, s := range q.slots {
		n += s.size
	}
	return n
}

// at returns row i; false while it is not there.
func (q *queuePage) at(i int) (proposals.Proposal, bool) {
	for _, s := range q.slots {
		if i < s.size {
			if s.rows == nil || i < 0 {
				return proposals.Proposal{}, false
			}
			return s.rows[i], true
		}
		i -= s.size
	}
	return proposals.Proposal{}, false
}

// current returns the row the keys act on.
func (q *queuePage) current() (proposals.Proposal, bool) { return q.at(q.cursor) }

// loaded takes in a chunk.
func (q *queuePage) loaded(m *Model, msg queueMsg) tea.Cmd {
	n := slices.IndexFunc(q.slots, func(s slot) bool { return s.after == msg.query.After })
	if n < 0 || msg.query.State != queueTabs()[q.tab].state || msg.query.Filter != q.filter || msg.query.Order != q.order {
		return nil // of a list that is not shown any more
	}
	s := &q.slots[n]
	s.loading, q.err, q.asked = false, msg.err, true
	if msg.err != nil {
		m.fail(msg.err)
		return nil
	}
	whole := msg.page.Next == ""
	s.rows, s.size = q.arranged(msg.page.Proposals), len(msg.page.Proposals)
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
	q.restore()
	q.clamp(m)
	q.forget()
	return tea.Batch(q.fill(m), q.debounce(m))
}

// restore finds the row again that the cursor was at.
func (q *queuePage) restore() {
	if q.want == "" {
		return
	}
	base := 0
	for _, s := range q.slots {
		for i, p := range s.rows {
			if p.ID == q.want {
				shift := base + i - q.cursor
				q.cursor += shift
				if q.top > 0 { // at the top, what is new is seen
					q.top += shift
				}
				q.want = ""
				return
			}
		}
		base += s.size
	}
	q.want = ""
}

// forget drops the chunks far from the window.
func (q *queuePage) forget() {
	base := 0
	for i := range q.slots {
		s := &q.slots[i]
		if s.rows != nil && (base+s.size < q.top-keep*chunk/2 || base > q.top+keep*chunk/2) {
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
	var cmds []tea.Cmd
	base := 0
	for i := range q.slots {
		s := &q.slots[i]
		visible := base <= q.top+2*m.layout.body && base+s.size >= q.top
		if s.rows == nil && !s.loading && visible {
			s.loading = true
			cmds = append(cmds, m.loadQueue(q.query(i)))
		}
		base += s.size
	}
	return tea.Batch(cmds...)
}

// reload reads the list anew and stays at its place: all of it down to the
// window when that is near the top, else the chunks in the window.
func (q *queuePage) reload(m *Model) tea.Cmd {
	if p, ok := q.current(); ok {
		q.want = p.ID
	}
	need := q.top + 2*m.layout.body
	query := q.query(0)
	if need > review.MaxPage {
		return q.reloadWindow(m)
	}
	query.Limit = max(chunk, (need+chunk-1)/chunk*chunk)
	return m.loadQueue(query)
}

func (q *queuePage) reloadWindow(m *Model) tea.Cmd {
	var cmds []tea.Cmd
	base := 0
	for i := range q.slots {
		s := &q.slots[i]
		if base <= q.top+m.layout.body && base+s.size >= q.top {
			cmds = append(cmds, m.loadQueue(q.query(i)))
		}
		base += s.size
	}
	return tea.Batch(cmds...)
}

// restart reads the list from its beginning.
func (q *queuePage) restart(m *Model) tea.Cmd {
	q.slots, q.cursor, q.top, q.want, q.asked = []slot{{loading: true}}, 0, 0, "", false
	q.dossier = review.Dossier{}
	return m.loadQueue(q.query(0))
}

// rows is how many rows of the list fit: the first line of the body has the
// names of the columns.
func (q *queuePage) rows(m *Model) int { return max(1, m.layout.body-1) }

// clamp keeps the cursor in the list and the window around the cursor.
func (q *queuePage) clamp(m *Model) {
	n := q.total()
	q.cursor = min(max(0, q.cursor), max(0, n-1))
	q.top = clampWindow(q.top, q.cursor, n, q.rows(m))
}

// clampWindow returns the first row of a window of height rows that shows row
// cursor, moved as little as can be.
func clampWindow(top, cursor, n, height int) int {
	top = min(top, cursor)
	top = max(top, cursor-height+1)
	return max(0, min(top, n-height))
}

// move moves the cursor by n rows.
func (q *queuePage) move(m *Model, n int) tea.Cmd {
	q.cursor += n
	q.clamp(m)
	return tea.Batch(q.fill(m), q.debounce(m))
}

// debounce reads the selected proposal once the cursor rests on it.
func (q *queuePage) debounce(m *Model) tea.Cmd {
	p, ok := q.current()
	if !ok || m.layout.side == 0 {
		return nil
	}
	return m.after(debounceDelay, debouncedMsg{p.ID})
}

func (q *queuePage) debounced(m *Model, msg debouncedMsg) tea.Cmd {
	p, ok := q.current()
	if !ok || p.ID != msg.id || m.page != page(q) {
		return nil
	}
	return m.loadGlance(p.ID)
}

func (q *queuePage) dossierLoaded(msg dossierMsg) {
	if p, ok := q.current(); ok && msg.err == nil && p.ID == msg.id {
		if msg.changes != nil || q.dossier.Digest != msg.dossier.Digest {
			q.changes = msg.changes
		}
		q.dossier = msg.dossier
	}
}

func (q *queuePage) filterText() string { return q.filter }

// setFilter narrows the list to proposals with a text in them.
func (q *queuePage) setFilter(m *Model, text string) tea.Cmd {
	if text == q.filter {
		return nil
	}
	q.filter = text
	return q.restart(m)
}
