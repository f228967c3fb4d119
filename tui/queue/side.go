// The side pane, which shows the selected proposal beside or below the list.

package queue

import (
	"time"

	"toolcrib/internal/visible"
	"toolcrib/proposals"
	"toolcrib/proposals/facts"
	"toolcrib/review"
	"toolcrib/tui/draw"
	"toolcrib/tui/labels"
	"toolcrib/tui/prose"
	"toolcrib/tui/queue/rows"
	"toolcrib/tui/quotes"
	"toolcrib/tui/screen"
	"toolcrib/tui/wording"
)

// side draws the side pane.
func (q *Page) side() []string {
	f := q.list.pane(q.Frame)
	r, ok := q.list.At(q.list.cursor)
	if f.Side == 0 || !ok {
		return nil
	}
	p := r.First()
	if r.Folded() {
		return q.Preview.View(f, "set:"+p.ChangeSet, aboutSet(f, r))
	}
	if q.list.below(q.Frame) > 0 {
		return q.Preview.View(f, q.glance.of(p), q.glance.inBrief(f, q.Actor, p, &q.extents))
	}
	th := f.Theme
	page := prose.New(th)
	page.Title(p.Title)
	page.Text("", string(p.Type)+" "+p.Subject.String())
	page.Blank()
	view := facts.View{Age: func(t time.Time) string { return wording.ShortAge(q.Frame.Now().Sub(t)) }}
	labels.Facts(page, th, q.Actor, p, view, draw.Showf("   %s   revision %d", wording.Reference(p), p.Revision))
	if q.glance.isOf(p) {
		q.glance.about(f, page)
	}
	return q.Preview.View(f, q.glance.of(p), page)
}

// isOf reports whether the glance shows the current revision of p.
func (g Glance) isOf(p proposals.Proposal) bool {
	read := g.Dossier.Proposal
	return read.ID == p.ID && read.Revision == p.Revision
}

// of identifies the content of the pane. Different content must not be recorded as read.
func (g Glance) of(p proposals.Proposal) string {
	if !g.isOf(p) || g.Changes == nil {
		return string(p.ID)
	}
	return string(p.ID) + " " + g.Dossier.Digest
}

// See implements screen.Page. It records a proposal as read once the pane has shown all of its changes.
func (q *Page) See() {
	p, ok := q.list.current()
	if !ok || q.Read == nil || q.list.pane(q.Frame).Side == 0 || !q.glance.isOf(p) || q.glance.Changes == nil || !q.Preview.See(q.glance.of(p)) {
		return
	}
	if q.glance.read(&q.Preview) {
		q.Read([]review.Dossier{q.glance.Dossier}, func(proposals.ID) (unread, missing []string) { return nil, nil })
	}
}

// read reports whether the pane has shown everything that an approval requires. The pane cannot show hidden
// characters that a finding quotes, nor a changed field that has no line of its own.
func (g Glance) read(pane *screen.Preview) bool {
	for _, s := range g.Dossier.Standing {
		if !visible.Clean(s.Passage) {
			return false
		}
	}
	return g.Changes.Whole() && len(pane.Unseen(g.Changes.Unseen)) == 0
}

// inBrief draws a proposal in a few lines, for the pane below the list.
func (g Glance) inBrief(f screen.Frame, actor proposals.Actor, p proposals.Proposal, known *extents) *prose.Page {
	th := f.Theme
	page := prose.New(th)
	page.Line(append(draw.Of(th.Title, draw.Show(p.Title)).Add(th.Faint, "  "+draw.Show(string(p.Type))+" "), labels.Subject(th, p.Subject)...))
	sign, word, style := labels.State(th, actor, p)
	advice, adviceStyle := labels.Advice(th, p.Summary.Recommendation)
	l := draw.Of(style, sign+" "+word)
	for _, more := range []draw.Line{
		draw.Of(th.Faint, "  chief ").Add(adviceStyle, advice),
		draw.Of(th.Faint, "  by ").Add(th.Text, draw.Show(p.Author.String())),
		draw.Of(th.Faint, "  against "+draw.Show(facts.Against(p.BaseVersion))),
	} {
		if l.Width()+more.Width() < f.Side {
			l = append(l, more...)
		}
	}
	page.Line(l)
	if p.Stale() {
		page.Line(draw.Of(th.Warn, "⚠ "+draw.Show(facts.WhyStale(p))))
	}
	d := g.Dossier
	if !g.isOf(p) {
		if e, ok := known.of(p); ok {
			page.Text("", e.Rationale)
		}
		return page
	}
	list := quotes.Rows(d.Standing)
	for i, r := range list[:min(3, len(list))] {
		if sign, style := labels.Severity(th, r[0].Severity); r[0].Waiver == nil {
			page.Item(draw.Of(style, draw.Pad(sign, 9)), quotes.Message(list, i))
		}
	}
	page.Text("", d.Revision.Draft.Rationale)
	g.changes(f, page)
	return page
}

