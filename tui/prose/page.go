// Package prose lays out headings, fields, and paragraphs as rows of a pager.
package prose

import (
	"strings"

	"toolcrib/tui/draw"
	"toolcrib/tui/pager"
	"toolcrib/tui/theme"
)

// LabelWidth is the width of the labels of fields, in cells.
const LabelWidth = 11

// MaxWidth is the maximum width of prose, in cells. Longer lines are hard to read.
const MaxWidth = 100

// Page builds the rows of a text.
type Page struct {
	th   theme.Theme
	rows pager.Fixed
}

// New returns a page without rows.
func New(th theme.Theme) *Page { return &Page{th: th} }

// Rows returns the rows built so far.
func (p *Page) Rows() pager.Rows { return p.rows }

// Len returns the number of rows.
func (p *Page) Len() int { return len(p.rows.Rows) }

// Stop makes the next row a stop of the pager.
func (p *Page) Stop() { p.rows.StopRows = append(p.rows.StopRows, p.Len()) }

// Blank adds an empty row.
func (p *Page) Blank() { p.Cell(pager.Cell{}) }

// Line adds a row that is not wrapped.
func (p *Page) Line(l draw.Line) {
	p.Cell(pager.Cell{Gutter: append(draw.Of("", " "), l...)})
}

// Title adds the heading of the page.
func (p *Page) Title(text string) { p.item(" ", text, p.th.Strong, nil) }

// Heading adds the heading of a section.
func (p *Page) Heading(text string) { p.item(" ", text, p.th.Title, nil) }

// Text adds text, which can have several lines, with the given indentation.
func (p *Page) Text(indent, text string) {
	for line := range strings.SplitSeq(text, "\n") {
		p.TextLine(indent, line)
	}
}

// Faint adds text in the style for details, with the given indentation.
func (p *Page) Faint(indent, text string) {
	for line := range strings.SplitSeq(text, "\n") {
		p.item(" "+indent, line, p.th.Faint, nil)
	}
}

// Cell adds a row with a single cell.
func (p *Page) Cell(c pager.Cell) { p.Row(pager.Row{Cells: []pager.Cell{c}}) }

// Row adds a row.
func (p *Page) Row(r pager.Row) { p.rows.Rows = append(p.rows.Rows, r) }

// last returns the cell of the last row.
func (p *Page) last() *pager.Cell { return &p.rows.Rows[p.Len()-1].Cells[0] }

// TextLine adds a single line of text with the given indentation.
func (p *Page) TextLine(indent, text string) { p.item(" "+indent, text, p.th.Text, nil) }

// TrackedMarks adds a line of text with marked parts. The pager records under the given ID whether the line has
// been on screen.
func (p *Page) TrackedMarks(indent, text string, style theme.Style, marks []draw.Mark, id pager.TextID) {
	p.item(" "+indent, text, style, marks)
	p.last().Track = id
}

func (p *Page) item(indent, text string, style theme.Style, marks []draw.Mark) {
	p.Cell(pager.Cell{
		Gutter: draw.Of("", draw.Safe(indent)), Hang: draw.Of("", draw.Safe(indent)),
		Text: draw.Text{Raw: text, Base: style, Hidden: p.th.Hidden, Faint: p.th.Faint, Marks: marks}, MaxWidth: MaxWidth,
	})
}

// Item adds a paragraph that begins with sign. Continuation lines are aligned with the text after the sign.
func (p *Page) Item(sign draw.Line, text string) {
	gutter := append(draw.Of("", " "), sign...)
	p.Cell(pager.Cell{
		Gutter: gutter, Hang: draw.Of("", draw.Safe(draw.Blank(gutter.Width()))),
		Text: draw.Text{Raw: text, Base: p.th.Text, Hidden: p.th.Hidden, Faint: p.th.Faint}, MaxWidth: MaxWidth,
	})
}

// MarkedItem is like Item, but marks parts of the text.
func (p *Page) MarkedItem(sign draw.Line, text string, marks []draw.Mark) {
	p.Item(sign, text)
	p.last().Text.Marks = marks
}

// FaintItem is like Item, but uses the style for details.
func (p *Page) FaintItem(sign draw.Line, text string) {
	p.Item(sign, text)
	p.last().Text.Base = p.th.Faint
}

// FaintLines is like FaintItem, but adds an item for each line of text. Only the first item begins with sign.
func (p *Page) FaintLines(sign draw.Line, text string) {
	for line := range strings.SplitSeq(text, "\n") {
		p.FaintItem(sign, line)
		sign = draw.Of("", draw.Safe(draw.Blank(sign.Width())))
	}
}

// Gap adds an empty row, unless the last row is already empty.
func (p *Page) Gap() {
	if p.Len() == 0 || p.last().Gutter != nil || p.last().Text.Raw != "" {
		p.Blank()
	}
}

// Field adds a labeled value.
func (p *Page) Field(label, value string) {
	p.Item(draw.Of(p.th.Faint, draw.Pad(draw.Escape(label), LabelWidth)), value)
}
