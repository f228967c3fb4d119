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
	if m.page == pageCalls && m.dialog == nil && !m.layout.tooSmall {
		m.calls.pager.See()
	}
	if m.page != pageProposal || m.dialog != nil || !m.proposal.loaded || m.layout.tooSmall {
		return
	}
	pp := m.proposal
	switch pp.tab {
	case tabDiff:
		if pp.list != nil {
			pp.pager().See()
		}
	case tabAssessment:
		pp.pager().See()
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
