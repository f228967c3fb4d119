package queue

import (
	"strconv"
	"strings"
	"time"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/tui/draw"
	"toolcrib/tui/labels"
	"toolcrib/tui/queue/rows"
	"toolcrib/tui/theme"
	"toolcrib/tui/wording"
)

// column is a column of the list. Its width depends on that of the list and never on
// the rows, so that nothing moves while the list is scrolled.
type column struct {
	heading string
	width   int // 0 for a column that takes what is left
	right   bool
	cell    func(r rows.Row) draw.Line
}

// gap is how many cells are between two columns.
const gap = 1

// The least widths of a list from which it has more columns.
const (
	fromAuthor = 70
	fromWhy    = 104
	fromAdvice = 92
	fromWaits  = 170
)

// marksWidth has the cursor, the sign of a set and the mark.
const marksWidth = 3

// numberWidth has room for #99999, or six digits.
const numberWidth = 6

// leastSubject is how wide the subject is where the list is wide enough for more than it.
const leastSubject, mostSubject = 20, 36

// grid draws the cells of the list.
type grid struct {
	th      theme.Theme
	actor   proposals.Actor
	now     func() time.Time
	extents *extents
	states  bool // rows are of several states
}

// columns returns those of a list of so many cells.
func (g grid) columns(width int) []column {
	th := g.th
	each := func(cell func(p proposals.Proposal) draw.Line) func(rows.Row) draw.Line {
		return func(r rows.Row) draw.Line { return cell(r.First()) }
	}
	all := []column{
		{heading: "NO.", width: numberWidth, cell: func(r rows.Row) draw.Line { return draw.Of(th.Faint, numbers(r)) }},
		{width: 1, cell: func(r rows.Row) draw.Line { return worst(th, r) }},
	}
	if g.states {
		all = append(all, g.stateColumn(width >= fromAdvice))
	}
	all = append(all,
		column{heading: "SUBJECT", cell: func(r rows.Row) draw.Line { return g.subject(r, 0) }},
		column{heading: "TYPE", width: 10, cell: func(r rows.Row) draw.Line { return kindOfChange(th, r) }},
		column{heading: "LINES", width: 9, right: true, cell: g.lines})
	if width >= fromWhy {
		all = append(all, column{heading: "WHY", cell: func(r rows.Row) draw.Line { return g.why(r, 0) }})
	}
	if width >= fromWaits {
		all = append(all, column{heading: "WAITS FOR", width: 16, cell: each(func(p proposals.Proposal) draw.Line {
			if p.Approvals == nil {
				return nil
			}
			return draw.Of(th.Accent, draw.Show(strings.Join(p.Approvals.WaitsFor, ", ")))
		})})
	}
	if width >= fromAuthor {
		all = append(all, column{heading: "BY", width: 13, cell: each(func(p proposals.Proposal) draw.Line { return author(th, p.Author, 13) })})
	}
	if width >= fromAdvice {
		all = append(all, column{heading: "ADVICE", width: 9, cell: func(r rows.Row) draw.Line { return advice(th, r) }})
	}
	all = append(all, column{heading: "AGE", width: 4, right: true, cell: each(func(p proposals.Proposal) draw.Line {
		return draw.Of(th.Faint, draw.Show(wording.ShortAge(g.now().Sub(p.CreatedAt))))
	})})
	return g.fit(all, width)
}

// stateColumn has the state in words, or its sign where there is no room for them.
func (g grid) stateColumn(words bool) column {
	c := column{width: 1}
	if words {
		c = column{heading: "STATE", width: 15}
	}
	c.cell = func(r rows.Row) draw.Line {
		sign, word, style := labels.State(g.th, g.actor, r.First())
		if words {
			sign += " " + word
		}
		return draw.Of(style, sign)
	}
	return c
}

// fit gives the columns without a width what is left: all of it to the subject, or a
// part of it beside the reason.
func (g grid) fit(all []column, width int) []column {
	left := width - marksWidth
	var open []*column
	for i := range all {
		if left -= all[i].width + gap; all[i].width == 0 {
			open = append(open, &all[i])
		}
	}
	left += gap // none behind the last
	subject := open[0]
	subject.width = left
	if len(open) > 1 {
		subject.width = min(max(left/2, leastSubject), mostSubject)
		why := open[1]
		why.width = left - subject.width
		why.cell = func(r rows.Row) draw.Line { return g.why(r, why.width) }
	}
	subject.cell = func(r rows.Row) draw.Line { return g.subject(r, subject.width) }
	return all
}

// numbers names the proposals of a row.
func numbers(r rows.Row) draw.Safe {
	if r.Folded() {
		return draw.Showf("%d×", len(r.Members))
	}
	if r.First().Issue == 0 {
		return "–"
	}
	if n := draw.Showf("#%d", r.First().Issue); len(n) <= numberWidth {
		return n
	}
	return draw.Showf("%d", r.First().Issue)
}

