// This file draws the side pane, which shows the selected proposal. The pane is beside the list or, on a narrow
// screen, below it.

package queue

import (
	"strconv"
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

// pane draws the content of the side pane for row r. id identifies this content.
func (g PreviewContent) pane(f screen.Frame, r rows.Row, actor proposals.Actor, known *extents) (id string, page *prose.Page) {
	p, th := r.First(), f.Theme
	switch {
	case r.Folded():
		return "set:" + p.ChangeSet, setPreview(f, r)
	case f.Side == f.Width: // the pane is below the list
		return g.id(p), g.summary(f, actor, p, known)
	}
	page = prose.New(th)
	page.Title(p.Title)
	page.Text("", string(p.Type)+" "+p.Subject.String())
	page.Blank()
	view := facts.View{Age: func(t time.Time) string { return wording.ShortAge(f.Now().Sub(t)) }}
	labels.Facts(page, th, actor, p, view, draw.Escapef("   %s   revision %d", wording.Reference(p), p.Revision))
	if g.shows(p) {
		g.addDetails(f, page)
	}
	return g.id(p), page
}

// shows reports whether g is the content for the current revision of p.
func (g PreviewContent) shows(p proposals.Proposal) bool {
	read := g.Dossier.Proposal
	return read.ID == p.ID && read.Revision == p.Revision
}

// id identifies the content of the pane. If the pane shows the changes of p, the ID contains the review digest. The
// record of read lines is therefore never applied to other changes.
func (g PreviewContent) id(p proposals.Proposal) string {
	if !g.shows(p) || g.Changes == nil {
		return string(p.ID)
	}
	return string(p.ID) + " " + g.Dossier.Digest
}

// MarkSeen implements screen.Page. It records the selected proposal as read once the pane has shown all of its changes.
func (q *Page) MarkSeen() {
	p, ok := q.list.current()
	if !ok || q.AddView == nil || q.list.previewFrame(q.Frame).Side == 0 || !q.content.shows(p) || q.content.Changes == nil || !q.Preview.MarkSeen(q.content.id(p)) {
		return
	}
	if q.content.allSeen(&q.Preview) {
		q.AddView([]review.Dossier{q.content.Dossier}, func(proposals.ID) (unread, missing []string) { return nil, nil })
	}
}

// allSeen reports whether the pane has shown everything that the user must read before an approval. It returns false
// if a finding quotes hidden characters or if a changed field has no changed lines, because the pane does not show
// these.
func (g PreviewContent) allSeen(pane *screen.Preview) bool {
	for _, s := range g.Dossier.Standing {
		if !visible.Clean(s.Passage) {
			return false
		}
	}
	return g.Changes.HasAllLines() && len(pane.Unseen(g.Changes.Unseen)) == 0
}

// summary draws the proposal in a few lines, for a pane below the list.
func (g PreviewContent) summary(f screen.Frame, actor proposals.Actor, p proposals.Proposal, known *extents) *prose.Page {
	th := f.Theme
	page := prose.New(th)
	title := draw.Of(th.Title, draw.Escape(p.Title)).Add(th.Faint, "  "+draw.Escape(string(p.Type))+" ")
	page.Line(append(title, labels.Named(th, p.Subject, f.Side-2-title.Width())...))
	sign, word, style := labels.State(th, actor, p)
	l := draw.Of(style, sign+" "+word)
	for _, more := range []draw.Line{
		draw.Of(th.Faint, "  by ").Add(th.Text, draw.Escape(p.Author.String())),
		draw.Of(th.Faint, "  base: "+draw.Escape(facts.BaseName(p.BaseVersion))),
	} {
		if l.Width()+more.Width() < f.Side {
			l = append(l, more...)
		}
	}
	page.Line(l)
	if p.Stale() {
		page.Line(draw.Of(th.Warn, "⚠ "+draw.Escape(facts.WhyStale(p))))
	}
	d := g.Dossier
	if !g.shows(p) {
		if e, ok := known.get(p); ok {
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
	g.addChanges(f, page)
	return page
}

// previewFrame returns the frame of the side pane, which is beside the list or below it.
func (l *list) previewFrame(f screen.Frame) screen.Frame {
	if l.hasFilter() {
		f.Body--
	}
	if n := l.heightBelow(f); n > 0 {
		f.Side, f.Body = f.Width, n
	}
	return f
}

// heightBelow returns the height of a pane below the list, or 0 if the pane is beside the list or hidden. The pane is
// higher if the list is short.
func (l *list) heightBelow(f screen.Frame) int {
	if f.Width >= screen.SideMinWidth || f.By.Zoomed || l.Total() == 0 {
		return 0
	}
	return max(3, f.Body*2/5, f.Body-2-l.Total())
}

// setPreview lists the members of a folded set. If they are on different layers, it also shows the layer of each
// member.
func setPreview(f screen.Frame, r rows.Row) *prose.Page {
	th, first := f.Theme, r.First()
	page := prose.New(th)
	page.Title(first.ChangeSet)
	about := "A change set: approved as a whole, or not at all. F lists its members, enter opens the set."
	if !first.State.Open() { // see OpenSet in package tui
		about = "A change set. F lists its members, enter opens the first."
	}
	page.Faint("", about) // without a number, because a filter can hide members
	page.Blank()
	number, layers := 0, false
	for _, p := range r.Members {
		number = max(number, draw.Width(draw.Escape(wording.Reference(p)))+1)
		layers = layers || p.Subject.Layer != first.Subject.Layer
	}
	if !layers {
		page.Field("layer", string(first.Subject.Layer))
	}
	shown := r.Members[:min(len(r.Members), 3*f.Body)] // limited, because every frame draws the pane
	for _, p := range shown {
		sign, style, _ := sign(th, p)
		word, wordStyle := verdict(th, p)
		l := draw.Of(th.Faint, draw.Pad(draw.Escape(wording.Reference(p)), number)).Add(style, draw.Pad(sign, 2))
		l = l.Add(th.Faint, draw.Pad(draw.Escape(wording.Change(p.Type)), 9))
		name := draw.Of(th.Text, draw.Escape(p.Subject.ID))
		if layers {
			name = labels.Brief(th, p.Subject, f.Side-l.Width()-2)
		}
		if l = append(l, name...); l.Width()+2+draw.Width(word) <= f.Side-2 {
			l = l.Add(wordStyle, "  "+word)
		}
		page.Line(l)
	}
	if more := len(r.Members) - len(shown); more > 0 {
		page.Faint("", "and "+strconv.Itoa(more)+" more")
	}
	return page
}

// addDetails adds the capabilities, findings, rationale, and changes of the proposal to page.
func (g PreviewContent) addDetails(f screen.Frame, page *prose.Page) {
	th, d := f.Theme, g.Dossier
	if n := len(d.Rendered); n > 0 {
		page.Field("prompts", wording.Count(n, "channel prompt changes", "channel prompts change"))
	}
	f.Capabilities(page, d)
	if why := g.Problems; len(why) > 0 {
		page.Blank()
		page.Item(draw.Of(th.Warn, "! "), "Can't be submitted yet: "+why[0])
	}
	if len(d.Standing) > 0 {
		page.Blank()
		page.Heading(wording.Count(len(d.Standing), "finding", "findings"))
		list, left := quotes.Rows(d.Standing), len(d.Standing)
		for i, r := range list {
			if i == 6 {
				page.Line(draw.Of(th.Faint, draw.Escapef("  and %d more", left)))
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
	g.addChanges(f, page)
	for _, o := range d.Others {
		page.Blank()
		page.Text("", "Approving this makes "+wording.Reference(o)+" by "+o.Author.String()+" stale.")
	}
}

// addChanges adds the beginning of the changes to page, up to five times as many rows as the body has.
func (g PreviewContent) addChanges(f screen.Frame, page *prose.Page) {
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
