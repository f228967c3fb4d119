// Package screen contains what the pages of the workbench share: the frame that they draw in, texts, lists, panes,
// the declaration of keys, and Shell, through which pages use the workbench.
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

// Page is a component that fills the screen below the bar. It owns its state and reaches the workbench only through
// its shell.
type Page interface {
	// Place returns the heading of the page's keys in the help and in docs/keys.md.
	Place() string
	// Keys returns the keys of the page. It must work on a zero page, for the documentation.
	Keys() []Key
	// Fit sets the size and the theme. It is called before the first View.
	Fit(f Frame)
	// Tabs draws the line below the bar. View draws the body.
	Tabs() (left, right draw.Line)
	View() []string
	// ActivePager returns the pager that shows the page's text, or nil for a list.
	ActivePager() *pager.Pager
	// Update handles a message, which may be meant for another page.
	Update(msg tea.Msg) tea.Cmd
	// Reload reads the page's data again.
	Reload() tea.Cmd
	// Escape ends a search or another mode. It returns false if no mode is active.
	Escape() (tea.Cmd, bool)
	// Scroll moves by n lines or rows. Click selects a row of the body. x is the column of the mouse.
	Scroll(x, n int) tea.Cmd
	Click(x, row int) tea.Cmd
	// MarkSeen records the visible text as read.
	MarkSeen()
}

// Rendered is sent when a text has been rendered as Markdown in the background.
type Rendered struct{}

// Done is sent at the end of work whose success is not shown.
type Done struct{ Err error }

// Breadcrumbed is a page that is opened from a list. The bar names both.
type Breadcrumbed interface {
	// Parent returns the name of the list. Crumb draws the name of the entry in at most room cells.
	Parent() draw.Safe
	Crumb(room int) draw.Line
}

// ProposalPage is a page whose keys act on a proposal.
type ProposalPage interface {
	Current() (proposals.Proposal, bool)
}

// Filtered is a page with a list that can be filtered.
type Filtered interface{ Filter() string }

// TabSwitcher is a page whose tabs can be clicked.
type TabSwitcher interface{ SelectTab(tab int) tea.Cmd }

// Announcing is a page that may show a message when the workbench starts.
type Announcing interface{ Announce() tea.Cmd }

// Returning is a page that reloads data when the user returns to it.
type Returning interface{ Returned() tea.Cmd }

// Stateful is a page whose state is restored at the next start.
type Stateful interface {
	State() PageState
	SetState(l PageState)
}

// PageState is the state of a page that is restored.
type PageState struct {
	Tab    string `json:"tab,omitempty"`
	Row    string `json:"row,omitempty"` // id of the selected row
	Filter string `json:"filter,omitempty"`
	Order  string `json:"order,omitempty"`
}

// Minimum size of the screen, in cells.
const (
	MinWidth  = 60
	MinHeight = 15
)

// SideMinWidth is the minimum screen width for a pane beside a list, and PanesMinWidth that for showing a proposal or a
// tool in two panes.
const (
	SideMinWidth  = 120
	PanesMinWidth = 140
)

// MinPaneWidth is the minimum width of a pane, and maxSideWidth the maximum width of a pane beside a list, in cells.
const (
	MinPaneWidth = 40
	maxSideWidth = 120
)

// Frame is everything that a page needs to draw itself.
type Frame struct {
	Layout
	Theme theme.Theme
	Now   func() time.Time // current time, for ages
}

// Layout is the geometry of the screen. From top to bottom: the bar, the tabs, a rule, the body, the status line, and
// the footer.
type Layout struct {
	Width, Height int
	TooSmall      bool
	Body          int // height of the body
	List, Side    int // width of a list and of the pane beside it; 0 for no pane
	Left, Right   int // width of the two panes of a page; if Left is 0, there is one
	Blame         int // width of the blame column
	By            Division
}

// Division is the user's division of the screen. Shift moves the divider to the right by cells, and Zoomed hides one
// pane.
type Division struct {
	Shift  int
	Zoomed bool
}

// NewLayout computes the layout of a screen.
func NewLayout(width, height int, by Division) Layout {
	l := Layout{Width: width, Height: height, List: width, Right: width, Blame: 26, By: by}
	l.TooSmall = width < MinWidth || height < MinHeight
	l.Body = max(1, height-5)
	if width >= SideMinWidth && !by.Zoomed {
		l.List, l.Side = divide(width, width-min(width*3/8, maxSideWidth)-1+by.Shift)
	}
	if width >= PanesMinWidth && !by.Zoomed {
		l.Left, l.Right = divide(width, min(width*2/5, prose.MaxWidth)+by.Shift)
	}
	if l.Right >= 100 {
		l.Blame = 42
	}
	return l
}

// divide splits width into two panes with one cell between them. The left pane has the wanted width, as far as both
// panes keep MinPaneWidth.
func divide(width, leftWidth int) (left, right int) {
	left = min(max(leftWidth, MinPaneWidth), width-1-MinPaneWidth)
	return left, width - 1 - left
}

