// This file draws the columns of the list.

package queue

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"toolcrib/internal/plaintext"
	"toolcrib/proposals"
	"toolcrib/tui/draw"
	"toolcrib/tui/labels"
	"toolcrib/tui/queue/rows"
	"toolcrib/tui/theme"
	"toolcrib/tui/wording"
)

// column is a column of the list. Its width does not depend on the rows; otherwise, the columns would move while the
// user scrolls.
type column struct {
	heading string
	width   int
	right   bool
	cell    func(r rows.Row) draw.Line
}

// gap is the number of cells between columns.
const gap = 1

// marksWidth is the width of the three signs at the beginning of a row: the cursor, the bracket of a change
// set, and the mark.
const marksWidth = 3

// numberWidth is the width of "#99999". A number with six digits is drawn without "#".
const numberWidth = 6

// fromNarrow is the minimum width of a list with columns for both the state and the author. fromWide is the
// minimum width of a list with wide columns.
const (
	fromNarrow = 70
	fromWide   = 100
)

// grid draws the rows of the list.
type grid struct {
	th      theme.Theme
	actor   proposals.Actor
	now     func() time.Time
	extents *extents
	states  bool // draw a column for the state, because the rows can have different states
}

// columns returns the columns of a list of the given width. Every list has the same columns, except that a narrow list
// with states has no column for the author.
func (g grid) columns(width int) []*column {
	th := g.th
	number, by, subject, state := numberWidth, 8, &column{}, &column{}
	switch {
	case width >= fromWide:
		by = 14
	case width < fromNarrow && g.states:
		number, by = numberWidth-1, 0
	case width < fromNarrow:
		number, by = numberWidth-1, 7
	}
	subject.cell = func(r rows.Row) draw.Line { return g.subject(r, subject.width) }
	state.cell = func(r rows.Row) draw.Line {
		sign, word, style := labels.State(th, g.actor, r.First())
		if width >= fromWide {
			sign += " " + word
		}
		return draw.Of(style, sign)
	}
	switch {
	case g.states && width >= fromWide:
		state.heading, state.width = "STATE", 13
	case g.states:
		state.width = 1
	}
	var shown []*column
	subject.width = width - marksWidth - gap
	for _, c := range []*column{
		{heading: "NO.", width: number, cell: func(r rows.Row) draw.Line { return draw.Of(th.Faint, numbers(r, number)) }},
		{width: 1, cell: func(r rows.Row) draw.Line {
			var found draw.Line
			rank := 0
			for _, p := range r.Members {
				sign, style, n := sign(th, p)
				if n > rank {
					found, rank = draw.Of(style, sign), n
				}
			}
			return found
		}},
		state, subject,
		{heading: "BY", width: by, cell: func(r rows.Row) draw.Line { return author(th, r.First().Author, by) }},
		{heading: "CHANGE", width: 8, cell: func(r rows.Row) draw.Line { return draw.Of(th.Text, draw.Escape(changeOf(r))) }},
		{heading: "LINES", width: 9, right: true, cell: g.lines},
		{heading: "AGE", width: 4, right: true, cell: func(r rows.Row) draw.Line {
			return draw.Of(th.Faint, draw.Escape(wording.ShortAge(g.now().Sub(r.First().CreatedAt))))
		}},
	} {
		switch {
		case c == subject:
			shown = append(shown, c)
		case c.width > 0:
			shown = append(shown, c)
			subject.width -= gap + c.width
		}
	}
	if subject.heading = "SUBJECT"; summaryAt(subject.width)+minWords <= subject.width {
		subject.heading = string(draw.Pad("SUBJECT", summaryAt(subject.width)) + "SUMMARY")
	}
	return shown
}

// minWords is the minimum width, in cells, for the beginning of a rationale. Less text would not be useful.
const minWords = 16

// summaryAt returns the cell at which the summary begins in a column of the given width. A longer ID moves the
// summary to the right. Even a narrow column has room for a verdict such as "3 blocks".
func summaryAt(width int) int { return min(max(width*2/5, 22), 36, width-10) }

