package queue

import (
	"strconv"
	"strings"

	"toolcrib/review"
	"toolcrib/tui/draw"
	"toolcrib/tui/screen"
	"toolcrib/tui/theme"
)

// Tabs implements screen.Page.
func (q *Page) Tabs() (left, right draw.Line) {
	if q.order != review.ByNewest {
		right = draw.Of(q.Frame.Theme.Faint, " "+draw.Safe(orderName(q.order))+" ")
	}
	if q.filter != "" {
		right = right.Add(q.Frame.Theme.Match, " "+draw.Cut(draw.Show(q.filter), q.Frame.Width/3)+" ").Add("", " ")
	}
	right = append(q.position(q.Frame.Theme), right...)
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

// View implements screen.Page.
func (q *Page) View() []string {
	columns := q.table.fit(q.columns(), q.Frame.List)
	lines := make([]string, 0, q.Frame.Body)
	heading := draw.Of("", "   ")
	for _, c := range columns {
		heading = heading.Add(q.Frame.Theme.Faint, draw.Pad(draw.Show(c.Heading), c.width)+"  ")
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
		for _, text := range q.empty(q.err) {
			add(draw.Of(q.Frame.Theme.Faint, "   "+text), "")
		}
	}
	if q.Frame.Side > 0 {
		return q.Frame.Abreast(lines, q.side(), q.Frame.List)
	}
	return lines
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
