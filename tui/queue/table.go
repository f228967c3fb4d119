package queue

import (
	"slices"
	"strings"

	"toolcrib/proposals"
	"toolcrib/tui/draw"
	"toolcrib/tui/labels"
	"toolcrib/tui/wording"
)

// table is how wide the columns want to be, and which there are.
type table struct {
	widest map[draw.Safe]int // in cells
	shared bool              // by a policy some proposals need the approval of others
}

// measure notes how wide columns want to be for some rows, beyond the known widths.
func (t *table) measure(columns []column, rows []proposals.Proposal) {
	if t.widest == nil {
		t.widest = map[draw.Safe]int{}
	}
	for _, c := range columns {
		w := max(t.widest[c.name], draw.Width(c.name))
		for _, p := range rows {
			w = min(max(w, c.cell(p).Width()), c.most)
		}
		t.widest[c.name] = w
	}
}

// column is a column of a list. Those of a higher rank are the first to go where
// there is no room.
type column struct {
	name  draw.Safe
	rank  int
	most  int // how wide it becomes at most, in cells
	width int // set by fit
	cell  func(p proposals.Proposal) draw.Line
}

func (q *Page) columns() []column {
	th := q.Frame.Theme
	columns := []column{
		{name: "STATE", rank: 4, most: 14, cell: func(p proposals.Proposal) draw.Line {
			sign, word, style := labels.State(th, q.Actor, p)
			return draw.Of(style, sign+" "+word)
		}},
		{name: "NO.", rank: 2, most: 8, cell: func(p proposals.Proposal) draw.Line {
			if p.Issue == 0 {
				return draw.Of(th.Faint, "–")
			}
			return draw.Of(th.Faint, draw.Show(wording.Reference(p)))
		}},
		{name: "TYPE", rank: 7, most: 10, cell: func(p proposals.Proposal) draw.Line {
			return draw.Of(th.Text, draw.Show(string(p.Type)))
		}},
		{name: "SUBJECT", most: 64, cell: func(p proposals.Proposal) draw.Line { return labels.Subject(th, p.Subject) }},
		{name: "TITLE", rank: 8, most: 80, cell: func(p proposals.Proposal) draw.Line {
			return draw.Of(th.Faint, draw.Show(p.Title))
		}},
		{name: "BY", rank: 3, most: 16, cell: func(p proposals.Proposal) draw.Line {
			style := th.Text
			if p.Author.Kind == proposals.Agent {
				style = th.Info
			}
			return draw.Of(style, draw.Show(p.Author.String()))
		}},
		{name: "AGE", rank: 5, most: 4, cell: func(p proposals.Proposal) draw.Line {
			return draw.Of(th.Faint, draw.Safe(wording.ShortAge(q.Frame.Now().Sub(p.CreatedAt))))
		}},
		{name: "ADVICE", rank: 6, most: 9, cell: func(p proposals.Proposal) draw.Line {
			word, style := labels.Advice(th, p.Summary.Recommendation)
			return draw.Of(style, word)
		}},
		{name: "FINDINGS", rank: 1, most: 12, cell: func(p proposals.Proposal) draw.Line {
			if p.Stale() {
				return draw.Of(th.Warn, "⚠ stale")
			}
			word, style := labels.Findings(th, p.Summary)
			return draw.Of(style, word)
		}},
	}
	if q.table.shared {
		columns = slices.Insert(columns, slices.IndexFunc(columns, func(c column) bool { return c.name == "BY" }),
			column{name: "WAITS FOR", rank: 3, most: 20, cell: func(p proposals.Proposal) draw.Line {
				if p.Approvals == nil {
					return nil
				}
				return draw.Of(th.Accent, draw.Show(strings.Join(p.Approvals.WaitsFor, ", ")))
			}})
	}
	if q.shownTab().state != "" {
		columns = columns[1:] // every row has the state of the tab
	}
	return columns
}

// leastSubject and leastTitle are how much of a subject and of a title is shown
// at least, in cells, where there is more of it.
const (
	leastSubject = 24
	leastTitle   = 16
)

// fit returns the columns that fit into width cells, each as wide as its content.
// Subjects grow before the least important columns appear.
func (t *table) fit(columns []column, width int) []column {
	const gap, needed = 2, 5
	ranked := slices.Clone(columns)
	slices.SortStableFunc(ranked, func(a, b column) int { return a.rank - b.rank })
	left, widths := width-3, map[draw.Safe]int{}
	grow := func() {
		more := min(left, max(0, t.widest["SUBJECT"]-widths["SUBJECT"]))
		widths["SUBJECT"], left = widths["SUBJECT"]+more, left-more
	}
	for _, c := range ranked {
		w := max(t.widest[c.name], draw.Width(c.name))
		switch {
		case c.rank == 0:
			w = min(w, leastSubject)
		case c.rank > needed:
			grow()
		}
		if c.name == "TITLE" && left-gap >= leastTitle {
			w = min(w, left-gap)
		}
		if left >= w+gap {
			widths[c.name], left = w, left-w-gap
		}
	}
	grow()
	var out []column
	for _, c := range columns {
		if c.width = widths[c.name]; c.width > 0 {
			out = append(out, c)
		}
	}
	return out
}
