// Package screen has what the pages of the workbench share: the frame in which they draw, texts,
// lists and panes, the declaration of keys, and the shell, which is the interface of the
// workbench to its pages.
package screen

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/tui/draw"
	"toolcrib/tui/pager"
	"toolcrib/tui/prose"
	"toolcrib/tui/theme"
)

// Page is a component that fills the screen below the bar. It keeps its own state
// and reaches the workbench only through its shell.
type Page interface {
	// Place is the heading of its keys in the help and in docs/keys.md.
	Place() string
	// Keys lists its keys. They may be asked of a zero page, to be documented.
	Keys() []Key
	// Fit lays the page out for a size and a theme, before anything is drawn.
	Fit(f Frame)
	// Tabs draws the line below the bar, and View the body.
	Tabs() (left, right draw.Line)
	View() []string
	// Shown returns the pager it shows text in, nil for a list.
	Shown() *pager.Pager
	// Update takes in a message, which need not be for it.
	Update(msg tea.Msg) tea.Cmd
	// Reload reads what it shows again.
	Reload() tea.Cmd
	// Leave ends a search or another mode; false when it is in none.
	Leave() (tea.Cmd, bool)
	// Scroll moves by n lines or rows, Click selects a row of the body; x is the
	// column that the mouse is in.
	Scroll(x, n int) tea.Cmd
	Click(x, row int) tea.Cmd
	// See marks the text on the screen as seen.
	See()
}

// Rendered is the message that a text was laid out as Markdown meanwhile.
type Rendered struct{}

// Done is the message at the end of work of which only a failure is shown.
type Done struct{ Err error }

// Crumbed is a page that is reached from a list: the bar names both.
type Crumbed interface {
	// Listed names the list, and Crumb the shown entry, in so many cells.
	Listed() draw.Safe
	Crumb(room int) draw.Line
}

// OfProposal is a page whose keys act on a proposal.
type OfProposal interface {
	Current() (proposals.Proposal, bool)
}

// Filtered is a page with a list that can be narrowed.
type Filtered interface{ Filter() string }

// Turning is a page with tabs that a click leads to.
type Turning interface{ TurnTo(tab int) tea.Cmd }

// Announcing is a page that has something to say when the workbench opens.
type Announcing interface{ Announce() tea.Cmd }

// Returning is a page that reads something when the user comes back to it.
type Returning interface{ Returned() tea.Cmd }

// Resumed is a page that begins where it was left the last time.
type Resumed interface {
	Left() Left
	Resume(l Left)
}

// Left is where a page was left.
type Left struct {
	Tab    string `json:"tab,omitempty"`
	Row    string `json:"row,omitempty"` // what the selected row is about
	Filter string `json:"filter,omitempty"`
	Order  string `json:"order,omitempty"`
}

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

// Frame has everything that a page needs to draw itself.
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

// Division is how the user divides the screen: the line between two panes is Shift cells to the
// right of its usual place, or one pane is zoomed.
type Division struct {
	Shift  int
	Zoomed bool
}

// NewLayout lays a screen out.
func NewLayout(width, height int, by Division) Layout {
	l := Layout{Width: width, Height: height, List: width, Right: width, Blame: 26, By: by}
	l.TooSmall = width < MinWidth || height < MinHeight
	l.Body = max(1, height-5)
	if width >= SideFrom && !by.Zoomed {
		l.List, l.Side = divide(width, width-min(width*3/8, mostSide)-1+by.Shift)
	}
	if width >= PanesFrom && !by.Zoomed {
		l.Left, l.Right = divide(width, min(width*2/5, prose.MaxWidth)+by.Shift)
	}
	if l.Right >= 100 {
		l.Blame = 42
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

// Day writes a moment of this year as day and time, and any other as a date, in UTC.
func (f Frame) Day(t time.Time) draw.Safe {
	if t = t.UTC(); t.Year() == f.Now().UTC().Year() {
		return draw.Safe(t.Format("02 Jan 15:04"))
	}
	return draw.Safe(t.Format("02 Jan  2006"))
}

// Hints draws keys with what they do, as many as fit.
func (f Frame) Hints(hints [][2]string) draw.Line {
	l := draw.Of("", " ")
	for _, h := range hints {
		next := append(l[:len(l):len(l)], Hint(f.Theme.Key, f.Theme.Faint, h[0], h[1])...)
		if next.Width() > f.Width {
			break
		}
		l = next
	}
	return l
}
