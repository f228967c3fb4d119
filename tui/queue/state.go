// This file saves and restores the state of the queue between two runs of the workbench.

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

// SetState implements screen.Stateful. It ignores a tab that no longer exists and a filter
// that is no longer valid.
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
