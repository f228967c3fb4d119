// This file reads proposals and counts them.

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

// Results of the page's commands. Each contains the query or id that it belongs to, so that a late result is dropped.
type (
	// Counted has the number of proposals in each state.
	Counted struct {
		Counts map[proposals.State]int
		Total  int
		Views  []string             // number of proposals in each view
		Newest []proposals.Proposal // the newest proposal, if there are more than before
		Err    error
	}
	// Debounced is sent when the cursor has rested on a row.
	Debounced struct{ ID proposals.ID }
	// PreviewContent is the content of the side pane: one proposal.
	PreviewContent struct {
		ID       proposals.ID
		Dossier  review.Dossier
		Problems []string       // why a draft cannot be submitted as it is
		Changes  *difflist.List // nil if too long, or not requested
		Err      error
	}
)

// read reads the proposals of query, in several steps if the limit exceeds review.MaxPage.
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

// Count counts the proposals in each state. If there are more than before, it also reads the newest.
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

// loaded adds the proposals that were read. next is the keyset cursor after them.
func (q *Page) loaded(query review.Query, ps []proposals.Proposal, next string, err error) tea.Cmd {
	if query.State != q.list.shownTab().state() || query.Filter != q.list.fullFilter() || query.Order != q.list.order || query.Reverse != q.list.Backward {
		return nil // the tab, filter, or order has changed since
	}
	q.list.Loading, q.list.HasRead = false, true
	if q.err = err; err != nil {
		return q.shell.Fail(err)
	}
	above, ok := q.list.Append(query.After, ps, next)
	if !ok {
		return nil
	}
	q.list.cursor, q.list.top = q.list.cursor+above, q.list.top+above
	q.list.restore()
	q.Fit(q.Frame)
	return q.follow()
}

// Fill loads the next chunk when the viewport comes near the end of what is loaded.
func (q *Page) Fill() tea.Cmd {
	if !q.list.HasRead || q.list.Loading || q.list.Complete() || q.list.needed() <= q.list.Loaded() {
		return nil
	}
	q.list.Loading = true
	return q.read(q.list.query(q.list.Next))
}

// readFrom reloads the list from its beginning or from its end.
func (q *Page) readFrom(backward bool) tea.Cmd {
	q.list.Rows, q.list.cursor, q.list.top, q.list.restoreID = q.list.Restarted(backward, q.list.separatesSets()), 0, 0, ""
	q.content = PreviewContent{}
	q.Fit(q.Frame) // the filter line changes the height of the list
	q.Marks.endRange()
	return q.read(q.list.query(""))
}
