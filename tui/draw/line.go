// Package draw draws text in terminal cells. A Span accepts only text of type Safe, which is escaped for the
// terminal.
package draw

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"toolcrib/internal/visible"
	"toolcrib/tui/theme"
)

// Span is a piece of text in a single style.
type Span struct {
	Text  Safe
	Style theme.Style
	Click string // action of a click, which the workbench interprets; "" for none
}

// Line is a line of the screen.
type Line []Span

// Of returns a line that consists of a single span.
func Of(style theme.Style, text Safe) Line { return Line{{Text: text, Style: style}} }

// Add returns l followed by another span.
func (l Line) Add(style theme.Style, text Safe) Line {
	return append(l, Span{Text: text, Style: style})
}

// Width returns the width of l in cells.
func (l Line) Width() int {
	w := 0
	for _, s := range l {
		w += Width(s.Text)
	}
	return w
}

// WithClick sets the click action of all spans of l. It returns l.
func (l Line) WithClick(action string) Line {
	for i := range l {
		l[i].Click = action
	}
	return l
}

// ClickAt returns the click action at cell x, or "".
func (l Line) ClickAt(x int) string {
	for _, s := range l {
		if x -= Width(s.Text); x < 0 {
			return s.Click
		}
	}
	return ""
}

// Plain returns a copy of l without styles and click actions.
func (l Line) Plain() Line {
	out := make(Line, len(l))
	for i, s := range l {
		out[i].Text = s.Text
	}
	return out
}

// Write appends l to b, cut or padded to the given width. The style of each span is applied on top of base.
func (l Line) Write(b *strings.Builder, width int, base theme.Style) {
	for _, s := range l.Fit(width) {
		s.Style.Over(base).Write(b, string(s.Text))
	}
}

// Fit returns l, cut or padded to the given width.
func (l Line) Fit(width int) Line {
	out := make(Line, 0, len(l)+1)
	for _, s := range l {
		w := Width(s.Text)
		if w > width {
			s.Text = Cut(s.Text, width)
			w = Width(s.Text)
		}
		out, width = append(out, s), width-w
		if width <= 0 {
			return out
		}
	}
	return append(out, Span{Text: Safe(Blank(width))})
}

// String returns the terminal output for l, cut or padded to the given width.
func (l Line) String(width int) string {
	var b strings.Builder
	l.Write(&b, width, "")
	return b.String()
}

// Changes draws the numbers of added and removed lines, for example "+3 −1". If exactly one number is 0, it is
// omitted.
func Changes(th theme.Theme, added, removed int) Line {
	var l Line
	if added > 0 || removed == 0 {
		l = Of(th.Good, Escapef("+%d", added))
	}
	if added > 0 && removed > 0 {
		l = l.Add("", " ")
	}
	if removed > 0 {
		l = l.Add(th.Bad, Escapef("−%d", removed))
	}
	return l
}

// Justify returns a line of the given width that begins with left and ends with right. If there is not enough
// room for both, it returns left.
func Justify(left, right Line, width int) Line {
	gap := width - left.Width() - right.Width()
	if gap < 1 {
		return left
	}
	return append(append(left[:len(left):len(left)], Span{Text: Safe(Blank(gap))}), right...)
}

// Scrollbar draws a scrollbar into the last cells of lines. It skips lines with a character in the last cell.
// percent is the scroll position, and total is the number of lines of the whole text.
func Scrollbar(lines []string, percent, total int, style theme.Style) {
	h := len(lines)
	size := min(max(1, h*h/max(1, total)), h-1)
	from := percent * (h - size) / 100
	var thumb strings.Builder
	style.Write(&thumb, "▐")
	for i := from; i < min(from+size, h) && size > 0; i++ {
		for _, blank := range []string{" ", " " + theme.Reset} {
			if l, ok := strings.CutSuffix(lines[i], blank); ok {
				lines[i] = l + blank[1:] + thumb.String()
				break
			}
		}
	}
}

// blanks is a constant that Blank slices to return spaces without an allocation.
const blanks = "                                                                                                                                "

// Blank returns n spaces.
func Blank(n int) string {
	if n <= 0 {
		return ""
	}
	if n <= len(blanks) {
		return blanks[:n]
	}
	return strings.Repeat(" ", n)
}

