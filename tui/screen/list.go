package screen

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/draw"
	"toolcrib/tui/pager"
)

// List is the common part of lists with a side pane.
type List struct {
	Frame   Frame
	Preview Preview
}

// Layout returns the layout of the screen.
func (l *List) Layout() Layout { return l.Frame.Layout }

// LeftOf implements Paned.
func (l *List) LeftOf(by Layout) int { return by.Beside() }

// From implements Paned.
func (l *List) From() int { return SideFrom }

// Pane implements Previewed.
func (l *List) Pane() *Preview { return &l.Preview }

// Shown implements Page. A list has no pager.
func (l *List) Shown() *pager.Pager { return nil }

// Update implements Page. The results of a list arrive as Then.
func (l *List) Update(tea.Msg) tea.Cmd { return nil }

// See implements Page. A list does not record which rows were on screen.
func (l *List) See() {}

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

// Rowed is a page with rows and a cursor.
type Rowed interface {
	// Move moves the cursor n rows down.
	Move(n int) tea.Cmd
	// Rows returns the number of rows on screen.
	Rows() int
	// Ends moves the cursor to the first row, or to the last.
	Ends(last bool) tea.Cmd
}

// ListKeys returns the keys that move the cursor of a list.
func ListKeys(p Rowed) []Key {
	move := func(n int) func() tea.Cmd { return func() tea.Cmd { return p.Move(n) } }
	screens := func(n float64) func() tea.Cmd {
		return func() tea.Cmd { return p.Move(int(n * float64(p.Rows()))) }
	}
	ends := func(last bool) func() tea.Cmd { return func() tea.Cmd { return p.Ends(last) } }
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
