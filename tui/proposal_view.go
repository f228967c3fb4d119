package tui

import (
	"toolcrib/tui/draw"
	"toolcrib/tui/labels"
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
	if pp.Visible(m.layout, tabDiff) && pp.list != nil {
		added, removed := pp.list.Changed()
		right = draw.Of(m.theme.Good, draw.Safe("+"+itoa(added))).Add(m.theme.Bad, draw.Safe(" −"+itoa(removed))).
			Add(m.theme.Faint, "  "+draw.Show(pp.comparedWith())+" ")
	}
	return pp.Strip(m.frame(), names, right), right
}

func (pp *proposalPage) view(m *Model) []string {
	switch {
	case pp.err != nil && !pp.loaded:
		return []string{draw.Of(m.theme.Bad, " "+draw.Show(wording.OneLine(pp.err))).String(m.layout.Width)}
	case !pp.loaded:
		return []string{draw.Of(m.theme.Faint, " …").String(m.layout.Width)}
	case m.layout.Left == 0:
		return pp.pane(m, pp.Tab)
	}
	return m.frame().Abreast(pp.pane(m, tabOverview), pp.pane(m, pp.RightTab()), m.layout.Left)
}

// pane draws a tab.
func (pp *proposalPage) pane(m *Model, tab int) []string {
	if tab == tabDiff && pp.list == nil {
		return []string{draw.Of(m.theme.Faint, " …").String(pp.WidthOf(m.layout, tab))}
	}
	return pp.pagers[tab].View()
}

// see notes what an approval needs.
func (pp *proposalPage) see(m *Model) {
	for _, tab := range []int{tabOverview, tabDiff, tabAssessment} {
		if pp.loaded && pp.Visible(m.layout, tab) && (tab != tabDiff || pp.list != nil) {
			pp.pagers[tab].See()
		}
	}
}

// crumb names the proposal in the first line of the screen, in room cells.
func (pp *proposalPage) crumb(m *Model, room int) draw.Line {
	p := pp.brief
	if pp.loaded {
		p = pp.dossier.Proposal
	}
	sign, word, style := labels.State(m.theme, m.cfg.Actor, p)
	l := draw.Of(m.theme.Strong, draw.Show(wording.Reference(p))).Add(m.theme.Text, " "+draw.Show(string(p.Type))+" ")
	state := draw.Of(style, "  "+sign+" "+word)
	l = l.Add(m.theme.Text, draw.Cut(draw.Show(p.Subject.String()), max(8, room-l.Width()-state.Width())))
	return append(l, state...)
}
