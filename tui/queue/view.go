package queue

import (
	"slices"
	"strconv"
	"strings"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/tui/draw"
	"toolcrib/tui/labels"
	"toolcrib/tui/screen"
	"toolcrib/tui/theme"
	"toolcrib/tui/wording"
)

// Tabs implements screen.Page.
func (q *Page) Tabs() (left, right draw.Line) {
	if q.order != review.ByNewest {
		right = draw.Of(q.Frame.Theme.Faint, " "+draw.Safe(orderName(q.order))+" ")
	}
	if q.filter != "" {
		right = right.Add(q.Frame.Theme.Match, " "+draw.Cut(draw.Show(q.filter), q.Frame.Width/3)+" ").Add("", " ")
	}
	right = append(q.position(), right...)
	var whole, brief []string
	for _, t := range q.tabList() {
		n := ""
		if of := q.counts[t.state]; of > 999 {
			n = " 999+"
		} else if of > 0 {
			n = " " + strconv.Itoa(of)
		}
		whole, brief = append(whole, t.name+n), append(brief, t.brief+n)
	}
	room := q.Frame.Width - right.Width()
	names := whole
	if screen.Fitting(whole, 0, room) < len(whole) {
		names = brief
	}
	return append(q.Frame.TabLine(names, q.shownIndex(), true, room).Fit(room), right...), nil
}

// position returns which row of how many is selected.
func (q *Page) position() draw.Line {
	n, known := q.size()
	if n == 0 {
		return nil
	}
	more, at := draw.Safe(""), q.cursor+1
	switch {
	case known && q.backward:
		at += n - q.total()
	case q.backward && at == n:
		return draw.Of(q.Frame.Theme.Faint, " last ")
	case q.backward:
		return draw.Of(q.Frame.Theme.Faint, draw.Showf(" %d from the end ", n-at))
	case !known:
		more = "+" // the list goes on
	}
	return draw.Of(q.Frame.Theme.Faint, draw.Showf(" %d/%d", at, n)+more+" ")
}

// View implements screen.Page.
func (q *Page) View() []string {
	columns := q.fit(q.columns(), q.Frame.List)
	lines := make([]string, 0, q.Frame.Body)
	heading := draw.Of("", "   ")
	for _, c := range columns {
		heading = heading.Add(q.Frame.Theme.Faint, draw.Pad(c.name, c.width)+"  ")
	}
	add := func(l draw.Line, base theme.Style) {
		var b strings.Builder
		l.Write(&b, q.Frame.List, base)
		lines = append(lines, b.String())
	}
	total := q.total()
	if total == 0 {
		heading = nil
	}
	add(heading, "")
	for i := q.top; i < total && len(lines) < q.Frame.Body; i++ {
		add(q.row(i, columns))
	}
	if total == 0 && q.asked {
		add(nil, "")
		for _, text := range q.empty() {
			add(draw.Of(q.Frame.Theme.Faint, "   "+text), "")
		}
	}
	if q.Frame.Side > 0 {
		return q.Frame.Abreast(lines, q.side(), q.Frame.List)
	}
	return lines
}

// empty returns why there is nothing.
func (q *Page) empty() []draw.Safe {
	switch {
	case q.err != nil:
		return []draw.Safe{draw.Show(wording.OneLine(q.err))}
	case q.filter != "" && q.shownTab().state != "":
		return []draw.Safe{"No match in this state.", "tab shows the next state, esc clears the filter."}
	case q.filter != "":
		return []draw.Safe{"No match.", "esc clears the filter."}
	case q.none():
		return firstSteps()
	case q.shownTab().filter != "":
		return []draw.Safe{"Nothing matches this view: " + draw.Show(q.shownTab().filter)}
	case q.tab == 0:
		return []draw.Safe{"Nothing waits for you.", "tab shows the next state, T shows the live tools."}
	}
	return []draw.Safe{"No proposals in this state. tab shows the next state."}
}

// none reports whether there are no proposals at all.
func (q *Page) none() bool {
	for _, n := range q.counts {
		if n > 0 {
			return false
		}
	}
	return q.counts != nil
}

// firstSteps names the first three steps of a new user.
func firstSteps() []draw.Safe {
	return []draw.Safe{
		"No proposals yet. Three ways to begin:", "",
		"1  Try it on examples: quit (q), run `toolcrib demo`.",
		"2  Bring in your own tools: I imports a file, and",
		"   `toolcrib init` finds the servers of your clients.",
		"3  Propose a change: ctrl+n here, `toolcrib propose` in",
		"   a script, `toolcrib mcp` for agents.", "",
		"T shows the live tools, ? all keys.",
	}
}

func (q *Page) row(i int, columns []column) (draw.Line, theme.Style) {
	base := theme.Style("")
	mark := draw.Span{Text: " "}
	if i == q.cursor {
		base, mark = q.Frame.Theme.Selected, draw.Span{Text: "▌", Style: q.Frame.Theme.Accent}
	}
	p, ok := q.at(i)
	if !ok {
		return draw.Line{mark, {Text: "  …", Style: q.Frame.Theme.Faint}}, base
	}
	marked := draw.Span{Text: " "}
	if q.Marks.Has(p.ID) {
		marked = draw.Span{Text: "*", Style: q.Frame.Theme.Accent}
	}
	l := draw.Line{mark, {Text: q.bracket(i, p), Style: q.Frame.Theme.Faint}, marked}
	for _, c := range columns {
		l = append(l, c.cell(p).Fit(c.width)...).Add("", "  ")
	}
	if i == q.cursor && q.Frame.Theme.Uniform {
		l = l.Plain()
	}
	return l, base
}

// bracket ties the members of a change set together that stand one below the
// other.
func (q *Page) bracket(i int, p proposals.Proposal) draw.Safe {
	if p.ChangeSet == "" {
		return " "
	}
	above, okAbove := q.at(i - 1)
	below, okBelow := q.at(i + 1)
	up := okAbove && above.ChangeSet == p.ChangeSet
	down := okBelow && below.ChangeSet == p.ChangeSet
	switch {
	case up && down:
		return "│"
	case down:
		return "╭"
	case up:
		return "╰"
	}
	return "∙"
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
	if q.shared {
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

// measure notes how wide the columns want to be for some rows, beyond the known
// widths.
func (q *Page) measure(rows []proposals.Proposal) {
	q.shared = q.shared || slices.ContainsFunc(rows, func(p proposals.Proposal) bool { return p.Approvals != nil })
	for _, c := range q.columns() {
		w := max(q.widest[c.name], draw.Width(c.name))
		for _, p := range rows {
			w = min(max(w, c.cell(p).Width()), c.most)
		}
		q.widest[c.name] = w
	}
}

// leastSubject and leastTitle are how much of a subject and of a title is shown
// at least, in cells, where there is more of it.
const (
	leastSubject = 24
	leastTitle   = 16
)

// fit returns the columns that fit into width cells, each as wide as its content.
// Subjects grow before the least important columns appear.
func (q *Page) fit(columns []column, width int) []column {
	const gap, needed = 2, 5
	ranked := slices.Clone(columns)
	slices.SortStableFunc(ranked, func(a, b column) int { return a.rank - b.rank })
	left, widths := width-3, map[draw.Safe]int{}
	grow := func() {
		more := min(left, max(0, q.widest["SUBJECT"]-widths["SUBJECT"]))
		widths["SUBJECT"], left = widths["SUBJECT"]+more, left-more
	}
	for _, c := range ranked {
		w := max(q.widest[c.name], draw.Width(c.name))
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
