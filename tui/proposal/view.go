package proposal

import (
	"strconv"

	"toolcrib/tui/draw"
	"toolcrib/tui/labels"
	"toolcrib/tui/wording"
)

// Tabs implements screen.Page.
func (pp *Page) Tabs() (left, right draw.Line) {
	names := []string{"Overview", "Diff", "Assessment", "Prompt", "Thread", "History", "Tests"}
	if pp.loaded {
		d := pp.dossier
		if n := len(d.Standing); n > 0 {
			names[tabAssessment] += " " + strconv.Itoa(n)
		}
		if n := len(d.Rendered); n > 0 {
			names[tabPrompt] += " " + strconv.Itoa(n)
		}
		if n := len(d.Comments) + len(d.Decisions); n > 0 {
			names[tabThread] += " " + strconv.Itoa(n)
		}
	}
	if pp.Visible(pp.frame.Layout, tabDiff) && pp.list != nil {
		added, removed := pp.list.Changed()
		right = draw.Of(pp.frame.Theme.Good, draw.Safe("+"+strconv.Itoa(added))).Add(pp.frame.Theme.Bad, draw.Safe(" −"+strconv.Itoa(removed))).
			Add(pp.frame.Theme.Faint, "  "+draw.Show(pp.comparedWith())+" ")
	}
	return pp.Strip(pp.frame, names, right), right
}

// View implements screen.Page.
func (pp *Page) View() []string {
	switch {
	case pp.err != nil && !pp.loaded:
		return []string{draw.Of(pp.frame.Theme.Bad, " "+draw.Show(wording.OneLine(pp.err))).String(pp.frame.Width)}
	case !pp.loaded:
		return []string{draw.Of(pp.frame.Theme.Faint, " …").String(pp.frame.Width)}
	case pp.frame.Left == 0:
		return pp.pane(pp.Tab)
	}
	return pp.frame.Abreast(pp.pane(tabOverview), pp.pane(pp.RightTab()), pp.frame.Left)
}

// pane draws a tab.
func (pp *Page) pane(tab int) []string {
	if tab == tabDiff && pp.list == nil {
		return []string{draw.Of(pp.frame.Theme.Faint, " …").String(pp.WidthOf(pp.frame.Layout, tab))}
	}
	return pp.pagers[tab].View()
}

// See implements screen.Page: it notes what an approval needs.
func (pp *Page) See() {
	for _, tab := range []int{tabOverview, tabDiff, tabAssessment} {
		if pp.loaded && pp.Visible(pp.frame.Layout, tab) && (tab != tabDiff || pp.list != nil) {
			pp.pagers[tab].See()
		}
	}
}

// Crumb implements screen.Crumbed.
func (pp *Page) Crumb(room int) draw.Line {
	p := pp.brief
	if pp.loaded {
		p = pp.dossier.Proposal
	}
	sign, word, style := labels.State(pp.frame.Theme, pp.Actor, p)
	l := draw.Of(pp.frame.Theme.Strong, draw.Show(wording.Reference(p))).Add(pp.frame.Theme.Text, " "+draw.Show(string(p.Type))+" ")
	state := draw.Of(style, "  "+sign+" "+word)
	l = l.Add(pp.frame.Theme.Text, draw.Cut(draw.Show(p.Subject.String()), max(8, room-l.Width()-state.Width())))
	return append(l, state...)
}
