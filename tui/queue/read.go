// This file reads proposals and counts them.

package queue

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/proposals/filter"
	"toolcrib/review"
	"toolcrib/tui/difflist"
	"toolcrib/tui/queue/rows"
	"toolcrib/tui/screen"
)

// Messages that commands of the page send.
type (
	// Counted reports the number of proposals in each state.
	Counted struct {
		Counts map[proposals.State]int
		Total  int
		Filter string               // user's filter, which Tabs depends on
		Tabs   []string             // for each tab, the number of matching proposals, as text; "" for a tab of states without a filter
		Newest []proposals.Proposal // the newest proposal, if the number of proposals has grown
		Err    error
	}
	// Debounced is sent when the cursor has stayed on a row for the debounce delay.
	Debounced struct{ ID proposals.ID }
	// PreviewContent is the content of the side pane for a proposal.
	PreviewContent struct {
		ID       proposals.ID
		Dossier  review.Dossier
		Problems []string       // reasons why a draft cannot be submitted yet
		Changes  *difflist.List // nil if the definitions are too long or the changes were not requested
		Err      error
	}
)

// read returns a command that reads the proposals of query. It reads several pages if query.Limit exceeds
// review.MaxPage.
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

// Count returns a command that counts the proposals in each state, in each view, and, while the user filters the
// list, the matching proposals of each tab. If the total has grown, it
// also reads the newest proposal.
func (q *Page) Count() tea.Cmd {
	known, tabs, filterText := total(q.list.counts), q.list.tabList(), q.list.filter
	return func() tea.Msg {
		counts, err := q.desk.Counts(q.ctx)
		msg := Counted{Counts: counts, Total: total(counts), Filter: filterText, Err: err}
		if err == nil && known > 0 && msg.Total > known {
			var page review.Page
			page, msg.Err = q.desk.List(q.ctx, review.Query{Limit: 1})
			msg.Newest = page.Proposals
		}
		for _, t := range tabs {
			n := ""
			if t.states == nil || filterText != "" {
				page, err := q.desk.List(q.ctx, review.Query{State: t.state(), Filter: filter.Join(t.filter, filterText), Limit: rows.Chunk})
				if len(page.Proposals) > 0 && err == nil {
					n = " " + strconv.Itoa(len(page.Proposals))
				}
				if page.Next != "" {
					n += "+"
				}
			}
			msg.Tabs = append(msg.Tabs, n)
		}
		return msg
	}
}

// loaded adds the proposals ps to the list. nextCursor is the keyset cursor for the chunk after ps.
func (q *Page) loaded(query review.Query, ps []proposals.Proposal, nextCursor string, err error) tea.Cmd {
	if query.State != q.list.shownTab().state() || query.Filter != q.list.fullFilter() || query.Order != q.list.order || query.Reverse != q.list.Backward {
		return nil // the tab, the filter, or the order has changed since the read began
	}
	q.list.Loading, q.list.HasRead = false, true
	if q.err = err; err != nil {
		return q.shell.Fail(err)
	}
	above, ok := q.list.Append(query.After, ps, nextCursor)
	if !ok {
		return nil
	}
	q.list.cursor, q.list.top = q.list.cursor+above, q.list.top+above
	q.list.restore()
	q.Fit(q.Frame)
	return q.follow()
}

// Fill loads the next chunk if the viewport is near the end of the loaded rows.
func (q *Page) Fill() tea.Cmd {
	if !q.list.HasRead || q.list.Loading || q.list.Complete() || q.list.needed() <= q.list.Loaded() {
		return nil
	}
	q.list.Loading = true
	return q.read(q.list.query(q.list.Next))
}

// readFrom reloads the list from its end if backward is set, and otherwise from its beginning.
func (q *Page) readFrom(backward bool) tea.Cmd {
	q.list.Rows, q.list.cursor, q.list.top, q.list.restoreID = q.list.Restarted(backward, q.list.separatesSets()), 0, 0, ""
	q.content = PreviewContent{}
	q.Fit(q.Frame) // the filter line changes the height of the list
	q.Marks.endRange()
	return q.read(q.list.query(""))
}
