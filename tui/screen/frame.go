package screen

import (
	"strings"
	"time"

	"toolcrib/tui/draw"
	"toolcrib/tui/prose"
	"toolcrib/tui/theme"
)

// The smallest screen that the workbench draws on, in cells.
const (
	MinWidth  = 60
	MinHeight = 15
)

// SideFrom is the width from which a list has a pane beside it, PanesFrom the one
// from which a proposal or a tool is shown in two panes.
const (
	SideFrom  = 120
	PanesFrom = 140
)

// LeastPane is how narrow a pane becomes at most, and mostSide how wide the pane
// beside a list, in cells.
const (
	LeastPane = 40
	mostSide  = 120
)

// Frame is all that a page needs to draw itself.
type Frame struct {
	Layout
	Theme theme.Theme
	Now   func() time.Time // the present, for ages
}

// Layout has the places on the screen: a bar, the tabs and a rule above the body,
// a line for messages and one for the keys below it.
type Layout struct {
	Width, Height int
	TooSmall      bool
	Body          int // height of the body
	List, Side    int // width of a list, and of the pane beside it, 0 for none
	Left, Right   int // width of the two panes of a page; where Left is 0 there is one
	Blame         int // width of who brought a line in
	By            Division
}

// Division is how the reader divides the screen: the line between two panes stands
// so many cells to the right of where it stands otherwise, or one pane has it all.
type Division struct {
	Shift  int
	Zoomed bool
}

// NewLayout lays a screen out.
func NewLayout(width, height int, by Division) Layout {
	l := Layout{Width: width, Height: height, List: width, Right: width, Blame: 22, By: by}
	l.TooSmall = width < MinWidth || height < MinHeight
	l.Body = max(1, height-5)
	if width >= SideFrom && !by.Zoomed {
		l.List, l.Side = divide(width, width-min(width*3/8, mostSide)-1+by.Shift)
	}
	if width >= PanesFrom && !by.Zoomed {
		l.Left, l.Right = divide(width, min(width*2/5, prose.MaxWidth)+by.Shift)
	}
	if l.Right >= 100 {
		l.Blame = 36
	}
	return l
}

// divide gives the left of two panes so many cells, as far as both keep LeastPane.
// One cell is for the line between them.
func divide(width, wanted int) (left, right int) {
	left = min(max(wanted, LeastPane), width-1-LeastPane)
	return left, width - 1 - left
}

// Beside returns the width of a list with a pane beside it, 0 for a list alone.
func (l Layout) Beside() int {
	if l.Side == 0 {
		return 0
	}
	return l.List
}

// InSide reports whether a column of the screen is in the pane beside a list.
func (l Layout) InSide(x int) bool { return l.Side > 0 && x > l.List }

// Abreast puts two panes beside each other, the left of which has so many cells.
func (f Frame) Abreast(left, right []string, width int) []string {
	var b strings.Builder
	f.Theme.Rule.Write(&b, "│")
	line := b.String()
	lines := make([]string, f.Body)
	for i := range lines {
		lines[i] = lineOr(left, i, width) + line + lineOr(right, i, f.Width-1-width)
	}
	return lines
}

func lineOr(lines []string, i, width int) string {
	if i < len(lines) {
		return lines[i]
	}
	return draw.Blank(width)
}

// Stamp writes a moment to the minute, in UTC.
func Stamp(t time.Time) draw.Safe { return draw.Safe(t.UTC().Format("2006-01-02 15:04")) }
