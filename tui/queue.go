package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/tui/difflist"
	"toolcrib/tui/draw"
	"toolcrib/tui/screen"
)

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

// queuePage is the queue: a window on the list of proposals, the newest first.
// Chunks are found by key, so the last costs what the first costs. They are read
// from the beginning, or from the end once somebody went there: rows are then
// counted from the last.
type queuePage struct {
	listPage
	withPreview
	tab    int
	filter string
	views  []View

	everywhere bool // the filter is for all states, whatever the tab
	order      review.Order
	backward   bool // read from the end
	slots      []slot
	cursor     int
	top        int
	want       proposals.ID // the row to stay at when the list is read again
	counts     map[proposals.State]int
	widest     map[draw.Safe]int // what the columns want, in cells
	shared     bool              // by a policy some proposals need the approval of others
	dossier    review.Dossier
	unfit      []string       // what keeps it from being submitted, by its own text
	changes    *difflist.List // of the dossier, nil for none that is shown here
	err        error
	asked      bool
	span       *markSpan // rows that are being marked by moving, nil for none
	drawn      drawnRows
}

func newQueuePage() *queuePage { return &queuePage{slots: []slot{{}}, widest: map[draw.Safe]int{}} }

func (q *queuePage) place() string { return placeQueue }

func (q *queuePage) leave(m *Model) (tea.Cmd, bool) {
	if q.span != nil {
		q.span = nil
		return nil, true
	}
	if q.filter == "" {
		return nil, false
	}
	return q.setFilter(m, ""), true
}

func (q *queuePage) resize(m *Model) { q.clamp(m) }

func (q *queuePage) scroll(m *Model, x, n int) tea.Cmd {
	if m.layout.InSide(x) {
		q.preview.Scroll(n)
		return nil
	}
	return q.move(m, n)
}

func (q *queuePage) click(m *Model, x, row int) tea.Cmd {
	if m.layout.InSide(x) {
		return nil
	}
	return q.move(m, q.top+row-q.cursor)
}

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

// current returns the row the keys act on.
func (q *queuePage) current() (proposals.Proposal, bool) { return q.at(q.cursor) }

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
func (q *queuePage) rows(m *Model) int { return max(1, m.layout.Body-1) }

// clamp keeps the cursor in the list and the window around the cursor.
func (q *queuePage) clamp(m *Model) {
	n := q.total()
	q.cursor = min(max(0, q.cursor), max(0, n-1))
	q.top = screen.Window(q.top, q.cursor, n, q.rows(m))
}

// move moves the cursor by n rows.
func (q *queuePage) move(m *Model, n int) tea.Cmd {
	q.cursor += n
	q.preview.Forget()
	q.clamp(m)
	q.markSpanned(m)
	return tea.Batch(q.fill(m), q.debounce(m))
}

// debounce reads the selected proposal once the cursor rests on it.
func (q *queuePage) debounce(m *Model) tea.Cmd {
	p, ok := q.current()
	if !ok || m.layout.Side == 0 {
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
		same := q.dossier.Proposal.ID == msg.id && q.dossier.Digest == msg.dossier.Digest
		if msg.glance || !same {
			q.changes = msg.changes
		}
		q.dossier, q.unfit = msg.dossier, msg.unfit
	}
}

func (q *queuePage) filterText() string { return q.filter }

// setFilter narrows the list to proposals with a text in them.
func (q *queuePage) setFilter(m *Model, text string) tea.Cmd {
	if text == q.filter {
		return nil
	}
	q.filter, q.everywhere = text, namesState(text)
	return q.restart(m)
}
