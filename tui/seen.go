package tui

import (
	"toolcrib/tui/draw"
	"toolcrib/tui/wording"
)

// see notes what is on the screen as seen.
func (m *Model) see() {
	if len(m.lastLines()) > 1 {
		return // they cover some of it
	}
	if m.dialog == nil && !m.layout.tooSmall {
		m.page.see()
	}
}

// see notes what an approval needs.
func (pp *proposalPage) see() {
	switch {
	case !pp.loaded:
	case pp.tab == tabDiff:
		if pp.list != nil {
			pp.shown().See()
		}
	case pp.tab == tabAssessment:
		pp.shown().See()
	}
}

// crumb names the proposal in the first line of the screen, in room cells.
func (pp *proposalPage) crumb(m *Model, room int) draw.Line {
	p := pp.brief
	if pp.loaded {
		p = pp.dossier.Proposal
	}
	sign, word, style := m.stateWord(p.State)
	l := draw.Of(m.theme.Strong, draw.Show(wording.Reference(p))).Add(m.theme.Text, " "+draw.Show(string(p.Type))+" ")
	state := draw.Of(style, "  "+sign+" "+word)
	l = l.Add(m.theme.Text, draw.Cut(draw.Show(p.Subject.String()), max(8, room-l.Width()-state.Width())))
	return append(l, state...)
}
