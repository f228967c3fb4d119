package tui

import (
	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/prose"
)

// The smallest screen that the workbench draws on, in cells.
const (
	minWidth  = 60
	minHeight = 15
)

// sideFrom is the width from which a list has a pane beside it, panesFrom the one
// from which a proposal or a tool is shown in two panes.
const (
	sideFrom  = 120
	panesFrom = 140
)

// leastPane is how narrow a pane becomes at most, and mostSide how wide the pane
// beside a list, in cells.
const (
	leastPane = 40
	mostSide  = 120
)

// layout is where everything stands: a bar, the tabs and a rule above the body,
// a line for what is said and one for the keys below it.
type layout struct {
	width, height int
	tooSmall      bool
	body          int // height of the body
	list, side    int // width of a list, and of the pane beside it, 0 for none
	left, right   int // width of the two panes of a page; where left is 0 there is one
	blame         int // width of who brought a line in
}

// division is how the reader divides the screen: the line between two panes stands
// so many cells to the right of where it stands otherwise, or one pane has it all.
type division struct {
	shift  int
	zoomed bool
}

// newLayout lays a screen out.
func newLayout(width, height int, by division) layout {
	l := layout{width: width, height: height, list: width, right: width, blame: 22}
	l.tooSmall = width < minWidth || height < minHeight
	l.body = max(1, height-5)
	if width >= sideFrom && !by.zoomed {
		l.list, l.side = divide(width, width-min(width*3/8, mostSide)-1+by.shift)
	}
	if width >= panesFrom && !by.zoomed {
		l.left, l.right = divide(width, min(width*2/5, prose.MaxWidth)+by.shift)
	}
	if l.right >= 100 {
		l.blame = 36
	}
	return l
}

// divide gives the left of two panes so many cells, as far as both keep leastPane.
// One cell is for the line between them.
func divide(width, wanted int) (left, right int) {
	left = min(max(wanted, leastPane), width-1-leastPane)
	return left, width - 1 - left
}

// dialog returns the width and the height of a dialog that wants so much.
func (l layout) dialog(width, height int) (w, h int) {
	return min(width, l.width-4), min(height, l.body)
}

// resize lays everything out for a screen of the given size.
func (m *Model) resize(width, height int) {
	m.layout = newLayout(width, height, m.division)
	m.each(func(p page) tea.Cmd {
		p.resize(m)
		return nil
	})
	if m.dialog != nil {
		m.dialog.resize(m)
	}
}
