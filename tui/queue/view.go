// This file draws the page.

package queue

import (
	"cmp"
	"strconv"
	"strings"

	"toolcrib/review"
	"toolcrib/tui/draw"
	"toolcrib/tui/screen"
)

// Tabs implements screen.Page.
func (q *Page) Tabs() (left, right draw.Line) {
	th := q.Frame.Theme
	orders := map[review.Order]draw.Safe{review.ByOldest: "oldest ↑", review.ByRisk: "worst first", review.BySubject: "by subject", review.ByAuthor: "by author"}
	right = append(draw.Of(th.Faint, " "+cmp.Or(orders[q.list.order], "newest ↓")+" "), q.list.positionText(th)...)
	var names []string
	for i, t := range q.list.tabList() {
		n, view := "", i-len(states())
		switch of := q.list.count(t); {
		case q.list.filter != "" || view >= 0:
			if i < len(q.list.tabCounts) {
				n = q.list.tabCounts[i]
			}
		case of > 999:
			n = " 999+"
		case of > 0 && i != len(states())-1:
			n = " " + strconv.Itoa(of)
		}
		if view == 0 {
			t.name = "│ " + t.name
		}
		names = append(names, t.name+n)
	}
	room := q.Frame.Width - right.Width()
	if screen.Fitting(names, 0, room) < len(names) {
		names[0] = strings.Replace(names[0], "Your turn", "Yours", 1)
	}
	return append(q.Frame.TabLine(names, 0, q.list.shownIndex(), true, room).Fit(room), right...), nil
}

// LeftWidth implements screen.Paned. The page has no side pane while it shows the introduction for new users.
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
	width := q.Frame.List
	if q.Frame.Side > 0 {
		width-- // one blank cell before the divider
	}
	g := grid{q.Frame.Theme, q.Actor, q.Frame.Now, &q.extents, q.list.shownTab().state() == ""}
	list := g.view(&q.list, &q.Marks, width, q.Frame.List)
	if q.list.Total() == 0 && q.list.HasRead {
		for _, l := range q.list.emptyText(q.Frame.Theme, q.err, q.Remote) {
			list = append(list, append(draw.Of("", "   "), l...).String(q.Frame.List))
		}
	}
	var pane []string
	if f := q.list.previewFrame(q.Frame); f.Side > 0 && q.list.Total() > 0 {
		r, _ := q.list.At(q.list.cursor)
		id, page := q.content.pane(f, r, q.Actor, &q.extents)
		pane = q.Preview.View(f, id, page)
	}
	switch {
	case q.LeftWidth(q.Frame.Layout) > 0:
		f := q.Frame
		f.Body -= len(lines)
		return append(lines, f.SideBySide(list, pane, f.List)...)
	case q.list.heightBelow(q.Frame) > 0:
		var rule strings.Builder
		q.Frame.Theme.Rule.Write(&rule, strings.Repeat("─", q.Frame.Width))
		for len(list) < q.list.height+1 {
			list = append(list, draw.Blank(q.Frame.Width))
		}
		lines = append(append(lines, list...), rule.String())
		return append(lines, pane...)
	}
	return append(lines, list...)
}