// subject draws the name of row r, followed by a summary: the verdict and, if there is room, the first words of
// the rationale.
func (g grid) subject(r rows.Row, width int) draw.Line {
	const between = 2
	p, verdict, room, at := r.First(), g.verdict(r, width), width, summaryAt(width)-between
	id := p.Subject.ID
	if r.Folded() {
		id = p.ChangeSet
	}
	if need := between + verdict.Width(); len(verdict) > 0 && draw.Width(draw.Escape(id))+need <= width {
		room -= need
	}
	rationale := !r.Folded() && summaryAt(width)+minWords <= width
	most := room
	if rationale || room < width {
		most = min(room, max(at, draw.Width(draw.Escape("…/"+id))))
	}
	name := labels.Brief(g.th, p.Subject, most)
	if r.Folded() {
		name = draw.Of(g.th.Strong, draw.Cut(draw.Escape(id), room))
	}
	if room == width && (len(verdict) > 0 || !rationale) {
		return name
	}
	name = append(name.Fit(min(max(name.Width(), at), room)).Add("", draw.Safe(draw.Blank(between))), verdict...)
	if !rationale {
		return name
	}
	text := ""
	if !strings.EqualFold(strings.ReplaceAll(p.Title, " ", "_"), id) {
		text = p.Title + "  "
	}
	e, _ := g.extents.get(p)
	words, left := draw.Escape(text+firstWords(e.Rationale)), width-name.Width()
	if len(verdict) > 0 {
		left -= between
	}
	if left >= minWords || draw.Width(words) <= left {
		name = name.Add(g.th.Faint, draw.Safe(draw.Blank(width-name.Width()-left))+draw.CutWords(words, left))
	}
	return name
}

// numbers draws the number of the proposal, or the number of members of a folded set. It omits the "#" of a proposal
// if the column is too narrow.
func numbers(r rows.Row, width int) draw.Safe {
	if r.Folded() {
		return draw.Escapef("%d×", len(r.Members))
	}
	if r.First().Issue == 0 {
		return "–"
	}
	if n := draw.Escapef("#%d", r.First().Issue); len(n) <= width {
		return n
	}
	return draw.Escapef("%d", r.First().Issue)
}

// sign returns the sign of proposal p, and the rank of the sign. Worse signs have higher ranks.
func sign(th theme.Theme, p proposals.Proposal) (sign draw.Safe, style theme.Style, rank int) {
	text, style := labels.Findings(th, p.Summary)
	first, _, _ := strings.Cut(string(text), " ")
	switch {
	case p.Stale():
		return "⚠", th.Warn, 3
	case first == "■":
		rank = 4
	case first == "▲":
		rank = 2
	case first == "·" || first == "□":
		rank = 1
	default:
		first = ""
	}
	return draw.Safe(first), style, rank
}

// changeOf returns the kind of change of row r, or "upgrade" if the members of a set have different kinds of change.
func changeOf(r rows.Row) string {
	for _, p := range r.Members {
		if p.Type != r.First().Type {
			return "upgrade"
		}
	}
	return wording.Change(r.First().Type)
}

// lines draws the numbers of lines that a proposal adds and removes. It draws nothing for a folded set, for a
// definition that is removed or re-added as a whole, or if the numbers are not known yet.
func (g grid) lines(r rows.Row) draw.Line {
	if t := r.First().Type; r.Folded() || t == proposals.Deactivate || t == proposals.Reactivate {
		return nil
	}
	e, _ := g.extents.get(r.First())
	if e.Size > 0 {
		return draw.Of(g.th.Faint, draw.Escape(strconv.Itoa(e.Size>>10)+" KiB"))
	}
	var l draw.Line
	if e.Added > 0 {
		l = l.Add(g.th.Good, draw.Escape("+"+brief(e.Added)))
	}
	if e.Added > 0 && e.Removed > 0 {
		l = l.Add("", " ")
	}
	if e.Removed > 0 {
		l = l.Add(g.th.Bad, draw.Escape("−"+brief(e.Removed)))
	}
	return l
}

// brief formats n in at most four cells. It rounds large numbers down to thousands or millions.
func brief(n int) string {
	switch {
	case n < 1000:
		return strconv.Itoa(n)
	case n < 1_000_000:
		return strconv.Itoa(n/1000) + "k"
	}
	return strconv.Itoa(n/1_000_000) + "M"
}

// verdict draws the first obstacle to an approval, if any. For a folded set, it draws the numbers of members
// with obstacles and with warnings.
func (g grid) verdict(r rows.Row, width int) draw.Line {
	p := r.First()
	if r.Folded() {
		return g.verdicts(r, width/2)
	}
	if p.Approvals != nil && len(p.Approvals.WaitsFor) > 0 {
		return draw.Of(g.th.Accent, draw.Cut(draw.Escape("waits for "+strings.Join(p.Approvals.WaitsFor, ", ")), width/2))
	}
	if word, style := verdict(g.th, p); word != "" {
		return draw.Of(style, word)
	}
	return nil
}

