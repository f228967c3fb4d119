package queue

import (
	"strconv"
	"strings"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/tui/draw"
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
