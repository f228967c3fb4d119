package tui

import (
	"strings"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/tui/draw"
	"toolcrib/tui/theme"
)

func (q *queuePage) tabs(m *Model) draw.Line {
	names := make([]string, 0, 8)
	for _, t := range queueTabs() {
		names = append(names, t.name)
	}
	var right draw.Line
	if q.order != review.ByNewest {
		right = draw.Of(m.theme.Faint, " "+draw.Safe(orderName(q.order))+" ")
	}
	if q.filter != "" {
		right = right.Add(m.theme.Match, " "+draw.Cut(draw.Show(q.filter), m.layout.width/3)+" ").Add("", " ")
	}
	room := m.layout.width - right.Width()
	return append(m.tabLine(names, q.tab, room).Fit(room), right...)
}

// tabLine draws tabs, with only the current one and its neighbours where there
// is no room for all.
func (m *Model) tabLine(names []string, current, width int) draw.Line {
	all := func(from int) draw.Line {
		l := draw.Of("", " ")
		if from > 0 {
			l = l.Add(m.theme.Faint, "‹ ")
		}
		for i := from; i < len(names); i++ {
			name := draw.Show(names[i])
			if i == current {
				l = l.Add(m.theme.Accent, "▎"+name+" ")
			} else {
				l = l.Add(m.theme.Faint, " "+name+" ")
			}
		}
		return l
	}
	for from := 0; ; from++ {
		l := all(from)
		upto := draw.Line(l[:min(len(l), current-from+3)])
		if from >= current || upto.Width() <= width {
			return l
		}
	}
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
			return draw.Of(m.theme.Faint, draw.Show(reference(p)))
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
		{"ADVICE", 8, 78, func(m *Model, p proposals.Proposal) draw.Line {
			word, style := m.adviceWord(p.Summary.Recommendation)
			return draw.Of(style, word)
		}},
		{"FINDINGS", 10, 0, func(m *Model, p proposals.Proposal) draw.Line {
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
			width = max(width, len(reference(p)))
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

// empty says why there is nothing.
func (q *queuePage) empty() []draw.Safe {
	switch {
	case q.err != nil:
		return []draw.Safe{draw.Show(sentence(q.err))}
	case q.filter != "":
		return []draw.Safe{"Nothing has that text in its subject, title, author or change set.", "esc shows everything again."}
	case q.tab != 0:
		return []draw.Safe{"Nothing is in this state. tab goes on to the next."}
	}
	return []draw.Safe{"Nothing is proposed yet.", "", "n drafts a new proposal, T shows the tools that are live.", "Agents propose through `toolcrib mcp`,", "scripts with `toolcrib propose`."}
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