// WithList returns l with a list of another width, if the list has a side pane.
func (l Layout) WithList(width int) Layout {
	if l.Side > 0 {
		l.List, l.Side = divide(l.Width, width+l.By.Shift)
	}
	return l
}

// Beside returns the width of a list that has a side pane, or 0 for a list without one.
func (l Layout) Beside() int {
	if l.Side == 0 {
		return 0
	}
	return l.List
}

// InSide reports whether column x is in the side pane.
func (l Layout) InSide(x int) bool { return l.Side > 0 && x > l.List }

// SideBySide joins the lines of two panes. width is the width of the left pane.
func (f Frame) SideBySide(left, right []string, width int) []string {
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

// FormatTime formats t to the minute, in UTC.
func FormatTime(t time.Time) draw.Safe { return draw.Safe(t.UTC().Format("2006-01-02 15:04")) }

// FormatDay formats t as day and time if it is in the current year, and otherwise as a date. Both are in UTC.
func (f Frame) FormatDay(t time.Time) draw.Safe {
	if t = t.UTC(); t.Year() == f.Now().UTC().Year() {
		return draw.Safe(t.Format("02 Jan 15:04"))
	}
	return draw.Safe(t.Format("02 Jan  2006"))
}

// Hints draws keys and their labels, as many as fit.
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

// List is the common part of lists with a side pane.
type List struct {
	Frame   Frame
	Preview Preview
}

// Layout returns the layout of the screen.
func (l *List) Layout() Layout { return l.Frame.Layout }

// LeftWidth implements Paned.
func (l *List) LeftWidth(by Layout) int { return by.Beside() }

// MinWidth implements Paned.
func (l *List) MinWidth() int { return SideMinWidth }

// Pane implements Previewed.
func (l *List) Pane() *Preview { return &l.Preview }

// ActivePager implements Page. A list has no pager.
func (l *List) ActivePager() *pager.Pager { return nil }

// Update implements Page. The results of a list arrive as Then.
func (l *List) Update(tea.Msg) tea.Cmd { return nil }

// MarkSeen implements Page. A list does not record which rows were on screen.
func (l *List) MarkSeen() {}

// Window returns the first row of a viewport of height rows that contains the cursor, scrolled as little as possible.
func Window(top, cursor, n, height int) int {
	top = min(top, cursor)
	top = max(top, cursor-height+1)
	return max(0, min(top, n-height))
}

// Choices draws a rule and below it a viewport of height rows around the selected one of n rows.
func (f Frame) Choices(n, selected, height int, row func(i int) draw.Line) []draw.Line {
	lines := []draw.Line{draw.Of(f.Theme.Rule, draw.Safe(strings.Repeat("─", f.Width)))}
	height = min(height, n)
	top := Window(0, max(0, selected), n, height)
	for i := top; i < top+height; i++ {
		mark := draw.Of("", " ")
		if i == selected {
			mark = draw.Of(f.Theme.Accent, "▌")
		}
		lines = append(lines, append(mark, row(i)...))
	}
	return lines
}

// CursorPage is a page with rows and a cursor.
type CursorPage interface {
	// Move moves the cursor n rows down.
	Move(n int) tea.Cmd
	// Rows returns the number of rows on screen.
	Rows() int
	// MoveToEnd moves the cursor to the first row, or to the last.
	MoveToEnd(last bool) tea.Cmd
}

// ListKeys returns the keys that move the cursor of a list.
func ListKeys(p CursorPage) []Key {
	move := func(n int) func() tea.Cmd { return func() tea.Cmd { return p.Move(n) } }
	screens := func(n float64) func() tea.Cmd {
		return func() tea.Cmd { return p.Move(int(n * float64(p.Rows()))) }
	}
	ends := func(last bool) func() tea.Cmd { return func() tea.Cmd { return p.MoveToEnd(last) } }
	return []Key{
		{Name: "down", Keys: []string{"j", "down"}, Help: "Select the next row", Do: move(1)},
		{Name: "up", Keys: []string{"k", "up"}, Help: "Select the previous row", Do: move(-1)},
		{Name: "half-down", Keys: []string{"ctrl+d"}, Help: "Half a screen down", Do: screens(0.5)},
		{Name: "half-up", Keys: []string{"ctrl+u"}, Help: "Half a screen up", Do: screens(-0.5)},
		{Name: "page-down", Keys: []string{"pgdown", "ctrl+f"}, Help: "A screen down", Do: screens(1)},
		{Name: "page-up", Keys: []string{"pgup", "ctrl+b"}, Help: "A screen up", Do: screens(-1)},
		{Name: "first", Keys: []string{"g", "home"}, Help: "Go to the first row", Do: ends(false)},
		{Name: "last", Keys: []string{"G", "end"}, Help: "Go to the last row", Do: ends(true)},
	}
}