// Pad returns s, cut or padded to the given width.
func Pad(s Safe, width int) Safe {
	s = Cut(s, width)
	return s + Safe(Blank(width-Width(s)))
}

// Safe is a line of text that is safe to write to a terminal. It is a constant of the program or a result of
// Escape.
type Safe string

// Escape escapes untrusted text for the terminal. Newlines and tabs are written as names. Some characters have
// so many combining marks that they would overlap neighboring lines. Escape replaces the marks of such a
// character by their number.
func Escape[T ~string](s T) Safe { return limitMarks(visible.Line(string(s))) }

// limitMarks replaces the combining marks of each overlong character by the number of marks.
func limitMarks(s string) Safe {
	if len(s) <= maxStack {
		return Safe(s)
	}
	var b strings.Builder
	start := 0
	for i := 0; i < len(s); {
		n, _ := cluster(s[i:])
		if n > maxStack {
			b.WriteString(s[start:i])
			b.WriteString(splitMarks(s[i : i+n]))
			start = i + n
		}
		i += n
	}
	if start == 0 {
		return Safe(s)
	}
	b.WriteString(s[start:])
	return Safe(b.String())
}

// splitMarks returns the first code point of char, followed by the number of the other code points.
func splitMarks(char string) string {
	first, _ := utf8.DecodeRuneInString(char)
	return fmt.Sprintf("%c⟨+%d marks⟩", first, utf8.RuneCountInString(char)-1)
}

// Escapef formats text like fmt.Sprintf and escapes the result.
func Escapef(format string, args ...any) Safe { return Escape(fmt.Sprintf(format, args...)) }

// cluster returns the size in bytes and the width in cells of the first user-perceived character of s.
func cluster(s string) (size, cells int) {
	if s[0] < utf8.RuneSelf && (len(s) == 1 || s[1] < utf8.RuneSelf) {
		return 1, 1
	}
	c, cells := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
	if r, size := utf8.DecodeRuneInString(c); size < len(c) || r > maxAgreed {
		cells = max(cells, ansi.StringWidthWc(c))
	}
	return len(c), cells
}

// maxStack is the maximum size, in bytes, of a character that is drawn unchanged. The combining marks of larger
// characters would overlap neighboring lines.
const maxStack = 32

// Width returns the maximum width of s in cells. Some terminals draw a sequence such as a flag as a single
// character, others as several. Width returns the larger width, so no line is wider than computed.
func Width[T ~string](s T) int {
	w := 0
	for i := 0; i < len(s); {
		n, cells := cluster(string(s[i:]))
		i += n
		w += cells
	}
	return w
}

// maxAgreed is the last code point of a range that begins at 0. For every code point in this range, both
// methods of cluster return the same width.
const maxAgreed = 0x2ff

// Cut shortens s to the given width. If s is wider, Cut returns the beginning of s with an ellipsis. Otherwise,
// it returns s unchanged.
func Cut(s Safe, width int) Safe {
	if len(s) <= width || Width(s) <= width {
		return s
	}
	if width <= 0 {
		return ""
	}
	w := 0
	for i := 0; i < len(s); {
		n, cells := cluster(string(s[i:]))
		if w+cells > width-1 {
			return s[:i] + "…"
		}
		i += n
		w += cells
	}
	return s
}

// CutWords is like Cut, but cuts between words if possible.
func CutWords(s Safe, width int) Safe {
	cut := Cut(s, width)
	if cut == s {
		return s
	}
	if i := strings.LastIndexByte(string(cut), ' '); i > 0 {
		return cut[:i] + " …"
	}
	return cut
}

// Slice returns the part of s from column start to column end-1, padded with blanks if s is too short. If these
// columns contain only half of a wide character, the half is replaced by a blank.
func Slice(s Safe, start, end int) Safe {
	var b strings.Builder
	at := 0
	for i := 0; i < len(s) && at < end; {
		n, cells := cluster(string(s[i:]))
		switch inside := min(at+cells, end) - max(at, start); {
		case inside == cells:
			b.WriteString(string(s[i : i+n]))
		case inside > 0:
			b.WriteString(Blank(inside))
		}
		i, at = i+n, at+cells
	}
	b.WriteString(Blank(end - max(at, start)))
	return Safe(b.String())
}
