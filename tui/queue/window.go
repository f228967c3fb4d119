package queue

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"toolcrib/history/diff"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/tui/difflist"
	"toolcrib/tui/draw"
	"toolcrib/tui/screen"
	"toolcrib/tui/wording"
)

// chunk is how many proposals are read at once.
const chunk = 100

// keep is how many chunks are kept around the window; others are read again
// when they are scrolled to.
const keep = 20

// slot is one chunk of the list: how it is read, and its rows while they are kept.
type slot struct {
	after   string
	rows    []proposals.Proposal // nil while it is not kept
	size    int
	loading bool
}

// query returns the query that reads slot n.
func (q *Page) query(n int) review.Query {
	return review.Query{State: q.shownTab().state, Filter: q.Where(), Order: q.order, Reverse: q.backward, Limit: chunk, After: q.slots[n].after}
}

// total returns how many rows are known of.
func (q *Page) total() int {
	n := 0
	for _, s := range q.slots {
		n += s.size
	}
	return n
}

// size returns how many rows the list has, whether they were read or not; false
// where only those are known of that were read.
func (q *Page) size() (int, bool) {
	if q.Where() != "" || q.counts == nil {
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
func (q *Page) whole() bool {
	last := q.slots[len(q.slots)-1]
	return q.asked && (last.rows != nil || last.size > 0)
}

// at returns row i; false while it is not there.
func (q *Page) at(i int) (proposals.Proposal, bool) {
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
func (q *Page) window() (from, to int) {
	from, to = q.top-q.Frame.Body, q.top+2*q.Frame.Body
	if q.backward {
		n := q.total()
		from, to = n-to, n-from
	}
	return from, to
}

// loaded takes in a chunk.
func (q *Page) loaded(msg Listed) tea.Cmd {
	n := slices.IndexFunc(q.slots, func(s slot) bool { return s.after == msg.Query.After })
	if n < 0 || msg.Query.State != q.shownTab().state || msg.Query.Filter != q.Where() || msg.Query.Order != q.order || msg.Query.Reverse != q.backward {
		return nil // of a list that is not shown any more
	}
	s := &q.slots[n]
	s.loading, q.err, q.asked = false, msg.Err, true
	if msg.Err != nil {
		return q.shell.Fail(msg.Err)
	}
	whole, before := msg.Page.Next == "", q.total()
	s.rows, s.size = q.arranged(msg.Page.Proposals), len(msg.Page.Proposals)
	q.measure(s.rows)
	if s.rows == nil {
		s.rows = []proposals.Proposal{}
	}
	q.slots = q.slots[:max(n+1, len(q.slots))]
	if whole {
		q.slots = q.slots[:n+1]
	} else if n == len(q.slots)-1 {
		q.slots = append(q.slots, slot{after: msg.Page.Next})
	} else if q.slots[n+1].after != msg.Page.Next {
		q.slots = append(q.slots[:n+1], slot{after: msg.Page.Next})
	}
	if more := q.total() - before; q.backward { // it is above the present rows
		q.cursor, q.top = q.cursor+more, q.top+more
	}
	q.restore()
	q.clamp()
	q.forget()
	return tea.Batch(q.Fill(), q.debounce())
}

// restore finds the row again that the cursor was at.
func (q *Page) restore() {
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
			if q.top > 0 { // at the top, new rows are seen
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
func (q *Page) forget() {
	from, to := q.window()
	base := 0
	for i := range q.slots {
		s := &q.slots[i]
		if s.rows != nil && (base+s.size < from-keep*chunk/2 || base > to+keep*chunk/2) {
			s.rows = nil
		}
		base += s.size
	}
}

// Fill reads the chunks that the window shows and does not have.
func (q *Page) Fill() tea.Cmd {
	if !q.asked {
		return nil
	}
	return q.load(func(s *slot) bool { return s.rows == nil && !s.loading })
}

// load reads the chunks in the window that are wanted.
func (q *Page) load(wanted func(*slot) bool) tea.Cmd {
	var cmds []tea.Cmd
	base := 0
	from, to := q.window()
	for i := range q.slots {
		s := &q.slots[i]
		if base <= to && base+s.size >= from && wanted(s) {
			s.loading = true
			cmds = append(cmds, q.list(q.query(i)))
		}
		base += s.size
	}
	return tea.Batch(cmds...)
}

// restart reads the list from its beginning.
func (q *Page) restart() tea.Cmd { return q.readFrom(false) }

// readFrom reads the list again, from its beginning or from its end.
func (q *Page) readFrom(backward bool) tea.Cmd {
	q.backward, q.slots, q.cursor, q.top, q.want, q.asked = backward, []slot{{loading: true}}, 0, 0, "", false
	q.glance, q.widest, q.span = Glance{}, map[draw.Safe]int{}, nil
	return q.list(q.query(0))
}

// Answers to the commands of the page. Each names its question, so a late one is not
// taken for another.
type (
	// Listed is a chunk of the list.
	Listed struct {
		Query review.Query
		Page  review.Page
		Err   error
	}
	// Counted is how many proposals there are in each state.
	Counted struct {
		Counts map[proposals.State]int
		Total  int
		Newest []proposals.Proposal // one, where there are more than were known of
		Err    error
	}
	// Rested is the proposal of a row that was selected for a moment.
	Rested struct{ ID proposals.ID }
	// Glance is a proposal as the pane beside the list shows it.
	Glance struct {
		ID      proposals.ID
		Dossier review.Dossier
		Unfit   []string       // why a draft cannot be submitted, by its own text
		Changes *difflist.List // nil where they are too long or were not asked for
		Err     error
	}
)

func (q *Page) list(query review.Query) tea.Cmd {
	return func() tea.Msg {
		page, err := q.desk.List(q.ctx, query)
		return Listed{query, page, err}
	}
}

// Count counts the proposals in each state, and names the newest where there are more
// than were known of.
func (q *Page) Count() tea.Cmd {
	known := 0
	for _, n := range q.counts {
		known += n
	}
	return func() tea.Msg {
		counts, err := q.desk.Counts(q.ctx)
		msg := Counted{Counts: counts, Err: err}
		for _, n := range counts {
			msg.Total += n
		}
		if err == nil && known > 0 && msg.Total > known {
			var page review.Page
			page, msg.Err = q.desk.List(q.ctx, review.Query{Limit: 1})
			msg.Newest = page.Proposals
		}
		return msg
	}
}

// debounce reads the selected proposal once the cursor rests on it.
func (q *Page) debounce() tea.Cmd {
	p, ok := q.Current()
	if !ok || q.Frame.Side == 0 {
		return nil
	}
	return q.Debounced(Rested{p.ID})
}

func (q *Page) loadGlance(id proposals.ID) tea.Cmd {
	return func() tea.Msg {
		d, err := q.desk.Show(q.ctx, q.Actor, id)
		if err != nil {
			return Glance{ID: id, Err: err}
		}
		g := Glance{ID: id, Dossier: d, Unfit: wording.Unfit(d)}
		before, after := d.Change()
		if len(before.Definition.Canonical())+len(after.Definition.Canonical())+len(before.Source)+len(after.Source) <= screen.MaxGlance {
			g.Changes = difflist.Narrow(diff.Contents(before, after))
		}
		return g
	}
}

// glanced takes in what the selected proposal is about. Changes that are known stay
// where the whole proposal was read without them.
func (q *Page) glanced(g Glance) {
	p, ok := q.Current()
	if !ok || g.Err != nil || p.ID != g.ID {
		return
	}
	if g.Changes == nil && q.glance.ID == g.ID && q.glance.Dossier.Digest == g.Dossier.Digest {
		g.Changes = q.glance.Changes
	}
	q.glance = g
}
