package queue

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/tui/difflist"
	"toolcrib/tui/queue/rows"
	"toolcrib/tui/screen"
)

// Answers to the commands of the page. Each names its question, so a late one is not
// taken for another.
type (
	// Counted is how many proposals there are in each state.
	Counted struct {
		Counts map[proposals.State]int
		Total  int
		Views  []string             // how many proposals each view has
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

// read reads proposals, in as many steps as the limit of a query takes.
func (q *Page) read(query review.Query) tea.Cmd {
	return func() tea.Msg {
		var found []proposals.Proposal
		next, err := query, error(nil)
		for {
			next.Limit = min(query.Limit-len(found), review.MaxPage)
			var page review.Page
			page, err = q.desk.List(q.ctx, next)
			found, next.After = append(found, page.Proposals...), page.Next
			if err != nil || next.After == "" || len(found) >= query.Limit {
				return screen.Then{Page: q, Do: func() tea.Cmd { return q.loaded(query, found, next.After, err) }}
			}
		}
	}
}

// Count counts the proposals in each state, and names the newest where there are more
// than were known of.
func (q *Page) Count() tea.Cmd {
	known := 0
	for _, n := range q.list.counts {
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
		for _, v := range q.Views {
			page, err := q.desk.List(q.ctx, review.Query{Filter: v.Filter, Limit: rows.Chunk})
			n := ""
			if len(page.Proposals) > 0 && err == nil {
				n = " " + strconv.Itoa(len(page.Proposals))
			}
			if page.Next != "" {
				n += "+"
			}
			msg.Views = append(msg.Views, n)
		}
		return msg
	}
}

// loaded adds proposals that were read, behind which the list continues at next.
func (q *Page) loaded(query review.Query, ps []proposals.Proposal, next string, err error) tea.Cmd {
	if query.State != q.list.shownTab().state() || query.Filter != q.list.where() || query.Order != q.list.order || query.Reverse != q.list.Backward {
		return nil // of a list that is not shown any more
	}
	q.list.Loading, q.list.Asked = false, true
	if q.err = err; err != nil {
		return q.shell.Fail(err)
	}
	above, ok := q.list.Read(query.After, ps, next)
	if !ok {
		return nil
	}
	q.list.cursor, q.list.top = q.list.cursor+above, q.list.top+above
	q.list.restore()
	q.Fit(q.Frame)
	return tea.Batch(q.Fill(), q.measure(), q.debounce())
}

// Fill reads on when the window comes near the end of what was read.
func (q *Page) Fill() tea.Cmd {
	if !q.list.Asked || q.list.Loading || q.list.Whole() || q.list.need() <= q.list.Known() {
		return nil
	}
	q.list.Loading = true
	return q.read(q.list.query(q.list.Next))
}

// readFrom reads the list again, from its beginning or from its end.
func (q *Page) readFrom(backward bool) tea.Cmd {
	q.list.Rows, q.list.cursor, q.list.top, q.list.want = q.list.Again(backward, q.list.apart()), 0, 0, ""
	q.glance = Glance{}
	q.Fit(q.Frame) // a filter or an order takes a line, or gives it back
	q.Marked.end()
	return q.read(q.list.query(""))
}
