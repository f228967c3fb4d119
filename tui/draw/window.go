// This file writes the visible part of a line of text with its styles.

package draw

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"toolcrib/internal/visible"
	"toolcrib/tui/theme"
)

// Mark applies a style to the bytes from Start up to, but not including, End.
type Mark struct {
	Start, End int
	Style      theme.Style
}

// Text is a line of untrusted text with its styles.
type Text struct {
	Raw    string
	Base   theme.Style
	Hidden theme.Style // style of hidden characters, which are drawn as code points
	Faint  theme.Style // style of the arrow that is drawn for a tab
	Marks  []Mark      // sorted and not overlapping
	Over   []Mark      // sorted; these take precedence over Marks
}

// tabStop is the distance between tab stops, in cells.
const tabStop = 4

// glyph is the output for a character of a text. size is the number of bytes of the character.
type glyph struct {
	text        string
	size, cells int
	hidden, tab bool
}

// next returns the glyph for the character at offset i of raw, drawn at column col.
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
		return token(splitMarks(whole), len(whole))
	}
	return glyph{text: whole, size: len(whole), cells: Width(whole)}
}

func token(text string, size int) glyph {
	return glyph{text: text, size: size, cells: Width(text), hidden: true}
}

// plainRun returns the number of consecutive printable ASCII bytes at offset i, but at most n.
func plainRun(raw string, i, n int) int {
	end := min(len(raw), i+n)
	j := i
	for j < end && raw[j] >= 0x20 && raw[j] < 0x7f {
		j++
	}
	if j < len(raw) && raw[j] >= utf8.RuneSelf && j > i {
		j-- // the next character may be a mark that combines with this byte
	}
	return j - i
}

// Measure finds the longest piece of raw that begins at offset start and fits in the given width when drawn
// from column col. It returns the end offset of the piece and its width in cells. If even the first glyph is
// too wide, the piece is this glyph, and Measure returns width as its width.
func Measure(raw string, start, col, width int) (end, used int) {
	i := start
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
	// Combining marks, which have no width, belong to the preceding character.
	for i < len(raw) && raw[i] >= utf8.RuneSelf {
		g := next(raw, i, col+used)
		if g.cells > 0 {
			break
		}
		i += g.size
	}
	return i, used
}

// Write appends the text between the offsets start and end. end must be the result of Measure for the same col
// and width. Write returns the number of cells that it has written, which is at most width.
func (t *Text) Write(b *strings.Builder, start, end, col, width int) int {
	used := 0
	for i := start; i < end && used < width; {
		style, until := t.styleAt(i, end)
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

// styleAt returns the style of the byte at offset i, and the offset at which this style ends. The offset is at
// most end.
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
