package tui

import tea "charm.land/bubbletea/v2"

// The smallest screen that the workbench draws on, in cells.
const (
	minWidth  = 60
	minHeight = 15
)

// sideFrom is the width from which a list has a pane beside it.
const sideFrom = 120

// layout is where everything stands: a bar, the tabs and a rule above the body,
// a line for what is said and one for the keys below it.
type layout struct {
	width, height int
	tooSmall      bool
	body          int // height of the body
	list          int // width of a list
	side          int // width of the pane beside it, 0 for none
	blame         int // width of who brought a line in
}

func newLayout(width, height int) layout {
	l := layout{width: width, height: height, list: width}
	l.tooSmall = width < minWidth || height < minHeight
	l.body = max(1, height-5)
	l.blame = 22
	if width >= 100 {
		l.blame = 36
	}
	if width >= sideFrom {
		l.side = min(width*3/8, 60)
		l.list = width - l.side - 1
	}
	return l
}

// dialog returns the width and the height of a dialog that wants so much.
func (l layout) dialog(width, height int) (w, h int) {
	return min(width, l.width-4), min(height, l.body)
}

// resize lays everything out anew for a screen of the given size.
func (m *Model) resize(width, height int) {
	m.layout = newLayout(width, height)
	m.each(func(p page) tea.Cmd {
		p.resize(m)
		return nil
	})
	if m.dialog != nil {
		m.dialog.resize(m)
	}
}
