package pager

import (
	"toolcrib/tui/draw"
	"toolcrib/tui/theme"
)

// Rows are the rows that a pager shows.
type Rows interface {
	Len() int
	// Row returns row i. It is asked for rows in the window only.
	Row(i int) Row
	// Stops are the rows that a reader goes to one after the other, in order.
	Stops() []int
}

// Row is one row: one cell over the whole width, or two side by side.
type Row struct {
	Cells []Cell
	Base  theme.Style // under everything in the row
}

// Cell is a piece of text and the text before its first line.
type Cell struct {
	Gutter draw.Line
	Hang   draw.Line // before the further lines when it is wrapped; as wide as Gutter
	Text   draw.Text
	Fill   theme.Style // behind the text to the edge
	// Still keeps the text in its place when rows that are not wrapped are scrolled to
	// the side.
	Still bool
	// Most is the column at which wrapped text breaks at the latest, in cells from
	// the edge of the window; 0 means its other edge.
	Most int
	// Track, when it is not 0, names the text for the pager to remember how much
	// of it was shown.
	Track Text
}

// Text names a text whose reading is tracked, in any arrangement of its rows.
type Text uint64

// Fixed are rows that were laid out before.
type Fixed struct {
	All []Row
	To  []int // the stops
}

// Len implements Rows.
func (f Fixed) Len() int { return len(f.All) }

// Row implements Rows.
func (f Fixed) Row(i int) Row { return f.All[i] }

// Stops implements Rows.
func (f Fixed) Stops() []int { return f.To }