// pane returns the frame of the side pane, beside or below the list.
func (l *list) pane(f screen.Frame) screen.Frame {
	if l.narrowed() {
		f.Body--
	}
	if n := l.below(f); n > 0 {
		f.Side, f.Body = f.Width, n
	}
	return f
}

// below returns the height of the pane below the list, or 0 if the pane is beside the list or hidden.
func (l *list) below(f screen.Frame) int {
	if f.Width >= screen.SideFrom || f.By.Zoomed || l.Total() == 0 {
		return 0
	}
	return max(3, f.Body*2/5)
}

// aboutSet draws the members of a folded set, with their layer if they differ in it.
func aboutSet(f screen.Frame, r rows.Row) *prose.Page {
	th, first := f.Theme, r.First()
	page := prose.New(th)
	page.Title(first.ChangeSet)
	page.Faint("", "A change set of "+wording.Count(len(r.Members), "proposal", "proposals")+": approved together, or not at all. F lists them, enter opens the set.")
	page.Blank()
	number, layers := 0, false
	for _, p := range r.Members {
		number = max(number, draw.Width(draw.Show(wording.Reference(p)))+1)
		layers = layers || p.Subject.Layer != first.Subject.Layer
	}
	if !layers {
		page.Field("layer", string(first.Subject.Layer))
	}
	for _, p := range r.Members {
		sign, style, _ := sign(th, p)
		word, wordStyle := verdict(th, p)
		l := draw.Of(th.Faint, draw.Pad(draw.Show(wording.Reference(p)), number)).Add(style, draw.Pad(sign, 2))
		l = l.Add(th.Faint, draw.Pad(draw.Show(wording.Change(p.Type)), 8))
		name := draw.Of(th.Text, draw.Show(p.Subject.ID))
		if layers {
			name = labels.Brief(th, p.Subject, f.Side-l.Width()-2)
		}
		if l = append(l, name...); l.Width()+2+draw.Width(word) <= f.Side-2 {
			l = l.Add(wordStyle, "  "+word)
		}
		page.Line(l)
	}
	return page
}

// about adds the findings, the rationale, and the changes of a proposal to page.
func (g Glance) about(f screen.Frame, page *prose.Page) {
	th, d := f.Theme, g.Dossier
	if n := len(d.Rendered); n > 0 {
		page.Field("changes", wording.Count(n, "channel prompt", "channel prompts"))
	}
	f.Reach(page, d)
	if why := g.Unfit; len(why) > 0 {
		page.Blank()
		page.Item(draw.Of(th.Warn, "! "), "Can't be submitted yet: "+why[0])
	}
	if len(d.Standing) > 0 {
		page.Blank()
		page.Heading(wording.Count(len(d.Standing), "finding", "findings"))
		list, left := quotes.Rows(d.Standing), len(d.Standing)
		for i, r := range list {
			if i == 6 {
				page.Line(draw.Of(th.Faint, draw.Showf("  and %d more", left)))
				break
			}
			sign, style := labels.Severity(th, r[0].Severity)
			if r[0].Waiver != nil {
				sign, style = "□ waived", th.Faint
			}
			left -= len(r)
			page.Item(draw.Of(style, draw.Pad(sign, 9)), quotes.Message(list, i))
		}
	}
	if text := d.Revision.Draft.Rationale; text != "" {
		page.Blank()
		page.Heading("Rationale")
		page.Text("", text)
	}
	g.changes(f, page)
	for _, o := range d.Others {
		page.Blank()
		page.Text("", "Approving this makes "+wording.Reference(o)+" by "+o.Author.String()+" stale.")
	}
}

// changes adds the changes to page, cut after a few screens.
func (g Glance) changes(f screen.Frame, page *prose.Page) {
	if g.Changes == nil {
		return
	}
	rows := g.Changes.Rows(f.Theme, false)
	if rows.Len() == 0 {
		return
	}
	page.Blank()
	for i := range min(rows.Len(), 5*f.Body) {
		page.Row(rows.Row(i))
	}
}

// take replaces the content of the pane, unless read is not about the selected proposal. It keeps known changes if
// the proposal was read without them.
func (g *Glance) take(read Glance, selected proposals.ID) {
	if read.Err != nil || read.ID != selected {
		return
	}
	if read.Changes == nil && g.ID == read.ID && g.Dossier.Digest == read.Dossier.Digest {
		read.Changes = g.Changes
	}
	*g = read
}
