package edit

import (
	"strings"
	"unicode/utf8"

	"toolcrib/tui/draw"
	"toolcrib/tui/pager"
	"toolcrib/tui/theme"
)

// CursorStyle reverses the colors of the cursor's cell.
const CursorStyle theme.Style = "\x1b[7m"

// View draws the part of a text around its cursor in height lines of exactly width cells. The cursor is drawn only if
// focus is set.
func View(t Text, th theme.Theme, width, height int, focus bool) []string {
	text, cursor := t.String(), t.Cursor()
	p := pager.New(th)
	p.SetWrap(true)
	if !focus {
		cursor = -1
	}
	p.SetRows(rows(text, cursor, th))
	p.SetSize(width, height)
	before := text[:t.Cursor()]
	p.Follow(strings.Count(before, "\n"), len(before)-1-strings.LastIndexByte(before, '\n'))
	return p.View()
}

// Height returns the number of lines of width cells that a text needs, at most most.
func Height(t Text, width, most int) int {
	p := pager.New(theme.Plain())
	p.SetWrap(true)
	p.SetRows(rows(t.String(), -1, theme.Plain()))
	p.SetSize(width, most)
	return min(p.Lines(most), most)
}

// ViewLine draws a line with its cursor in width cells. A selected text has the style marked.
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

// rows lays out the lines of a text with the cursor at an offset; -1 for no cursor.
func rows(text string, cursor int, th theme.Theme) pager.Rows {
	var all pager.Fixed
	for line := range strings.SplitSeq(text, "\n") {
		line += " "
		t := draw.Text{Raw: line, Base: th.Text, Hidden: th.Hidden, Faint: th.Faint}
		if cursor >= 0 && cursor < len(line) {
			_, n := utf8.DecodeRuneInString(line[cursor:])
			t.Marks = []draw.Mark{{Start: cursor, End: cursor + n, Style: CursorStyle}}
		}
		cursor -= len(line)
		all.All = append(all.All, pager.Row{Cells: []pager.Cell{{Gutter: draw.Line{}, Text: t}}})
	}
	return all
}
