package changeset

import (
	"toolcrib/review/setpage"
	"toolcrib/tui/draw"
	"toolcrib/tui/labels"
	"toolcrib/tui/pager"
	"toolcrib/tui/theme"
)

// rows are the rows of a page, and the tool of each.
type rows struct {
	rows    []pager.Row
	tool    []int
	ids     []int // of each row: its place in tracked, -1 for none
	tracked []int // how many bytes of each text have to be on the screen
	stops   []int
}

func (r *rows) Len() int            { return len(r.rows) }
func (r *rows) Row(i int) pager.Row { return r.rows[i] }
func (r *rows) Stops() []int        { return r.stops }

// mostWide is how wide a text becomes at most, in cells.
const mostWide = 140

// mostDeep is how far a parameter is indented at most, so that a narrow terminal has
// room for its text.
const mostDeep = 6

func layRows(th theme.Theme, page setpage.Page) *rows {
	r := &rows{}
	for _, row := range page.Rows {
		if row.Kind == setpage.Tool {
			r.add(pager.Cell{}, row.Tool, false)
			r.stops = append(r.stops, len(r.rows))
		}
		r.add(cellOf(th, row), row.Tool, row.Kind != setpage.Raw)
	}
	return r
}

// add adds a row. The texts of the rows that have to be read are numbered, whatever
// is unfolded between them.
func (r *rows) add(c pager.Cell, tool int, tracked bool) {
	id := -1
	if tracked {
		id = len(r.tracked)
		r.tracked = append(r.tracked, len(c.Text.Raw))
		c.Track = pager.Text(id + 1)
	}
	r.rows, r.tool, r.ids = append(r.rows, pager.Row{Cells: []pager.Cell{c}}), append(r.tool, tool), append(r.ids, id)
}

// cellOf lays a row out: its parts one behind the other, each in its style.
func cellOf(th theme.Theme, row setpage.Row) pager.Cell {
	gutter, base := draw.Of("", "   "), th.Text
	name, detail := th.Accent, th.Faint
	switch row.Kind {
	case setpage.Title:
		gutter, name = draw.Of("", " "), th.Strong
	case setpage.Note:
		gutter, base = draw.Of("", " "), th.Faint
	case setpage.Tool:
		gutter, name, base = draw.Of(th.Accent, " ▌ "), th.Strong, th.Faint
	case setpage.Text:
		switch row.Sign {
		case "+":
			gutter = draw.Of(th.Good, " + ")
		case "-":
			gutter, base, name = draw.Of(th.Bad, " − "), th.Bad, th.Bad
		}
		gutter = gutter.Add(th.Text, draw.Safe(draw.Blank(2*min(row.Depth, mostDeep))))
	case setpage.Finding:
		sign, style := labels.Severity(th, row.Severity)
		if row.Waived {
			sign, style = "waived", th.Faint
		}
		gutter = draw.Of("", "   ").Add(style, draw.Pad(sign, 9))
	case setpage.Raw:
		gutter, base = draw.Of("", "     "), th.Faint
	}
	text := draw.Text{Base: base, Hidden: th.Hidden, Faint: th.Faint}
	for _, part := range []struct {
		text  string
		style theme.Style
	}{{row.Name, name}, {row.Detail, detail}, {row.Text, base}} {
		if part.text == "" {
			continue
		}
		if text.Raw != "" {
			text.Raw += "  "
		}
		text.Marks = append(text.Marks, draw.Mark{Start: len(text.Raw), End: len(text.Raw) + len(part.text), Style: part.style})
		text.Raw += part.text
	}
	return pager.Cell{Gutter: gutter, Hang: draw.Of("", draw.Safe(draw.Blank(gutter.Width()))), Text: text, Most: mostWide}
}
