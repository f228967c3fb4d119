// The state of the queue that the workbench restores at its next start.

package queue

import (
	"slices"

	"toolcrib/proposals"
	"toolcrib/proposals/filter"
	"toolcrib/review"
	"toolcrib/tui/screen"
)

// State implements screen.Stateful.
func (q *Page) State() screen.PageState {
	l := &q.list
	left := screen.PageState{Tab: l.tabList()[l.tab].name, Filter: l.filter, Order: string(l.order)}
	if p, ok := l.current(); ok {
		left.Row = string(p.ID)
	}
	return left
}

// SetState implements screen.Stateful. It ignores a view or a filter that no longer exists.
func (q *Page) SetState(left screen.PageState) {
	l := &q.list
	if i := slices.IndexFunc(l.tabList(), func(t queueTab) bool { return t.name == left.Tab }); i >= 0 {
		l.tab = i
	}
	if _, err := filter.Parse(left.Filter); err == nil {
		l.filter, l.allStates = left.Filter, namesState(left.Filter)
	}
	if order := review.Order(left.Order); slices.Contains(review.Orders(), order) {
		l.order = order
	}
	l.Flat, l.restoreID = l.separatesSets(), proposals.ID(left.Row)
}
