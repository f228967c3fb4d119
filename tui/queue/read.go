package queue

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/tui/difflist"
	"toolcrib/tui/queue/rows"
)

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

func (q *Page) readChunk(query review.Query) tea.Cmd {
	return func() tea.Msg {
		page, err := q.desk.List(q.ctx, query)
		return Listed{query, page, err}
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

// loaded takes in a chunk.
func (q *Page) loaded(msg Listed) tea.Cmd {
	if msg.Query.State != q.list.shownTab().state() || msg.Query.Filter != q.list.where() || msg.Query.Order != q.list.order || msg.Query.Reverse != q.list.Backward {
		return nil // of a list that is not shown any more
	}
	n := q.list.Answered(msg.Query.After)
	if n < 0 {
		return nil
	}
	q.err = msg.Err
	if msg.Err != nil {
		return q.shell.Fail(msg.Err)
	}
	ps := q.list.arranged(msg.Page.Proposals, q.list.Backward)
	above := q.list.Read(n, ps, msg.Page.Next)
	q.list.cursor, q.list.top = q.list.cursor+above, q.list.top+above
	q.list.restore()
	q.Fit(q.Frame)
	q.list.Forget(q.list.window())
	return tea.Batch(q.Fill(), q.measure(), q.debounce())
}

// Fill reads the chunks that the window shows and does not have.
func (q *Page) Fill() tea.Cmd {
	if !q.list.Asked() {
		return nil
	}
	return q.load(false)
}

// load reads the chunks in the window that are missing, or with again all of them.
func (q *Page) load(again bool) tea.Cmd {
	from, to := q.list.window()
	var cmds []tea.Cmd
	for _, n := range q.list.Missing(from, to, again) {
		cmds = append(cmds, q.readChunk(q.list.query(n)))
	}
	return tea.Batch(cmds...)
}

// readFrom reads the list again, from its beginning or from its end.
func (q *Page) readFrom(backward bool) tea.Cmd {
	q.list.Rows, q.list.cursor, q.list.top, q.list.want = q.list.Again(backward, q.list.apart()), 0, 0, ""
	q.glance = Glance{}
	q.Fit(q.Frame) // a filter or an order takes a line, or gives it back
	q.Marked.end()
	return q.readChunk(q.list.query(0))
}
