package tui

import (
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
	for _, t := range queueTabs() {
		whole, brief = append(whole, t.name), append(brief, t.brief)
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
	n := q.total()
	if n == 0 {
		return nil
	}
	more := draw.Safe("")
	if last := q.slots[len(q.slots)-1]; last.rows == nil && last.size == 0 {
		more = "+" // the list goes on
	}
	return draw.Of(m.theme.Faint, draw.Showf(" %d/%d", q.cursor+1, n)+more+" ")
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

// column is a column of a list: its heading, its width, and from which width of
// the list on it is there.
type column struct {
	name  draw.Safe
	width int // in cells; of what is left, a share of so many tenths where it is negative
	from  int
	cell  func(m *Model, p proposals.Proposal) draw.Line
}

func (q *queuePage) columns(m *Model) []column {
	return []column{
		{"STATE", 12, 0, func(m *Model, p proposals.Proposal) draw.Line {
			sign, word, style := m.stateWord(p.State)
			return draw.Of(style, sign+" "+word)
		}},
		{"ISSUE", q.referenceWidth(m), 72, func(m *Model, p proposals.Proposal) draw.Line {
			if p.Issue == 0 {
				return draw.Of(m.theme.Faint, "–")
			}
			return draw.Of(m.theme.Faint, draw.Show(wording.Reference(p)))
		}},
		{"TYPE", 10, 112, func(m *Model, p proposals.Proposal) draw.Line {
			return draw.Of(m.theme.Text, draw.Show(string(p.Type)))
		}},
		{"SUBJECT", -6, 0, func(m *Model, p proposals.Proposal) draw.Line { return m.subjectName(p.Subject) }},
		{"TITLE", -4, 132, func(m *Model, p proposals.Proposal) draw.Line {
			return draw.Of(m.theme.Faint, draw.Show(p.Title))
		}},
		{"BY", 14, 88, func(m *Model, p proposals.Proposal) draw.Line {
			style := m.theme.Text
			if p.Author.Kind == proposals.Agent {
				style = m.theme.Info
			}
			return draw.Of(style, draw.Show(p.Author.String()))
		}},
		{"AGE", 4, 66, func(m *Model, p proposals.Proposal) draw.Line {
			return draw.Of(m.theme.Faint, draw.Safe(age(m.now().Sub(p.CreatedAt))))
		}},
		{"ADVICE", 9, 78, func(m *Model, p proposals.Proposal) draw.Line {
			word, style := m.adviceWord(p.Summary.Recommendation)
			return draw.Of(style, word)
		}},
		{"FINDINGS", 12, 0, func(m *Model, p proposals.Proposal) draw.Line {
			if p.Stale() {
				return draw.Of(m.theme.Warn, "⚠ stale")
			}
			word, style := m.findingsWord(p.Summary)
			return draw.Of(style, word)
		}},
	}
}

// referenceWidth is how wide the column has to be that names proposals.
func (q *queuePage) referenceWidth(m *Model) int {
	width := 5
	for i := q.top; i < q.top+q.rows(m); i++ {
		if p, ok := q.at(i); ok {
			width = max(width, len(wording.Reference(p)))
		}
	}
	return min(width, 8)
}

// subjectName writes a subject with what tells it from others brought out.
func (m *Model) subjectName(s registry.Subject) draw.Line {
	return draw.Of(m.theme.Faint, draw.Show(string(s.Kind))+":"+draw.Show(string(s.Layer))+"/").Add(m.theme.Text, draw.Show(s.ID))
}

// fit returns the columns that a list of some width has, with the widths of
// those that take what is left.
func fit(columns []column, width int) []column {
	var out []column
	left, shares := width-3, 0
	for _, c := range columns {
		if c.from > width {
			continue
		}
		out = append(out, c)
		left -= 2
		if c.width > 0 {
			left -= c.width
		} else {
			shares -= c.width
		}
	}
	for i := range out {
		if out[i].width <= 0 {
			out[i].width = max(8, left*-out[i].width/shares)
		}
	}
	return out
}

func (q *queuePage) view(m *Model) []string {
	columns := fit(q.columns(m), m.layout.list)
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
	add(heading, "")
	total := q.total()
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
	case q.filter != "" && q.tab != 0:
		return []draw.Safe{"No match in this state.", "tab shows the next state, esc clears the filter."}
	case q.filter != "":
		return []draw.Safe{"No match.", "esc clears the filter."}
	case q.tab != 0:
		return []draw.Safe{"No proposals in this state. tab shows the next state."}
	}
	return []draw.Safe{"No proposals yet.", "", "n drafts a proposal, T shows the live tools.", "Agents propose through `toolcrib mcp`,", "scripts with `toolcrib propose`."}
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
