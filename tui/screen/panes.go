package screen

import (
	"strconv"

	tea "charm.land/bubbletea/v2"
)

// Paned is a page that has two panes where the screen is wide enough.
type Paned interface {
	Layout() Layout
	// LeftOf returns how many cells the left pane has, 0 where there is one pane.
	LeftOf(l Layout) int
	// From is how wide the screen has to be for two.
	From() int
}

// paneStep is how far a key moves the line between two panes, in cells.
const paneStep = 8

// PaneKeys divide the screen between two panes.
func PaneKeys(p Paned) []Key {
	move := func(cells int) Action {
		return func() (Intent, tea.Cmd) {
			l := p.Layout()
			next := l.By
			next.Shift += cells
			if p.LeftOf(NewLayout(l.Width, l.Height, next)) == p.LeftOf(l) {
				return Sayf(Remark, "The other pane has at least %d cells", LeastPane), nil
			}
			return Divide{next}, nil
		}
	}
	zoom := func() (Intent, tea.Cmd) {
		by := p.Layout().By
		by.Zoomed = !by.Zoomed
		return Divide{by}, nil
	}
	onePane := func() string { return zoomed(p, "one pane has the whole width; z shows both") }
	return []Key{
		{Name: "pane-left", Keys: []string{"<"}, Help: "Move the line between two panes to the left", Do: move(-paneStep), Off: onePane},
		{Name: "pane-right", Keys: []string{">"}, Help: "Move the line between two panes to the right", Do: move(paneStep), Off: onePane},
		{Name: "zoom", Keys: []string{"z"}, Label: "zoom", Late: Always, Help: "Show one pane over the whole width; again: both", Do: zoom, Off: func() string { return noPanes(p) }},
	}
}

// noPanes tells why there are no two panes here.
func noPanes(p Paned) string {
	if p.Layout().Width < p.From() {
		return "two panes need " + strconv.Itoa(p.From()) + " columns"
	}
	return ""
}

// zoomed tells why there is one pane now: no room for two, or why.
func zoomed(p Paned, why string) string {
	if none := noPanes(p); none != "" || !p.Layout().By.Zoomed {
		return none
	}
	return why
}
