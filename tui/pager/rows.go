package pager

import (
	"toolcrib/tui/draw"
	"toolcrib/tui/theme"
)

// Rows are the rows that a pager shows.
type Rows interface {
	Len() int
	// Row returns row i. It is called only for visible rows.
	Row(i int) Row
	// Stops returns the rows that the user can step through, in order.
	Stops() []int
}

// Row is one row: one cell over the whole width, or two side by side.
type Row struct {
	Cells []Cell
	Base  theme.Style // below the styles of the row
}

// Cell is a text with a gutter.
type Cell struct {
	Gutter draw.Line
	Hang   draw.Line // gutter of continuation lines, as wide as Gutter
	Text   draw.Text
	Fill   theme.Style // background from the text to the edge
	// Still excludes the text from horizontal scrolling.
	Still bool
	// Most is the maximum width of wrapped text, in cells from the edge of the viewport; 0 means the other edge.
	Most int
	// Track identifies the text in the record of what was read; 0 means that it is not recorded.
	Track Text
}

// Text identifies a tracked text in any layout of the rows.
type Text uint64

// Fixed are rows that have been laid out.
type Fixed struct {
	All []Row
	To  []int // stops
}

// Len implements Rows.
func (f Fixed) Len() int { return len(f.All) }

// Row implements Rows.
func (f Fixed) Row(i int) Row { return f.All[i] }

// Stops implements Rows.
func (f Fixed) Stops() []int { return f.To }
