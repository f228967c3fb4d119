package queue

import (
	"strconv"
	"strings"

	"toolcrib/tui/draw"
	"toolcrib/tui/screen"
	"toolcrib/tui/theme"
)

// Tabs implements screen.Page.
func (q *Page) Tabs() (left, right draw.Line) {
	th := q.Frame.Theme
	right = append(draw.Of(th.Faint, " "+draw.Safe(orderName(q.list.order))+" "), q.list.positionText(th)...)
	var whole, brief []string
	for i, t := range q.list.tabList() {
		n, view := "", i-len(states())
		switch of := q.list.count(t); {
		case view >= 0 && view < len(q.list.viewCounts):
			n = q.list.viewCounts[view]
		case of > 999:
			n = " 999+"
		case of > 0 && i != len(states())-1:
			n = " " + strconv.Itoa(of)
		}
		if view == 0 {
			t.name, t.brief = "│ "+t.name, "│ "+t.brief
		}
		whole, brief = append(whole, t.name+n), append(brief, t.brief+n)
	}
	room := q.Frame.Width - right.Width()
	names := whole
	if screen.Fitting(whole, 0, room) < len(whole) {
		names = brief
	}
	return append(q.Frame.TabLine(names, 0, q.list.shownIndex(), true, room).Fit(room), right...), nil
}

// LeftWidth implements screen.Paned. The introduction for new users has no side pane.
func (q *Page) LeftWidth(l screen.Layout) int {
	if q.list.databaseEmpty() {
		return 0
	}
	return l.Beside()
}

// View implements screen.Page.
func (q *Page) View() []string {
	var lines []string
	if q.list.hasFilter() {
		th := q.Frame.Theme
		filter := draw.Of(th.Key, " / ").Add(th.Match, " "+draw.Cut(draw.Escape(q.list.filter), q.Frame.Width-6)+" ")
		lines = append(lines, filter.String(q.Frame.Width))
	}
	list := q.rowLines()
	switch {
	case q.LeftWidth(q.Frame.Layout) > 0:
		f := q.Frame
		f.Body -= len(lines)
		return append(lines, f.SideBySide(list, q.sidePane(), f.List)...)
	case q.list.heightBelow(q.Frame) > 0:
		var rule strings.Builder
		q.Frame.Theme.Rule.Write(&rule, strings.Repeat("─", q.Frame.Width))
		for len(list) < q.list.height+1 {
			list = append(list, draw.Blank(q.Frame.Width))
		}
		lines = append(append(lines, list...), rule.String())
		return append(lines, q.sidePane()...)
	}
	return append(lines, list...)
}

// rowLines draws the column headings and the rows.
func (q *Page) rowLines() []string {
	width := q.Frame.List
	if q.Frame.Side > 0 {
		width-- // a gap before the divider
	}
	columns := grid{q.Frame.Theme, q.Actor, q.Frame.Now, &q.extents, q.list.shownTab().state() == ""}.columns(width)
	lines := make([]string, 0, q.list.height+1)
	heading := draw.Of("", draw.Safe(draw.Blank(marksWidth)))
	for _, c := range columns {
		heading = append(heading, c.draw(draw.Of(q.Frame.Theme.Faint, draw.Escape(c.heading)))...)
	}
	add := func(l draw.Line, base theme.Style) {
		var b strings.Builder
		l.Write(&b, q.Frame.List, base)
		lines = append(lines, b.String())
	}
	total := q.list.Total()
	if total == 0 {
		heading = nil
	}
	add(heading, "")
	for i := q.list.top; i < total && len(lines) <= q.list.height; i++ {
		add(q.row(i, columns))
	}
	if rest := total - q.list.height; rest > 0 {
		draw.Scrollbar(lines[1:], q.list.top*100/rest, total, q.Frame.Theme.Rule)
	}
	if total == 0 && q.list.HasRead {
		if q.err == nil && q.list.filter == "" && q.list.databaseEmpty() {
			for _, l := range firstSteps(q.Frame.Theme, q.Remote) {
				add(append(draw.Of("", "   "), l...), "")
			}
			return lines
		}
		add(nil, "")
		for _, text := range q.list.emptyText(q.err) {
			add(draw.Of(q.Frame.Theme.Faint, "   "+text), "")
		}
	}
	return lines
}

// draw fits the content of a cell into the width of the column.
func (c column) draw(l draw.Line) draw.Line {
	if w := l.Width(); c.right && w < c.width {
		l = append(draw.Of("", draw.Safe(draw.Blank(c.width-w))), l...)
	}
	return l.Fit(c.width).Add("", draw.Safe(draw.Blank(gap)))
}

func (q *Page) row(i int, columns []column) (draw.Line, theme.Style) {
	base := theme.Style("")
	mark := draw.Span{Text: " "}
	if i == q.list.cursor {
		base, mark = q.Frame.Theme.Selected, draw.Span{Text: "▌", Style: q.Frame.Theme.Accent}
	}
	r, _ := q.list.At(i)
	marked := draw.Span{Text: " "}
	if q.Marks.hasAll(r) {
		marked = draw.Span{Text: "*", Style: q.Frame.Theme.Accent}
	}
	l := draw.Line{mark, {Text: q.list.Bracket(i, r), Style: q.Frame.Theme.Faint}, marked}
	for _, c := range columns {
		l = append(l, c.draw(c.cell(r))...)
	}
	if i == q.list.cursor && q.Frame.Theme.Uniform {
		l = l.Plain()
	}
	return l, base
}
