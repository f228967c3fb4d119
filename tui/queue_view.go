package tui

import (
	"slices"
	"strings"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/tui/draw"
	"toolcrib/tui/theme"
	"toolcrib/tui/wording"
)

func (q *queuePage) tabs(m *Model) (left, right draw.Line) {
	if q.order != review.ByNewest {
		right = draw.Of(m.theme.Faint, " "+draw.Safe(orderName(q.order))+" ")
	}
	if q.filter != "" {
		right = right.Add(m.theme.Match, " "+draw.Cut(draw.Show(q.filter), m.layout.width/3)+" ").Add("", " ")
	}
	right = append(q.position(m), right...)
	var whole, brief []string
	for _, t := range q.tabList() {
		n := ""
		if of := q.counts[t.state]; of > 999 {
			n = " 999+"
		} else if of > 0 {
			n = " " + itoa(of)
		}
		whole, brief = append(whole, t.name+n), append(brief, t.brief+n)
	}
	room := m.layout.width - right.Width()
	names := whole
	if fitting(whole, 0, room) < len(whole) {
		names = brief
	}
	return append(m.tabLine(names, q.tab, room).Fit(room), right...), nil
}

// position returns which row of how many is selected.
func (q *queuePage) position(m *Model) draw.Line {
	n, known := q.size()
	if n == 0 {
		return nil
	}
	more, at := draw.Safe(""), q.cursor+1
	switch {
	case known && q.backward:
		at += n - q.total()
	case q.backward && at == n:
		return draw.Of(m.theme.Faint, " last ")
	case q.backward:
		return draw.Of(m.theme.Faint, draw.Showf(" %d from the end ", n-at))
	case !known:
		more = "+" // the list goes on
	}
	return draw.Of(m.theme.Faint, draw.Showf(" %d/%d", at, n)+more+" ")
}

// tabLine draws tabs in width cells: where there is no room for all, the current
// one with its neighbours, and a sign on the sides that have more.
func (m *Model) tabLine(names []string, current, width int) draw.Line {
	from, to := 0, fitting(names, 0, width)
	for to < min(len(names), current+2) && from < current {
		from++
		to = fitting(names, from, width)
	}
	l := draw.Of("", " ")
	if from > 0 {
		l = draw.Of(m.theme.Accent, "‹")
	}
	for i := from; i < to; i++ {
		name, style := draw.Show(names[i]), m.theme.Faint
		sign := draw.Safe(" ")
		if i == current {
			sign, style = "▎", m.theme.Accent
		}
		l = l.Add(style, sign+name+" ")
	}
	if to < len(names) {
		l = l.Add(m.theme.Accent, "›")
	}
	return l
}

// fitting returns behind which of the names, from one on, the width ends: each
// has a blank on both sides, and the line a sign at both ends.
func fitting(names []string, from, width int) int {
	used, to := 1, from
	for to < len(names) {
		used += draw.Width(draw.Show(names[to])) + 2
		if used > width || to < len(names)-1 && used == width {
			break
		}
		to++
	}
	return max(to, from+1)
}

// column is a column of a list. Those of a higher rank are the first to go where
// there is no room.
type column struct {
	name  draw.Safe
	rank  int
	most  int // how wide it becomes at most, in cells
	width int // set by fit
	cell  func(m *Model, p proposals.Proposal) draw.Line
}

func (q *queuePage) columns() []column {
	columns := []column{
		{name: "STATE", rank: 4, most: 12, cell: func(m *Model, p proposals.Proposal) draw.Line {
			sign, word, style := m.stateWord(p.State)
			return draw.Of(style, sign+" "+word)
		}},
		{name: "NO.", rank: 2, most: 8, cell: func(m *Model, p proposals.Proposal) draw.Line {
			if p.Issue == 0 {
				return draw.Of(m.theme.Faint, "–")
			}
			return draw.Of(m.theme.Faint, draw.Show(wording.Reference(p)))
		}},
		{name: "TYPE", rank: 7, most: 10, cell: func(m *Model, p proposals.Proposal) draw.Line {
			return draw.Of(m.theme.Text, draw.Show(string(p.Type)))
		}},
		{name: "SUBJECT", most: 64, cell: func(m *Model, p proposals.Proposal) draw.Line { return m.subjectName(p.Subject) }},
		{name: "TITLE", rank: 8, most: 80, cell: func(m *Model, p proposals.Proposal) draw.Line {
			return draw.Of(m.theme.Faint, draw.Show(p.Title))
		}},
		{name: "BY", rank: 3, most: 16, cell: func(m *Model, p proposals.Proposal) draw.Line {
			style := m.theme.Text
			if p.Author.Kind == proposals.Agent {
				style = m.theme.Info
			}
			return draw.Of(style, draw.Show(p.Author.String()))
		}},
		{name: "AGE", rank: 5, most: 4, cell: func(m *Model, p proposals.Proposal) draw.Line {
			return draw.Of(m.theme.Faint, draw.Safe(age(m.now().Sub(p.CreatedAt))))
		}},
		{name: "ADVICE", rank: 6, most: 9, cell: func(m *Model, p proposals.Proposal) draw.Line {
			word, style := m.adviceWord(p.Summary.Recommendation)
			return draw.Of(style, word)
		}},
		{name: "FINDINGS", rank: 1, most: 12, cell: func(m *Model, p proposals.Proposal) draw.Line {
			if p.Stale() {
				return draw.Of(m.theme.Warn, "⚠ stale")
			}
			word, style := m.findingsWord(p.Summary)
			return draw.Of(style, word)
		}},
	}
	if q.shownTab().state != "" {
		columns = columns[1:] // every row has the state of the tab
	}
	return columns
}

