package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/draw"
)

// paned is a page that has two panes where the screen is wide enough.
type paned interface {
	page
	// left returns how many cells the left pane has, 0 where there is one pane.
	left(l layout) int
	// from is how wide the screen has to be for two.
	from() int
}

// panes are the tabs of a page that shows the first of them on the left and one of
// the others on the right, or only the current one where there is no room for two.
type panes struct {
	tab    int // has the keys
	beside int // is on the right while the first tab has the keys, 0 for the second tab
}

func (p *panes) left(l layout) int { return l.left }

func (p *panes) from() int { return panesFrom }

// turn gives a tab the keys.
func (p *panes) turn(tab int) {
	p.tab = tab
	if tab > 0 {
		p.beside = tab
	}
}

// right returns the tab in the right pane.
func (p *panes) right() int { return max(1, p.beside) }

// visible reports whether a tab is on the screen.
func (p *panes) visible(l layout, tab int) bool {
	return tab == p.tab || l.left > 0 && (tab == 0 || tab == p.right())
}

// width returns how many cells a tab has.
func (p *panes) width(l layout, tab int) int {
	if tab == 0 && l.left > 0 {
		return l.left
	}
	return l.right
}

// at returns the tab in column x of the screen.
func (p *panes) at(l layout, x int) int {
	switch {
	case l.left == 0:
		return p.tab
	case x < l.left:
		return 0
	}
	return p.right()
}

// on returns the tab on the right or on the left.
func (p *panes) on(right bool) int {
	if right {
		return p.right()
	}
	return 0
}

// strip draws the names of the tabs, each above its pane, with room for right at the
// end.
func (p *panes) strip(m *Model, names []string, right draw.Line) draw.Line {
	l := m.layout
	if l.left == 0 {
		return m.tabLine(names, p.tab, true, l.width)
	}
	first := m.tabLine(names[:1], 0, p.tab == 0, l.left).Fit(l.left + 1)
	return append(first, m.tabLine(names[1:], p.right()-1, p.tab > 0, l.right-right.Width())...)
}

// abreast puts two panes beside each other, the left of which has so many cells.
func (m *Model) abreast(left, right []string, width int) []string {
	var b strings.Builder
	m.theme.Rule.Write(&b, "│")
	line := b.String()
	lines := make([]string, m.layout.body)
	for i := range lines {
		lines[i] = lineOr(left, i, width) + line + lineOr(right, i, m.layout.width-1-width)
	}
	return lines
}

func lineOr(lines []string, i, width int) string {
	if i < len(lines) {
		return lines[i]
	}
	return draw.Blank(width)
}

// rule is the line above the body, with the beginning of the one between two panes.
func (m *Model) rule() string {
	w := m.layout.width
	if p, ok := m.page.(paned); ok && p.left(m.layout) > 0 {
		left := p.left(m.layout)
		return strings.Repeat("─", left) + "┬" + strings.Repeat("─", w-left-1)
	}
	return strings.Repeat("─", w)
}

// paneStep is how far a key moves the line between two panes, in cells.
const paneStep = 8

// paneKeys divide the screen between two panes.
func paneKeys() []key {
	return []key{
		{name: "pane-left", keys: []string{"<"}, help: "Move the line between two panes to the left", do: movePanes(-paneStep), off: (*Model).onePane},
		{name: "pane-right", keys: []string{">"}, help: "Move the line between two panes to the right", do: movePanes(paneStep), off: (*Model).onePane},
		{name: "zoom", keys: []string{"z"}, label: "zoom", late: always, help: "Show one pane over the whole width; again: both", do: (*Model).zoom, off: (*Model).noPanes},
	}
}

func movePanes(cells int) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd {
		left := func(by division) int { return m.page.(paned).left(newLayout(m.layout.width, m.layout.height, by)) }
		next := m.division
		next.shift += cells
		if left(next) == left(m.division) {
			m.say(remark, "The other pane has at least %d cells", leastPane)
			return nil
		}
		return m.divided(next)
	}
}

func (m *Model) zoom() tea.Cmd {
	next := m.division
	next.zoomed = !next.zoomed
	return m.divided(next)
}

// divided divides the screen another way.
func (m *Model) divided(by division) tea.Cmd {
	m.division = by
	m.resize(m.layout.width, m.layout.height)
	return m.page.reload(m)
}

// noPanes tells why there are no two panes here.
func (m *Model) noPanes() string {
	p, ok := m.page.(paned)
	if !ok {
		return "this page has one pane"
	}
	if m.layout.width < p.from() {
		return "two panes need " + itoa(p.from()) + " columns"
	}
	return ""
}

// onePane tells why there is no line between two panes to move.
func (m *Model) onePane() string {
	if why := m.noPanes(); why != "" {
		return why
	}
	if m.division.zoomed {
		return "one pane has the whole width; z shows both"
	}
	return ""
}
