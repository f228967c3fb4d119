package tui

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/tui/difflist"
	"toolcrib/tui/draw"
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
	// filter is that of a view.
	filter string
}

func queueTabs() []queueTab {
	return []queueTab{
		{name: "Your turn", brief: "Yours", state: proposals.UserReview},
		{name: "With chief", brief: "Chief", state: proposals.ChiefReview},
		{name: "Changes", brief: "Changes", state: proposals.NeedsChanges},
		{name: "Drafts", brief: "Drafts", state: proposals.Drafted},
		{name: "Approved", brief: "Approved", state: proposals.Approved},
		{name: "Rejected", brief: "Rejected", state: proposals.Rejected},
		{name: "Withdrawn", brief: "Withdrawn", state: proposals.Withdrawn},
		{name: "All", brief: "All"},
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
// Chunks are found by key, so the last costs what the first costs. They are read
// from the beginning, or from the end once somebody went there: rows are then
// counted from the last.
type queuePage struct {
	listPage
	tab      int
	filter   string
	views    []View
	order    review.Order
	backward bool // read from the end
	slots    []slot
	cursor   int
	top      int
	want     proposals.ID // the row to stay at when the list is read again
	counts   map[proposals.State]int
	widest   map[draw.Safe]int // what the columns want, in cells
	dossier  review.Dossier
	changes  *difflist.List // of the dossier, nil for none that is shown here
	err      error
	asked    bool
}

func newQueuePage() *queuePage { return &queuePage{slots: []slot{{}}, widest: map[draw.Safe]int{}} }

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
	if q.backward {
		i = q.total() - 1 - i
	}
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

// window returns the rows on the screen and as many around it as are kept ready,
// counted as they are read: from one on to before another.
func (q *queuePage) window(m *Model) (from, to int) {
	from, to = q.top-m.layout.body, q.top+2*m.layout.body
	if q.backward {
		n := q.total()
		from, to = n-to, n-from
	}
	return from, to
}

// current returns the row the keys act on.
func (q *queuePage) current() (proposals.Proposal, bool) { return q.at(q.cursor) }

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

// reload reads the list anew and stays at its place: all of it down to the
// window when that is near the top, else the chunks in the window.
func (q *queuePage) reload(m *Model) tea.Cmd {
	if p, ok := q.current(); ok {
		q.want = p.ID
	}
	counts := m.countProposals()
	_, need := q.window(m)
	if need > review.MaxPage {
		return tea.Batch(counts, q.load(m, func(*slot) bool { return true }))
	}
	query := q.query(0)
	query.Limit = max(chunk, (need+chunk-1)/chunk*chunk)
	return tea.Batch(counts, m.loadQueue(query))
}

// restart reads the list from its beginning.
func (q *queuePage) restart(m *Model) tea.Cmd { return q.readFrom(m, false) }

// readFrom reads the list again, from its beginning or from its end.
func (q *queuePage) readFrom(m *Model, backward bool) tea.Cmd {
	q.backward, q.slots, q.cursor, q.top, q.want, q.asked = backward, []slot{{loading: true}}, 0, 0, "", false
	q.dossier, q.widest = review.Dossier{}, map[draw.Safe]int{}
	return m.loadQueue(q.query(0))
}

// ends goes to the first row, or to the last: where that was not read yet, the
// list is read from there.
func (q *queuePage) ends(m *Model, last bool) tea.Cmd {
	if last != q.backward && !q.whole() {
		return q.readFrom(m, last)
	}
	if last {
		return q.move(m, q.total())
	}
	return q.move(m, -q.total())
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
