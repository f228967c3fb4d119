package draw

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"toolcrib/internal/visible"
	"toolcrib/tui/theme"
)

// Mark gives the bytes from Start to before End of a text a style of their own.
type Mark struct {
	Start, End int
	Style      theme.Style
}

// Text is one line of untrusted text with the styles it is drawn in.
type Text struct {
	Raw    string
	Base   theme.Style
	Hidden theme.Style // of characters that have to be shown as their code points
	Faint  theme.Style // of the sign for a tab
	Marks  []Mark      // in order, not overlapping
	Over   []Mark      // in order, stronger than Marks
}

// tabStop is how far apart tabs stop, in cells.
const tabStop = 4

// glyph is the next thing to draw: the output for size bytes of the text, its
// width in cells, and whether it is for a hidden character.
type glyph struct {
	text        string
	size, cells int
	hidden, tab bool
}

// next returns the glyph at byte i, drawn in column col of its line.
func next(raw string, i, col int) glyph {
	if c := raw[i]; c == '\t' {
		n := tabStop - col%tabStop
		return glyph{text: "→" + Blank(n-1), size: 1, cells: n, tab: true}
	}
	r, size := utf8.DecodeRuneInString(raw[i:])
	if r == utf8.RuneError && size == 1 {
		return token(fmt.Sprintf("⟨0x%02X⟩", raw[i]), 1)
	}
	if visible.Hidden(r) {
		return token(fmt.Sprintf("⟨U+%04X⟩", r), size)
	}
	n, _ := cluster(raw[i:])
	whole := raw[i : i+n]
	for at, r := range whole {
		if at > 0 && (visible.Hidden(r) || r == utf8.RuneError) {
			whole = whole[:at]
			break
		}
	}
	if len(whole) > maxStack {
		return token(stack(whole), len(whole))
	}
	return glyph{text: whole, size: len(whole), cells: Width(whole)}
}

func token(text string, size int) glyph {
	return glyph{text: text, size: size, cells: Width(text), hidden: true}
}

// plainRun returns how many bytes from i on are printable ASCII, at most n.
func plainRun(raw string, i, n int) int {
	end := min(len(raw), i+n)
	j := i
	for j < end && raw[j] >= 0x20 && raw[j] < 0x7f {
		j++
	}
	if j < len(raw) && raw[j] >= utf8.RuneSelf && j > i {
		j-- // the next bytes may join it
	}
	return j - i
}

// Measure returns the byte of raw behind which width cells, begun at byte from
// in column col, are full, and how many cells are used. A glyph that is wider
// than all of width is passed over as if it were width cells wide.
func Measure(raw string, from, col, width int) (to, used int) {
	i := from
	for i < len(raw) && used < width {
		if n := plainRun(raw, i, width-used); n > 0 {
			i, used = i+n, used+n
			continue
		}
		g := next(raw, i, col+used)
		if used+g.cells > width {
			if used == 0 {
				return i + g.size, width
			}
			break
		}
		i, used = i+g.size, used+g.cells
	}
	// Marks that take no cell belong to the character before them.
	for i < len(raw) && raw[i] >= utf8.RuneSelf {
		g := next(raw, i, col+used)
		if g.cells > 0 {
			break
		}
		i += g.size
	}
	return i, used
}

// Write appends the bytes from from to before to, which Measure returned for
// col and width, and returns how many cells it wrote, never more than width.
func (t *Text) Write(b *strings.Builder, from, to, col, width int) int {
	used := 0
	for i := from; i < to && used < width; {
		style, until := t.styleAt(i, to)
		if n := min(plainRun(t.Raw, i, width-used), until-i); n > 0 {
			style.Write(b, t.Raw[i:i+n])
			i, used = i+n, used+n
			continue
		}
		g := next(t.Raw, i, col+used)
		if used+g.cells > width {
			g.text, g.cells = strings.Repeat("·", width-used), width-used
		}
		switch {
		case g.hidden:
			t.Hidden.Over(style).Write(b, g.text)
		case g.tab:
			t.Faint.Over(style).Write(b, g.text)
		default:
			style.Write(b, g.text)
		}
		i, used = i+g.size, used+g.cells
	}
	return used
}

// styleAt returns the style of byte i and up to where it holds.
func (t *Text) styleAt(i, end int) (theme.Style, int) {
	style, until := t.Base, end
	for _, marks := range [2][]Mark{t.Marks, t.Over} {
		for _, m := range marks {
			if m.End <= i {
				continue
			}
			if m.Start > i {
				until = min(until, m.Start)
			} else {
				style, until = m.Style, min(until, m.End)
			}
			break
		}
	}
	return style, until
}
