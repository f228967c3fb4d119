package queue

import (
	"slices"
	"time"

	"toolcrib/proposals"
	"toolcrib/proposals/facts"
	"toolcrib/tui/draw"
	"toolcrib/tui/labels"
	"toolcrib/tui/wording"
)

// table has the widths that the columns want to have, in cells, by their headings.
type table struct{ widest map[string]int }

// column is the column of a fact.
type column struct {
	facts.Column
	width int // set by fit
	cell  func(p proposals.Proposal) draw.Line
}

// columns returns those of the list. Rare ones are among them.
func (q *Page) columns() []column {
	view := facts.View{Age: func(t time.Time) string { return wording.ShortAge(q.Frame.Now().Sub(t)) }}
	var columns []column
	for _, f := range facts.All() {
		if f.Queue.Heading == "" || f.Name == "state" && q.shownTab().state != "" { // every row has the state of the tab
			continue
		}
		columns = append(columns, column{Column: f.Queue, cell: func(p proposals.Proposal) draw.Line {
			return labels.Cell(q.Frame.Theme, q.Actor, f, p, view)
		}})
	}
	return columns
}

// measure notes how wide columns want to be for some rows, beyond the known widths.
func (t *table) measure(columns []column, rows []proposals.Proposal) {
	if t.widest == nil {
		t.widest = map[string]int{}
	}
	for _, c := range columns {
		w := 0
		for _, p := range rows {
			w = max(w, c.cell(p).Width())
		}
		if w > 0 || !c.Rare {
			t.widest[c.Heading] = max(t.widest[c.Heading], draw.Width(draw.Show(c.Heading)), min(w, c.Most))
		}
	}
}

// fit returns the columns that fit into width cells, each as wide as its content. That of
// the first rank grows before the least important columns appear.
func (t *table) fit(columns []column, width int) []column {
	const gap, needed = 2, 5
	columns = slices.DeleteFunc(columns, func(c column) bool { return c.Rare && t.widest[c.Heading] == 0 })
	ranked := slices.Clone(columns)
	slices.SortStableFunc(ranked, func(a, b column) int { return a.Rank - b.Rank })
	left, widths := width-3, map[string]int{}
	grow := func() {
		first := ranked[0].Heading
		more := min(left, max(0, t.widest[first]-widths[first]))
		widths[first], left = widths[first]+more, left-more
	}
	for _, c := range ranked {
		w := max(t.widest[c.Heading], draw.Width(draw.Show(c.Heading)))
		switch {
		case c.Rank == 0:
			w = min(w, c.Least)
		case c.Rank > needed:
			grow()
		}
		if c.Rank > 0 && c.Least > 0 && left-gap >= c.Least {
			w = min(w, left-gap)
		}
		if left >= w+gap {
			widths[c.Heading], left = w, left-w-gap
		}
	}
	grow()
	var out []column
	for _, c := range columns {
		if c.width = widths[c.Heading]; c.width > 0 {
			out = append(out, c)
		}
	}
	return out
}