// measure notes how wide the columns want to be for some rows, beyond what is
// known.
func (q *queuePage) measure(m *Model, rows []proposals.Proposal) {
	for _, c := range q.columns() {
		w := max(q.widest[c.name], draw.Width(c.name))
		for _, p := range rows {
			w = min(max(w, c.cell(m, p).Width()), c.most)
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

// fit returns the columns that fit into width cells, each as wide as what is in
// it. Subjects grow before the columns come that matter least.
func (q *queuePage) fit(columns []column, width int) []column {
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

// subjectName writes a subject with what tells it from others brought out.
func (m *Model) subjectName(s registry.Subject) draw.Line {
	return draw.Of(m.theme.Faint, draw.Show(string(s.Kind))+":"+draw.Show(string(s.Layer))+"/").Add(m.theme.Text, draw.Show(s.ID))
}

func (q *queuePage) view(m *Model) []string {
	columns := q.fit(q.columns(), m.layout.list)
	lines := make([]string, 0, m.layout.body)
	heading := draw.Of("", "   ")
	for _, c := range columns {
		heading = heading.Add(m.theme.Faint, draw.Pad(c.name, c.width)+"  ")
	}
	var b strings.Builder
	side := q.side(m)
	add := func(l draw.Line, base theme.Style) {
		b.Reset()
		l.Write(&b, m.layout.list, base)
		if m.layout.side > 0 {
			m.theme.Rule.Write(&b, "│")
			n := len(lines)
			if n < len(side) {
				b.WriteString(side[n])
			} else {
				b.WriteString(draw.Blank(m.layout.side))
			}
		}
		lines = append(lines, b.String())
	}
	total := q.total()
	if total == 0 {
		heading = nil
	}
	add(heading, "")
	for i := q.top; i < total && len(lines) < m.layout.body; i++ {
		add(q.row(m, i, columns))
	}
	if total == 0 && q.asked {
		add(nil, "")
		for _, text := range q.empty() {
			add(draw.Of(m.theme.Faint, "   "+text), "")
		}
	}
	for len(lines) < m.layout.body {
		add(nil, "")
	}
	return lines
}

// empty returns why there is nothing.
func (q *queuePage) empty() []draw.Safe {
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
func (q *queuePage) none() bool {
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

func (q *queuePage) row(m *Model, i int, columns []column) (draw.Line, theme.Style) {
	base := theme.Style("")
	mark := draw.Span{Text: " "}
	if i == q.cursor {
		base, mark = m.theme.Selected, draw.Span{Text: "▌", Style: m.theme.Accent}
	}
	p, ok := q.at(i)
	if !ok {
		return draw.Line{mark, {Text: "  …", Style: m.theme.Faint}}, base
	}
	marked := draw.Span{Text: " "}
	if m.marks.has(p.ID) {
		marked = draw.Span{Text: "*", Style: m.theme.Accent}
	}
	l := draw.Line{mark, {Text: q.bracket(i, p), Style: m.theme.Faint}, marked}
	for _, c := range columns {
		l = append(l, c.cell(m, p).Fit(c.width)...).Add("", "  ")
	}
	if i == q.cursor && m.theme.Uniform {
		l = l.Plain()
	}
	return l, base
}

// bracket ties the members of a change set together that stand one below the
// other.
func (q *queuePage) bracket(i int, p proposals.Proposal) draw.Safe {
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
