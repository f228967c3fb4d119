package queue

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/proposals/filter"
	"toolcrib/review"
	"toolcrib/tui/draw"
	"toolcrib/tui/screen"
)

// View is a filter with a name, which is a tab.
type View struct{ Name, Filter string }

// queueTab is a state that the list can be narrowed to, or a view.
type queueTab struct {
	name  string
	brief string          // where there is no room for all names
	state proposals.State // "" for all
	// filter is that of a view.
	filter string
}

func states() []queueTab {
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

// tabList returns the states and then the views.
func (q *Page) tabList() []queueTab {
	all := states()
	for _, v := range q.Views {
		all = append(all, queueTab{name: string(draw.Show(v.Name)), brief: string(draw.Show(v.Name)), filter: v.Filter})
	}
	return all
}

// shownTab is the tab that the list is narrowed to.
func (q *Page) shownTab() queueTab { return q.tabList()[q.shownIndex()] }

// shownIndex is its place: a filter that names a state or a number is for all states.
func (q *Page) shownIndex() int {
	if q.everywhere {
		return slices.IndexFunc(states(), func(t queueTab) bool { return t.state == "" })
	}
	return q.tab
}

// turn goes so many tabs on.
func (q *Page) turn(step int) screen.Action {
	return func() (screen.Intent, tea.Cmd) {
		if q.everywhere {
			return screen.Sayf(screen.Remark, "The filter names a state or a number, in any state; esc clears it"), nil
		}
		n := len(q.tabList())
		q.tab = (q.tab + step + n) % n
		return nil, q.restart()
	}
}

// Waiting returns the query for the proposals that wait for the user, in the order
// and with the filter of the list.
func (q *Page) Waiting() review.Query {
	return review.Query{State: proposals.UserReview, Filter: q.Where(), Order: q.order, Limit: 2}
}

// Where is the filter of the tab together with the one that was typed.
func (q *Page) Where() string { return filter.Join(q.shownTab().filter, q.filter) }
