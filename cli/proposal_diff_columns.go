package cli

import (
	"strconv"
	"strings"

	"github.com/mattn/go-runewidth"

	"toolcrib/history/diff"
)

// usualColumns is the width of a side-by-side diff where the width of the terminal
// is unknown.
const usualColumns = 160

// columns is the width of the terminal in cells.
func (a *app) columns() int {
	if n, err := strconv.Atoi(a.env.Getenv("COLUMNS")); err == nil && n >= 40 {
		return n
	}
	return usualColumns
}

// columns prints the two sides of hunks next to each other, in half cells each.
func (p *page) columns(hunks []diff.Hunk, half int) {
	for _, h := range hunks {
		for _, row := range h.Rows() {
			p.raw(strings.TrimRight(p.cell(h, row.Left, half, false)+" | "+p.cell(h, row.Right, half, true), " "))
		}
	}
}

// cell is one side of a row: number, sign and text, cut and filled to width
// cells.
func (p *page) cell(h diff.Hunk, i, width int, right bool) string {
	if i < 0 {
		return strings.Repeat(" ", width)
	}
	line := h.Lines[i]
	number, sign, ink := line.Old, " ", inkNone
	switch line.Kind {
	case diff.Delete:
		sign, ink = "-", inkBad
	case diff.Insert:
		number, sign, ink = line.New, "+", inkGood
	case diff.Context:
		if right {
			number = line.New
		}
	}
	head := pad(strconv.Itoa(number), 5) + sign + " "
	return head + p.paint(ink, pad(cut(line.Text, width-len(head)), width-len(head)))
}

// pad fills s with blanks to width cells.
func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(width-runewidth.StringWidth(s), 0))
}
