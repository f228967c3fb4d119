package edit

import (
	"strings"

	"toolcrib/tui/draw"
	"toolcrib/tui/pager"
	"toolcrib/tui/theme"
)

// CursorStyle turns the cell of the cursor around.
const CursorStyle theme.Style = "\x1b[7m"

// View draws the text in height lines of exactly width cells, the one with the
// cursor among them. A cursor says that keys write, so only a text that has the
// focus has one.
func (t *Text) View(th theme.Theme, width, height int, focus bool) []string {
	p := pager.New(th)
	p.SetWrap(!t.single)
	p.SetRows(lines{t, th, focus})
	p.SetSize(width, height)
	row := strings.Count(string(t.runes[:t.cursor]), "\n")
	if t.single {
		p.Side(draw.Width(draw.Show(string(t.runes[:t.cursor]))) - width + 3)
	} else {
		p.Follow(row, t.cursor-t.lineStart())
	}
	return p.View()
}

type lines struct {
	*Text
	th    theme.Theme
	focus bool
}

func (l lines) Len() int { return strings.Count(l.String(), "\n") + 1 }

func (l lines) Stops() []int { return nil }

func (l lines) Row(i int) pager.Row {
	all := strings.Split(l.String(), "\n")
	raw := all[i] + " "
	start := 0
	for _, before := range all[:i] {
		start += len(before) + 1
	}
	text := draw.Text{Raw: raw, Base: l.th.Text, Hidden: l.th.Hidden, Faint: l.th.Faint}
	if at := l.Cursor() - start; l.focus && at >= 0 && at < len(raw) {
		end := at + 1
		for end < len(raw) && raw[end]&0xc0 == 0x80 {
			end++
		}
		text.Marks = []draw.Mark{{Start: at, End: end, Style: CursorStyle}}
	}
	return pager.Row{Cells: []pager.Cell{{Gutter: draw.Line{}, Text: text}}}
}
