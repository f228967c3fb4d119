package markdown

import (
	"strings"
	"unicode/utf8"

	"toolcrib/tui/draw"
	"toolcrib/tui/pager"
	"toolcrib/tui/theme"
)

// maxPrefix is the widest sign that further lines of a wrapped line stand
// behind, in cells.
const maxPrefix = 20

// Cell returns the line behind an indent. Where it is wrapped its further lines
// stand below its beginning: behind the bars of a quote, beside a bullet.
func (l Line) Cell(indent string, th theme.Theme) pager.Cell {
	n, hang := prefix(l.Text)
	if draw.Width(hang) > maxPrefix {
		n, hang = 0, ""
	}
	marks := l.Marks(th)
	kept := marks[:0]
	for _, m := range marks {
		if m.End <= n {
			continue
		}
		m.Start, m.End = max(m.Start, n)-n, m.End-n
		kept = append(kept, m)
	}
	before := draw.Of("", draw.Safe(indent))
	return pager.Cell{
		Gutter: before.Add(th.Rule, draw.Show(l.Text[:n])),
		Hang:   before.Add(th.Rule, draw.Show(hang)),
		Text:   draw.Text{Raw: l.Text[n:], Base: th.Text, Hidden: th.Hidden, Faint: th.Faint, Marks: kept},
	}
}

// prefix returns how many bytes of a line are blanks, bars and a bullet or a
// number, and their replacement before further lines.
func prefix(text string) (n int, hang string) {
	for n < len(text) {
		r, size := utf8.DecodeRuneInString(text[n:])
		if r != ' ' && r != '┃' {
			break
		}
		n += size
	}
	hang = text[:n]
	rest := text[n:]
	sign := 0
	if strings.HasPrefix(rest, "• ") {
		sign = len("• ")
	} else if i := strings.Index(rest, ". "); i > 0 && i <= 4 && strings.Trim(rest[:i], "0123456789") == "" {
		sign = i + 2
	}
	return n + sign, hang + draw.Blank(draw.Width(rest[:sign]))
}
