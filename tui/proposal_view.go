package tui

import (
	"toolcrib/tui/draw"
	"toolcrib/tui/wording"
)

func (pp *proposalPage) tabs(m *Model) (left, right draw.Line) {
	names := []string{"Overview", "Diff", "Assessment", "Prompt", "Thread", "History", "Tests"}
	if pp.loaded {
		d := pp.dossier
		if n := len(d.Standing); n > 0 {
			names[tabAssessment] += " " + itoa(n)
		}
		if n := len(d.Rendered); n > 0 {
			names[tabPrompt] += " " + itoa(n)
		}
		if n := len(d.Comments) + len(d.Decisions); n > 0 {
			names[tabThread] += " " + itoa(n)
		}
	}
	left = m.tabLine(names, pp.tab, m.layout.width)
	if pp.tab == tabDiff && pp.list != nil {
		added, removed := pp.list.Changed()
		right = draw.Of(m.theme.Good, draw.Safe("+"+itoa(added))).Add(m.theme.Bad, draw.Safe(" −"+itoa(removed))).
			Add(m.theme.Faint, "  "+draw.Show(pp.comparedWith())+" ")
	}
	return left, right
}

func (pp *proposalPage) view(m *Model) []string {
	switch {
	case pp.err != nil && !pp.loaded:
		return []string{draw.Of(m.theme.Bad, " "+draw.Show(wording.OneLine(pp.err))).String(m.layout.width)}
	case !pp.loaded, pp.tab == tabDiff && pp.list == nil:
		return []string{draw.Of(m.theme.Faint, " …").String(m.layout.width)}
	}
	return pp.shown().View()
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
