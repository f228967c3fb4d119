package edit

import (
	"strings"
	"unicode/utf8"

	"toolcrib/tui/draw"
	"toolcrib/tui/pager"
	"toolcrib/tui/theme"
)

// CursorStyle turns the cell of the cursor around.
const CursorStyle theme.Style = "\x1b[7m"

// View draws a text in height lines of exactly width cells, the one with the cursor
// among them. A cursor says that keys write, so only a text that has the focus has one.
func View(t Text, th theme.Theme, width, height int, focus bool) []string {
	text, cursor := t.String(), t.Cursor()
	p := pager.New(th)
	p.SetWrap(true)
	p.SetRows(rows{strings.Split(text, "\n"), cursor, th, focus})
	p.SetSize(width, height)
	before := text[:cursor]
	p.Follow(strings.Count(before, "\n"), cursor-1-strings.LastIndexByte(before, '\n'))
	return p.View()
}

// Height returns how many lines of width cells a text takes, at most most.
func Height(t Text, width, most int) int {
	p := pager.New(theme.Plain())
	p.SetWrap(true)
	p.SetRows(rows{strings.Split(t.String(), "\n"), 0, theme.Plain(), false})
	p.SetSize(width, most)
	return min(p.Lines(most), most)
}

// ViewLine draws a line in width cells, the cursor among them; a selected text looks as
// marked says.
func ViewLine(t Text, th theme.Theme, width int, marked theme.Style) draw.Line {
	text, at := t.String(), t.Cursor()
	before, under, after := draw.Show(text[:at]), draw.Safe(" "), draw.Safe("")
	if _, n := utf8.DecodeRuneInString(text[at:]); n > 0 {
		under, after = draw.Show(text[at:at+n]), draw.Show(text[at+n:])
	}
	for draw.Width(before) > width-4 {
		_, n := utf8.DecodeRuneInString(string(before))
		before = before[n:]
	}
	style := th.Text
	if Selected(t) {
		style = marked
	}
	return draw.Of(style, before).Add(CursorStyle, under).Add(th.Text, after)
}

// rows are the lines of a text.
type rows struct {
	lines  []string
	cursor int // a byte of the whole text
	th     theme.Theme
	focus  bool
}

func (r rows) Len() int { return len(r.lines) }

func (r rows) Stops() []int { return nil }

func (r rows) Row(i int) pager.Row {
	at := r.cursor
	for _, before := range r.lines[:i] {
		at -= len(before) + 1
	}
	raw := r.lines[i] + " "
	text := draw.Text{Raw: raw, Base: r.th.Text, Hidden: r.th.Hidden, Faint: r.th.Faint}
	if r.focus && at >= 0 && at < len(raw) {
		_, n := utf8.DecodeRuneInString(raw[at:])
		text.Marks = []draw.Mark{{Start: at, End: at + n, Style: CursorStyle}}
	}
	return pager.Row{Cells: []pager.Cell{{Gutter: draw.Line{}, Text: text}}}
}
