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

// read reads proposals, in as many steps as the limit of a query takes.
func (q *Page) read(query review.Query) tea.Cmd {
	return func() tea.Msg {
		answer, next, left := Listed{Query: query}, query, query.Limit
		for {
			next.Limit = min(left, review.MaxPage)
			page, err := q.desk.List(q.ctx, next)
			answer.Page.Proposals, answer.Page.Next, answer.Err = append(answer.Page.Proposals, page.Proposals...), page.Next, err
			left -= len(page.Proposals)
			if next.After = page.Next; err != nil || next.After == "" || left <= 0 {
				return answer
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

// loaded takes in a chunk.
func (q *Page) loaded(msg Listed) tea.Cmd {
	if msg.Query.State != q.list.shownTab().state() || msg.Query.Filter != q.list.where() || msg.Query.Order != q.list.order || msg.Query.Reverse != q.list.Backward {
		return nil // of a list that is not shown any more
	}
	q.list.Loading, q.list.Asked = false, true
	if q.err = msg.Err; msg.Err != nil {
		return q.shell.Fail(msg.Err)
	}
	above, ok := q.list.Rows.Read(msg.Query.After, msg.Page.Proposals, msg.Page.Next)
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
