package queue

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"toolcrib/history/diff"
	"toolcrib/proposals"
	"toolcrib/proposals/facts"
	"toolcrib/tui/difflist"
	"toolcrib/tui/draw"
	"toolcrib/tui/labels"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
	"toolcrib/tui/wording"
)

// side draws the pane beside the list: what the selected proposal is about.
func (q *Page) side() []string {
	p, ok := q.Current()
	if q.Frame.Side == 0 || !ok {
		return nil
	}
	th := q.Frame.Theme
	page := prose.New(th)
	page.Title(p.Title)
	page.Text("", string(p.Type)+" "+p.Subject.String())
	page.Blank()
	view := facts.View{Age: func(t time.Time) string { return wording.ShortAge(q.Frame.Now().Sub(t)) }}
	labels.Facts(page, th, q.Actor, p, view, draw.Showf("   %s   revision %d", wording.Reference(p), p.Revision))
	if of := q.glance.Dossier.Proposal; of.ID == p.ID && of.Revision == p.Revision {
		q.glance.about(q.Frame, page)
	}
	return q.Preview.View(q.Frame, string(p.ID), page)
}

// about adds the findings, the rationale and the changes of a proposal to a page.
func (g Glance) about(f screen.Frame, page *prose.Page) {
	th, d := f.Theme, g.Dossier
	if n := len(d.Rendered); n > 0 {
		page.Field("changes", wording.Count(n, "channel prompt", "channel prompts"))
	}
	if why := g.Unfit; len(why) > 0 {
		page.Blank()
		page.Item(draw.Of(th.Warn, "! "), "Can't be submitted yet: "+why[0])
	}
	if len(d.Standing) > 0 {
		page.Blank()
		page.Heading(wording.Count(len(d.Standing), "finding", "findings"))
		for i, s := range d.Standing {
			if i == 6 {
				page.Line(draw.Of(th.Faint, draw.Showf("  and %d more", len(d.Standing)-i)))
				break
			}
			sign, style := labels.Severity(th, s.Severity)
			if s.Waiver != nil {
				sign, style = "□ waived", th.Faint
			}
			page.Item(draw.Of(style, draw.Pad(sign, 9)), s.Message)
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

// changes shows what changes, as far as a few screens. It does not count as read.
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

// debounce reads the selected proposal once the cursor rests on it.
func (q *Page) debounce() tea.Cmd {
	p, ok := q.Current()
	if !ok || q.Frame.Side == 0 {
		return nil
	}
	return q.Debounced(Rested{p.ID})
}

func (q *Page) loadGlance(id proposals.ID) tea.Cmd {
	return func() tea.Msg {
		d, err := q.desk.Show(q.ctx, q.Actor, id)
		if err != nil {
			return Glance{ID: id, Err: err}
		}
		g := Glance{ID: id, Dossier: d, Unfit: wording.Unfit(d)}
		before, after := d.Change()
		if len(before.Definition.Canonical())+len(after.Definition.Canonical())+len(before.Source)+len(after.Source) <= screen.MaxGlance {
			g.Changes = difflist.Narrow(diff.Contents(before, after))
		}
		return g
	}
}

// take takes in what the selected proposal is about. Changes that are known stay where
// the whole proposal was read without them.
func (g *Glance) take(read Glance, selected proposals.ID) {
	if read.Err != nil || read.ID != selected {
		return
	}
	if read.Changes == nil && g.ID == read.ID && g.Dossier.Digest == read.Dossier.Digest {
		read.Changes = g.Changes
	}
	*g = read
}