// worst is the sign of the worst that is open in a row.
func worst(th theme.Theme, r rows.Row) draw.Line {
	var found draw.Line
	rank := 0
	for _, p := range r.Members {
		sign, style, n := sign(th, p)
		if n > rank {
			found, rank = draw.Of(style, sign), n
		}
	}
	return found
}

// sign is that of a proposal, with how bad it is.
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

// subject names what a row is about in so many cells: where they are too few, without
// the kind, and where it needs be without the layer. The pane tells both.
func (g grid) subject(r rows.Row, width int) draw.Line {
	th := g.th
	p := r.First()
	if r.Folded() {
		return draw.Of(th.Faint, "set:").Add(th.Strong, draw.Show(p.ChangeSet))
	}
	if width == 0 {
		return labels.Subject(th, p.Subject)
	}
	return labels.Named(th, p.Subject, width)
}

// kindOfChange names the type of a proposal; a set has one, or several.
func kindOfChange(th theme.Theme, r rows.Row) draw.Line {
	kind := r.First().Type
	for _, p := range r.Members {
		if p.Type != kind {
			return draw.Of(th.Text, "several")
		}
	}
	return draw.Of(th.Text, draw.Show(string(kind)))
}

// lines is how many lines a row adds and removes, once that was read.
func (g grid) lines(r rows.Row) draw.Line {
	th := g.th
	var sum review.Extent
	for _, p := range r.Members {
		e, ok := g.extents.of(p)
		if !ok {
			return nil
		}
		sum.Added, sum.Removed, sum.Size = sum.Added+e.Added, sum.Removed+e.Removed, sum.Size+e.Size
	}
	if sum.Size > 0 {
		return draw.Of(th.Faint, draw.Show(strconv.Itoa(sum.Size>>10)+" KiB"))
	}
	var l draw.Line
	if sum.Added > 0 {
		l = l.Add(th.Good, draw.Show("+"+brief(sum.Added)))
	}
	if sum.Removed > 0 {
		if l != nil {
			l = l.Add("", " ")
		}
		l = l.Add(th.Bad, draw.Show("−"+brief(sum.Removed)))
	}
	return l
}

// brief writes a number in at most four cells.
func brief(n int) string {
	switch {
	case n < 1000:
		return strconv.Itoa(n)
	case n < 1_000_000:
		return strconv.Itoa(n/1000) + "k"
	}
	return strconv.Itoa(n/1_000_000) + "M"
}

// why has the title of a proposal and the first words of its rationale, as many as there is
// room for; of a set the names of its members.
func (g grid) why(r rows.Row, width int) draw.Line {
	th := g.th
	if r.Folded() {
		names := make([]string, 0, 8)
		for _, p := range r.Members[:min(8, len(r.Members))] {
			names = append(names, p.Subject.ID)
		}
		text := draw.Show(strings.Join(names, ", "))
		for n := len(names) - 1; n > 0 && draw.Width(text) > width; n-- {
			text = draw.Show(strings.Join(names[:n], ", ")) + " …"
		}
		if draw.Width(text) > width {
			text = draw.Show(names[0])
		}
		return draw.Of(th.Faint, text)
	}
	p := r.First()
	var l draw.Line
	if !strings.EqualFold(strings.ReplaceAll(p.Title, " ", "_"), p.Subject.ID) {
		l = draw.Of(th.Text, draw.Words(draw.Show(p.Title), width)+" ")
	}
	e, _ := g.extents.of(p)
	if room := width - l.Width(); room > 0 {
		l = l.Add(th.Faint, draw.Words(draw.Show(firstWords(e.Rationale)), room))
	}
	return l
}

// firstWords is the beginning of a text, on one line.
func firstWords(text string) string {
	const most = 400 // bytes, more than any line has
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "")
	}
	return strings.Join(strings.Fields(text), " ")
}

// author names who proposed something, with the kind faint, or without it where the name
// would be cut.
func author(th theme.Theme, a proposals.Actor, width int) draw.Line {
	style := th.Text
	if a.Kind == proposals.Agent {
		style = th.Info
	}
	kind := draw.Show(string(a.Kind)) + ":"
	name := draw.Show(a.Name)
	switch {
	case a.Name == "":
		return draw.Of(style, draw.Show(a.String()))
	case draw.Width(kind)+draw.Width(name) > width:
		letter, _ := draw.Break(kind, 1)
		return draw.Of(th.Faint, letter+":").Add(style, name)
	}
	return draw.Of(th.Faint, kind).Add(style, name)
}

// advice names the worst that is recommended for a row.
func advice(th theme.Theme, r rows.Row) draw.Line {
	order := []proposals.Recommendation{proposals.RecommendReject, proposals.RecommendNeedsChanges, "", proposals.RecommendApprove}
	for _, worst := range order {
		for _, p := range r.Members {
			if p.Summary.Recommendation == worst {
				word, style := labels.Advice(th, worst)
				return draw.Of(style, word)
			}
		}
	}
	return nil
}
