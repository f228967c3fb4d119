// This file divides the screen between two panes with tabs.

package screen

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/draw"
)

// Paned is a page that has two panes on a wide screen.
type Paned interface {
	Layout() Layout
	// LeftWidth returns the width of the left pane in layout l, or 0 if the page has only one pane.
	LeftWidth(l Layout) int
	// MinWidth returns the minimum screen width for two panes.
	MinWidth() int
}

// PaneFocus is implemented by pages on which the right pane can have the focus. On all other pages, the left
// pane has the focus.
type PaneFocus interface {
	// RightFocused reports whether the right pane has the focus.
	RightFocused() bool
}

var _ PaneFocus = (*Panes)(nil)

// paneStep is the number of cells by which a key press moves the divider.
const paneStep = 8

// PaneKeys returns the keys that move the divider between two panes, or hide one of the panes.
func PaneKeys(sh Shell, p Paned) []Key {
	move := func(cells int) func() tea.Cmd {
		return func() tea.Cmd {
			l := p.Layout()
			next := l.By
			next.Shift += cells
			if p.LeftWidth(NewLayout(l.Width, l.Height, next)) == p.LeftWidth(l) {
				return sh.Say(Remark, "The other pane needs at least %d columns", MinPaneWidth)
			}
			return sh.Divide(next)
		}
	}
	zoom := func() tea.Cmd {
		by := p.Layout().By
		by.Zoomed = !by.Zoomed
		return sh.Divide(by)
	}
	onePane := func() string { return zoomed(p, "one pane is hidden; z shows both") }
	return []Key{
		{Name: "pane-left", Keys: []string{"<"}, Help: "Move the divider between the panes to the left", Do: move(-paneStep), Disabled: onePane},
		{Name: "pane-right", Keys: []string{">"}, Help: "Move the divider between the panes to the right", Do: move(paneStep), Disabled: onePane},
		{Name: "zoom", Keys: []string{"z"}, Label: "zoom", Late: Always, Help: "Show only one pane, or both again", Terms: "maximize, fullscreen, preview", Do: zoom, Disabled: func() string { return noPanes(p) }},
	}
}

// noPanes returns the reason why the screen cannot show two panes, or "".
func noPanes(p Paned) string {
	l := p.Layout()
	if l.Width < p.MinWidth() {
		return "two panes need " + strconv.Itoa(p.MinWidth()) + " columns"
	}
	if l.By.Zoomed = false; p.LeftWidth(NewLayout(l.Width, l.Height, l.By)) == 0 {
		return "the page has only one pane now"
	}
	return ""
}

// zoomed returns the reason why only one pane is shown, or "" if both panes are. If the user has hidden a pane,
// it returns the given reason.
func zoomed(p Paned, reason string) string {
	if none := noPanes(p); none != "" || !p.Layout().By.Zoomed {
		return none
	}
	return reason
}

// Panes manages the tabs of a page with two panes. The left pane shows the first tab, and the right pane shows
// one of the other tabs. On a narrow screen, the page shows only the current tab.
type Panes struct {
	Tab    int // tab with the focus
	beside int // tab in the right pane while the left pane has the focus; 0 means the second tab
}

// LeftWidth implements Paned.
func (p *Panes) LeftWidth(l Layout) int { return l.Left }

// MinWidth implements Paned.
func (p *Panes) MinWidth() int { return PanesMinWidth }

// Focus moves the focus to the given tab.
func (p *Panes) Focus(tab int) {
	p.Tab = tab
	if tab > 0 {
		p.beside = tab
	}
}

// RightTab returns the tab in the right pane.
func (p *Panes) RightTab() int { return max(1, p.beside) }

// Visible reports whether the given tab is on screen.
func (p *Panes) Visible(l Layout, tab int) bool {
	return tab == p.Tab || l.Left > 0 && (tab == 0 || tab == p.RightTab())
}

// RightFocused implements PaneFocus.
func (p *Panes) RightFocused() bool { return p.Tab > 0 }

// TabWidth returns the width of the given tab.
func (p *Panes) TabWidth(l Layout, tab int) int {
	if tab == 0 && l.Left > 0 {
		return l.Left
	}
	return l.Right
}

// TabAt returns the tab in column x of the screen.
func (p *Panes) TabAt(l Layout, x int) int {
	switch {
	case l.Left == 0:
		return p.Tab
	case x < l.Left:
		return 0
	}
	return p.RightTab()
}

// TabIn returns the tab in the right pane if right is set, and the first tab otherwise, which is in the left
// pane.
func (p *Panes) TabIn(right bool) int {
	if right {
		return p.RightTab()
	}
	return 0
}

// TabBar draws the names of the tabs, each above its pane. It does not draw in the last cells of the line,
// where info is shown.
func (p *Panes) TabBar(f Frame, names []string, info draw.Line) draw.Line {
	l := f.Layout
	if l.Left == 0 {
		return f.TabLine(names, 0, p.Tab, true, l.Width)
	}
	first := f.TabLine(names[:1], 0, 0, p.Tab == 0, l.Left).Fit(l.Left + 1)
	return append(first, f.TabLine(names[1:], 1, p.RightTab()-1, p.Tab > 0, l.Right-info.Width())...)
}

// TabLine draws names of tabs in a line of the given width. If not all names fit, it draws the current tab and
// its neighbors, with a sign on each side on which more tabs follow. If keys is set, the current tab is drawn
// with the focus. current is an index of names. names[0] is the tab with the index offset on the page.
func (f Frame) TabLine(names []string, offset, current int, keys bool, width int) draw.Line {
	from, to := 0, Fitting(names, 0, width)
	for to < min(len(names), current+2) && from < current {
		from++
		to = Fitting(names, from, width)
	}
	l := draw.Of("", " ")
	if from > 0 {
		l = draw.Of(f.Theme.Accent, "‹")
	}
	for i := from; i < to; i++ {
		name, style := draw.Escape(names[i]), f.Theme.Faint
		sign := draw.Safe(" ")
		switch {
		case i == current && keys:
			sign, style = "▎", f.Theme.Accent
		case i == current:
			style = f.Theme.Strong
		}
		l = append(l, draw.Of(style, sign+name+" ").WithClick("tab "+strconv.Itoa(offset+i))...)
	}
	if to < len(names) {
		l = l.Add(f.Theme.Accent, "›")
	}
	return l
}

// Fitting returns the end of the longest sequence of names that begins at index start and fits in the given
// width. Each name needs a blank on both sides, and the line needs a cell at each end.
func Fitting(names []string, start, width int) int {
	used, to := 1, start
	for to < len(names) {
		used += draw.Width(draw.Escape(names[to])) + 2
		if used > width || to < len(names)-1 && used == width {
			break
		}
		to++
	}
	return max(to, start+1)
}
