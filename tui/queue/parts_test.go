package queue

import (
	"context"
	"testing"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/tui/queue/rows"
	"toolcrib/tui/screen"
	"toolcrib/tui/screen/screentest"
)

// loaded returns a list of n waiting proposals in a viewport of three rows.
func loaded(n int) *list {
	l := &list{Rows: rows.New(), height: 3}
	var ps []proposals.Proposal
	for i := range n {
		ps = append(ps, proposal(i))
	}
	l.Append("", ps, "")
	return l
}

// TestMarks marks rows without a page: one, a range that follows the cursor, and all.
func TestMarks(t *testing.T) {
	l, sh := loaded(5), new(screentest.Shell)
	var m markSet
	m.toggleRow(l)
	m.toggleRow(l)
	if len(m.List) != 0 {
		t.Errorf("%d marks after toggling twice", len(m.List))
	}
	m.toggleRange(l, sh)
	m.extendRange(&l.Rows, 3)
	m.extendRange(&l.Rows, 2)
	if len(m.List) != 3 || !m.endRange() || m.endRange() {
		t.Errorf("%d marks in the range", len(m.List))
	}
	for _, want := range []int{5, 0} {
		if m.toggleAll(l, sh); len(m.List) != want {
			t.Errorf("%d marks, want %d", len(m.List), want)
		}
	}
}

// TestMeasuresVisibleRowsOnce checks that only the rows in the viewport are compared, and none of them twice.
func TestMeasuresVisibleRowsOnce(t *testing.T) {
	l, read := loaded(5), 0
	e := extents{read: func(_ context.Context, ids []proposals.ID) (map[proposals.ID]review.Extent, error) {
		read += len(ids)
		return map[proposals.ID]review.Extent{ids[0]: {Added: 2}}, nil
	}}
	e.measure(t.Context(), l.visible(), nil)().(screen.Then).Do()
	if found, ok := e.get(proposal(0)); read != 3 || !ok || found.Added != 2 || e.measure(t.Context(), l.visible(), nil) != nil {
		t.Errorf("%d of 3 rows were read; the first adds %d", read, found.Added)
	}
	l.cursor = 3
	l.clamp()
	if e.measure(t.Context(), l.visible(), nil)(); read != 4 {
		t.Errorf("%d rows were read, want 4", read)
	}
}

// TestCriteria checks that a filter with a state applies to all states, and that the orders form a cycle.
func TestCriteria(t *testing.T) {
	c := criteria{views: []View{{"mine", "author:mara"}}}
	if c.filter, c.allStates = "state:approved", namesState("state:approved"); c.shownTab().name != "All" {
		t.Errorf("shows %s", c.shownTab().name)
	}
	if c.tab, c.allStates = len(states()), false; c.fullFilter() != "author:mara state:approved" {
		t.Errorf("filter %q", c.fullFilter())
	}
	seen := map[review.Order]bool{}
	for range review.Orders() {
		c.sort(1)
		seen[c.order] = true
	}
	if len(seen) != len(review.Orders()) {
		t.Errorf("%d of %d orders", len(seen), len(review.Orders()))
	}
}
