// Package screen contains the common parts of the pages of the workbench: the frame in which they are drawn, texts,
// lists, panes, and keys. Pages use the workbench only through the interface Shell.
package screen

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/tui/draw"
	"toolcrib/tui/pager"
	"toolcrib/tui/prose"
	"toolcrib/tui/theme"
)

// Page is a component that fills the screen below the bar. It uses the workbench only through a Shell.
type Page interface {
	// Place returns the heading of the page's keys in the help and in docs/keys.md.
	Place() string
	// Keys returns the keys of the page. It must also work for a zero page, because the documentation lists the
	// keys.
	Keys() []Key
	// Fit sets the size and the theme of the page. The workbench calls it before the first View.
	Fit(f Frame)
	// Tabs draws the line below the bar, in two parts: left begins at the left edge, and right ends at the right
	// edge. View draws the body.
	Tabs() (left, right draw.Line)
	View() []string
	// ActivePager returns the pager of the text with the focus, or nil if the page shows a list.
	ActivePager() *pager.Pager
	// Update handles a message. A page must ignore messages for other pages.
	Update(msg tea.Msg) tea.Cmd
	// Reload reads the page's data again.
	Reload() tea.Cmd
	// Escape ends the active mode, such as a search. It returns false if no mode is active.
	Escape() (tea.Cmd, bool)
	// Scroll scrolls by n lines or rows. x is the column of the mouse. Click selects the row at the given position
	// of the body.
	Scroll(x, n int) tea.Cmd
	Click(x, row int) tea.Cmd
	// MarkSeen records the text on screen as read.
	MarkSeen()
}

// Rendered is sent when a text has been rendered in the background.
type Rendered struct{}

// Done is sent when a task ends. The status line shows Err if it is not nil.
type Done struct{ Err error }

// Breadcrumbed is a page that is opened from a list. The bar shows the name of the list and the name of the entry.
type Breadcrumbed interface {
	// Parent returns the name of the list. Crumb draws the name of the entry, which is not wider than room.
	Parent() draw.Safe
	Crumb(room int) draw.Line
}

// ProposalPage is a page with keys for a proposal, which is the result of Current.
type ProposalPage interface {
	Current() (proposals.Proposal, bool)
}

// Filtered is a page with a list that the user can filter.
type Filtered interface{ Filter() string }

// TabSwitcher is a page with tabs that the user can click.
type TabSwitcher interface{ SelectTab(tab int) tea.Cmd }

// Announcing is a page that can show a message when the workbench starts.
type Announcing interface{ Announce() tea.Cmd }

// Returning is a page that reloads data when the user returns to it from another page.
type Returning interface{ Returned() tea.Cmd }

// Stateful is a page with a state that is saved on exit and restored at the next start.
type Stateful interface {
	State() PageState
	SetState(l PageState)
}

// PageState is the saved state of a page.
type PageState struct {
	Tab    string `json:"tab,omitempty"`
	Row    string `json:"row,omitempty"` // ID of the selected row
	Filter string `json:"filter,omitempty"`
	Order  string `json:"order,omitempty"`
}

// Minimum size of the screen, in cells.
const (
	MinWidth  = 60
	MinHeight = 15
)

// SideMinWidth is the minimum width of a screen that shows a list and a side pane. PanesMinWidth is the minimum
// width of a screen that shows a proposal or a definition in two panes.
const (
	SideMinWidth  = 120
	PanesMinWidth = 140
)

// MinPaneWidth is the minimum width of a pane, in cells. maxSideWidth is the maximum width of a side pane.
const (
	MinPaneWidth = 40
	maxSideWidth = 120
)

// Frame contains everything that a page needs to draw itself.
type Frame struct {
	Layout
	Theme theme.Theme
	Now   func() time.Time // returns the current time, from which ages are computed
}

