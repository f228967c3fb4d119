package tui

import (
	"toolcrib/tui/draw"
	"toolcrib/tui/wording"
)

func (pp *proposalPage) tabs(m *Model) draw.Line {
	names := []string{"Overview", "Diff", "Assessment", "Prompt", "Thread", "History"}
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
	l := m.tabLine(names, pp.tab, m.layout.width)
	right := draw.Line{}
	if pp.tab == tabDiff && pp.list != nil {
		added, removed := pp.list.Changed()
		right = draw.Of(m.theme.Good, draw.Safe("+"+itoa(added))).Add(m.theme.Bad, draw.Safe(" −"+itoa(removed))).
			Add(m.theme.Faint, "  "+draw.Show(pp.comparedWith())+" ")
	}
	return draw.Ends(l, append(right, m.percent(pp.pager())...), m.layout.width)
}

func (pp *proposalPage) view(m *Model) []string {
	switch {
	case pp.err != nil && !pp.loaded:
		return []string{draw.Of(m.theme.Bad, " "+draw.Show(wording.OneLine(pp.err))).String(m.layout.width)}
	case !pp.loaded, pp.tab == tabDiff && pp.list == nil:
		return []string{draw.Of(m.theme.Faint, " …").String(m.layout.width)}
	}
	return pp.pager().View()
}
