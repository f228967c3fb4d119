package tui

import (
	"toolcrib/review"
	"toolcrib/tui/draw"
	"toolcrib/tui/labels"
	"toolcrib/tui/prose"
	"toolcrib/tui/wording"
)

// side draws the pane beside the list: what the selected proposal is about.
func (q *queuePage) side(m *Model) []string {
	p, ok := q.current()
	if m.layout.Side == 0 || !ok {
		return nil
	}
	page := prose.New(m.theme)
	page.Title(p.Title)
	page.Text("", string(p.Type)+" "+p.Subject.String())
	sign, word, style := labels.State(m.theme, m.cfg.Actor, p)
	page.Line(draw.Of(style, sign+" "+word).Add(m.theme.Faint, draw.Showf("   %s   revision %d", wording.Reference(p), p.Revision)))
	page.Blank()
	page.Field("by", p.Author.String()+", "+wording.ShortAge(m.now().Sub(p.CreatedAt)))
	page.Field("against", wording.Against(p.BaseVersion))
	if p.ChangeSet != "" {
		page.Field("set", p.ChangeSet)
	}
	if p.Approvals != nil {
		page.Field("approvals", p.Approvals.Text)
	}
	if p.Stale() {
		page.Line(draw.Of(m.theme.Warn, draw.Show("⚠ "+wording.Stale(p))))
	}
	if advice, style := labels.Advice(m.theme, p.Summary.Recommendation); p.Summary.Recommendation != "" {
		page.Line(draw.Of(m.theme.Faint, draw.Pad("chief", prose.LabelWidth)).Add(style, advice))
	}
	if q.dossier.Proposal.ID == p.ID && q.dossier.Proposal.Revision == p.Revision {
		q.sideDossier(m, page, q.dossier)
	}
	return q.preview.View(m.frame(), string(p.ID), page)
}

func (q *queuePage) sideDossier(m *Model, page *prose.Page, d review.Dossier) {
	if n := len(d.Rendered); n > 0 {
		page.Field("changes", wording.Count(n, "channel prompt", "channel prompts"))
	}
	if why := q.unfit; len(why) > 0 {
		page.Blank()
		page.Item(draw.Of(m.theme.Warn, "! "), "Can't be submitted yet: "+why[0])
	}
	if len(d.Standing) > 0 {
		page.Blank()
		page.Heading(wording.Count(len(d.Standing), "finding", "findings"))
		for i, s := range d.Standing {
			if i == 6 {
				page.Line(draw.Of(m.theme.Faint, draw.Showf("  and %d more", len(d.Standing)-i)))
				break
			}
			sign, style := labels.Severity(m.theme, s.Severity)
			if s.Waiver != nil {
				sign, style = "□ waived", m.theme.Faint
			}
			page.Item(draw.Of(style, draw.Pad(sign, 9)), s.Message)
		}
	}
	if text := d.Revision.Draft.Rationale; text != "" {
		page.Blank()
		page.Heading("Rationale")
		page.Text("", text)
	}
	q.sideChanges(m, page)
	for _, o := range d.Others {
		page.Blank()
		page.Text("", "Approving this makes "+wording.Reference(o)+" by "+o.Author.String()+" stale.")
	}
}

// sideChanges shows what changes, as far as a few screens. It does not count as read.
func (q *queuePage) sideChanges(m *Model, page *prose.Page) {
	if q.changes == nil {
		return
	}
	rows := q.changes.Rows(m.theme, false)
	if rows.Len() == 0 {
		return
	}
	page.Blank()
	for i := range min(rows.Len(), 5*m.layout.Body) {
		page.Row(rows.Row(i))
	}
}