// Layout is the geometry of the screen. From top to bottom, the screen consists of the bar, the tabs, a rule, the
// body, the status line, and the footer.
type Layout struct {
	Width, Height int
	TooSmall      bool
	Body          int // height of the body
	List, Side    int // widths of a list and of its side pane; Side is 0 if there is no side pane
	Left, Right   int // widths of the two panes of a page; Left is 0 if the page has only one pane
	Blame         int // width of the blame column
	By            Division
}

// Division describes how the user has divided the screen into two panes. Shift is the number of cells by which the
// user has moved the divider to the right. If Zoomed is set, only one pane is shown.
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

// divide splits width into two panes with a gap of a single cell. The left pane is leftWidth cells wide, unless this
// would make one of the panes narrower than MinPaneWidth.
func divide(width, leftWidth int) (left, right int) {
	left = min(max(leftWidth, MinPaneWidth), width-1-MinPaneWidth)
	return left, width - 1 - left
}

// WithList returns a copy of l with a list of the given width. If l has no side pane, it returns l unchanged.
func (l Layout) WithList(width int) Layout {
	if l.Side > 0 {
		l.List, l.Side = divide(l.Width, width+l.By.Shift)
	}
	return l
}

// Beside returns the width of the list if the list has a side pane, and 0 otherwise.
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

// FormatDay formats t, in UTC, as a day and time or, if t is in another year, as a date.
func (f Frame) FormatDay(t time.Time) draw.Safe {
	if t = t.UTC(); t.Year() == f.Now().UTC().Year() {
		return draw.Safe(t.Format("02 Jan 15:04"))
	}
	return draw.Safe(t.Format("02 Jan  2006"))
}

// Hints draws as many pairs of a key and its label as fit in the width of the frame.
func (f Frame) Hints(hints [][2]string) draw.Line {
	return f.FitHints(lists.Map(hints, func(h [2]string) draw.Line { return Hint(f.Theme.Key, f.Theme.Faint, h[0], h[1]) }), nil)
}

// FitHints draws the first of the given hints, as many as fit in the width of the frame, and then the hints in last,
// which are always drawn.
func (f Frame) FitHints(hints []draw.Line, last draw.Line) draw.Line {
	l := draw.Of("", " ")
	for _, h := range hints {
		if l.Width()+h.Width()+last.Width() > f.Width+hintGap {
			break
		}
		l = append(l, h...)
	}
	l = append(l, last...)
	end := &l[len(l)-1]
	end.Text = draw.Safe(strings.TrimRight(string(end.Text), " "))
	return l
}

// List is embedded in pages that show a list with a side pane.
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

// Update implements Page. It ignores all messages; lists receive their data in messages of type Then.
func (l *List) Update(tea.Msg) tea.Cmd { return nil }

// MarkSeen implements Page. It does nothing, because lists do not record which rows have been on screen.
func (l *List) MarkSeen() {}

// Window returns the index of the first visible row of a list with n rows. height is the number of visible rows, and
// top is the previous first row. The list scrolls only as far as necessary to show the cursor.
func Window(top, cursor, n, height int) int {
	top = min(top, cursor)
	top = max(top, cursor-height+1)
	return max(0, min(top, n-height))
}

// Choices draws a rule and, below it, up to height rows around the selected row. n is the number of all rows. The
// function row draws a row.
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
	// Rows returns the number of rows that the screen can show.
	Rows() int
	// MoveToEnd moves the cursor to the last row if bottom is set, and to the first row otherwise.
	MoveToEnd(bottom bool) tea.Cmd
}

// ListKeys returns the keys that move the cursor of a list.
func ListKeys(p CursorPage) []Key {
	move := func(n int) func() tea.Cmd { return func() tea.Cmd { return p.Move(n) } }
	screens := func(n float64) func() tea.Cmd {
		return func() tea.Cmd { return p.Move(int(n * float64(p.Rows()))) }
	}
	ends := func(bottom bool) func() tea.Cmd { return func() tea.Cmd { return p.MoveToEnd(bottom) } }
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