// verdict returns the first obstacle to an approval of p, or "".
func verdict(th theme.Theme, p proposals.Proposal) (draw.Safe, theme.Style) {
	switch advice, style := labels.Advice(th, p.Summary.Recommendation); {
	case !p.State.Open():
	case p.Stale():
		return "stale", th.Warn
	case p.Summary.Blocks > 0:
		return draw.Escape(wording.Count(p.Summary.Blocks, "block", "blocks")), th.Bad
	case p.Summary.Warns > 0: // not the advice to send it back: nobody changes the tools of a server, for example
		return draw.Escape(wording.Count(p.Summary.Warns, "warning", "warnings")), th.Warn
	case p.Summary.Recommendation != "" && p.Summary.Recommendation != proposals.RecommendApprove:
		return advice, style
	}
	return "", ""
}

// verdicts draws the numbers of members that are blocked, are stale, have warnings, or are to be sent back. The worst
// come first. Numbers that do not fit are omitted.
func (g grid) verdicts(r rows.Row, width int) draw.Line {
	type kind struct {
		word  string
		style theme.Style
		n     int
	}
	kinds := []kind{{word: "blocked", style: g.th.Bad}, {word: "stale", style: g.th.Warn}, {word: "with warnings", style: g.th.Warn}, {word: "to send back", style: g.th.Warn}}
	for _, p := range r.Members {
		switch s := p.Summary; {
		case !p.State.Open():
		case s.Blocks > 0:
			kinds[0].n++
		case p.Stale():
			kinds[1].n++
		case s.Warns > 0:
			kinds[2].n++
		case s.Recommendation == proposals.RecommendNeedsChanges || s.Recommendation == proposals.RecommendReject:
			kinds[3].n++
		}
	}
	var l draw.Line
	for _, k := range kinds {
		if k.n == 0 {
			continue
		}
		next := draw.Of(k.style, draw.Escapef("%d %s", k.n, k.word))
		if l != nil {
			next = append(draw.Of(g.th.Faint, " · "), next...)
		}
		if l.Width()+next.Width() <= width {
			l = append(l, next...)
		}
	}
	return l
}

// firstWords returns the beginning of text as a single line.
func firstWords(text string) string {
	return strings.Join(strings.Fields(plaintext.CutBytes(text, 400)), " ") // longer than any line of the list
}

// author draws the author of a proposal: the name of a user, or the kind and name of any other actor. If space is
// short, it draws only the kind, because an agent must not look like a user.
func author(th theme.Theme, a proposals.Actor, width int) draw.Line {
	name, kind := draw.Escape(cmp.Or(a.Name, a.String())), draw.Escape(string(a.Kind))
	switch {
	case a.Kind == proposals.User || a.Name == "":
		return draw.Of(th.Text, name)
	case draw.Width(kind)+1+draw.Width(name) > width:
		return draw.Of(th.Info, kind)
	}
	return draw.Of(th.Faint, kind+":").Add(th.Info, name)
}

// view draws the column headings and the visible rows of l. width is the total width of the columns, and
// lineWidth is the width of each line.
func (g grid) view(l *list, marks *markSet, width, lineWidth int) []string {
	columns := g.columns(width)
	heading := draw.Of("", draw.Safe(draw.Blank(marksWidth)))
	for _, c := range columns {
		heading = append(heading, c.draw(draw.Of(g.th.Faint, draw.Escape(c.heading)))...)
	}
	total := l.Total()
	if total == 0 {
		heading = nil
	}
	lines := []string{heading.String(lineWidth)}
	for n, r := range l.visible() {
		i, base, mark, marked := l.top+n, theme.Style(""), draw.Span{Text: " "}, draw.Span{Text: " "}
		if i == l.cursor {
			base, mark = g.th.Selected, draw.Span{Text: "▌", Style: g.th.Accent}
		}
		if marks.hasAll(r) {
			marked = draw.Span{Text: "*", Style: g.th.Accent}
		}
		row := draw.Line{mark, {Text: l.Bracket(i, r), Style: g.th.Faint}, marked}
		for _, c := range columns {
			row = append(row, c.draw(c.cell(r))...)
		}
		if i == l.cursor && g.th.Uniform {
			row = row.Plain()
		}
		var b strings.Builder
		row.Write(&b, lineWidth, base)
		lines = append(lines, b.String())
	}
	if rest := total - l.height; rest > 0 {
		draw.Scrollbar(lines[1:], l.top*100/rest, total, g.th.Rule)
	}
	return lines
}

// draw fits the content of a cell to the width of the column.
func (c *column) draw(l draw.Line) draw.Line {
	if w := l.Width(); c.right && w < c.width {
		l = append(draw.Of("", draw.Safe(draw.Blank(c.width-w))), l...)
	}
	return l.Fit(c.width).Add("", draw.Safe(draw.Blank(gap)))
}
