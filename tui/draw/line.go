package draw

import (
	"strings"

	"toolcrib/tui/theme"
)

// Span is a piece of text in one style.
type Span struct {
	Text  Safe
	Style theme.Style
	Click string // action of a click, interpreted by the workbench; "" for none
}

// Line is a line of the screen.
type Line []Span

// Of returns a line of one span.
func Of(style theme.Style, text Safe) Line { return Line{{Text: text, Style: style}} }

// Add returns l with another span.
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

// Clicked returns l with an action for clicks.
func (l Line) Clicked(what string) Line {
	for i := range l {
		l[i].Click = what
	}
	return l
}

// ClickAt returns the action of a click on cell x, or "".
func (l Line) ClickAt(x int) string {
	for _, s := range l {
		if x -= Width(s.Text); x < 0 {
			return s.Click
		}
	}
	return ""
}

// Plain returns l without styles.
func (l Line) Plain() Line {
	out := make(Line, len(l))
	for i, s := range l {
		out[i].Text = s.Text
	}
	return out
}

// Write appends l, cut or padded to exactly width cells, over a base style.
func (l Line) Write(b *strings.Builder, width int, base theme.Style) {
	for _, s := range l.Fit(width) {
		s.Style.Over(base).Write(b, string(s.Text))
	}
}

// Fit returns l in exactly width cells.
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

// String returns l in exactly width cells.
func (l Line) String(width int) string {
	var b strings.Builder
	l.Write(&b, width, "")
	return b.String()
}

// Ends returns a line with left and right at its ends. It drops right if they do not both fit.
func Ends(left, right Line, width int) Line {
	gap := width - left.Width() - right.Width()
	if gap < 1 {
		return left
	}
	return append(append(left[:len(left):len(left)], Span{Text: Safe(Blank(gap))}), right...)
}

// Scrollbar draws a scrollbar into the last cells of lines, where they are blank. percent is the position, and total
// the number of all lines.
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

// blanks is long enough for most lines.
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

// Pad returns s in exactly width cells.
func Pad(s Safe, width int) Safe {
	s = Cut(s, width)
	return s + Safe(Blank(width-Width(s)))
}
