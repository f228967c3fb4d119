// This file converts the output of Glamour to lines. Each part of a line has a role, such as heading or code.

package markdown

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"toolcrib/tui/draw"
	"toolcrib/tui/theme"
)

// Line is a line of rendered text.
type Line struct {
	Text  string
	spans []span
}

// span assigns a role to the bytes from start to end-1.
type span struct {
	start, end int
	role       Role
	hidden     bool // the bytes represent a hidden character
}

// Marks returns the styles of the line in the given theme.
func (l Line) Marks(th theme.Theme) []draw.Mark {
	marks := make([]draw.Mark, len(l.spans))
	for i, s := range l.spans {
		style := s.role.Style(th)
		if s.hidden {
			style = th.Hidden
		}
		marks[i] = draw.Mark{Start: s.start, End: s.end, Style: style}
	}
	return marks
}

// lines converts the output of Glamour. It converts colors to the roles that they encode, and drops all other
// escape sequences.
func lines(out string) []Line {
	var all []Line
	var l Line
	var b strings.Builder
	role := Body
	end := func() {
		l.Text = strings.TrimRight(b.String(), " ")
		l.finish()
		all = append(all, l)
		l = Line{}
		b.Reset()
	}
	var state byte
	p := ansi.NewParser()
	for len(out) > 0 {
		seq, width, n, next := ansi.DecodeSequence(out, state, p)
		state, out = next, out[n:]
		switch {
		case seq == "\n":
			end()
		case width > 0 || seq == "\t":
			start := b.Len()
			b.WriteString(seq)
			if last := len(l.spans) - 1; last >= 0 && l.spans[last].end == start && l.spans[last].role == role {
				l.spans[last].end = b.Len()
			} else {
				l.spans = append(l.spans, span{start: start, end: b.Len(), role: role})
			}
		case ansi.Cmd(p.Command()).Final() == 'm' && strings.HasPrefix(seq, "\x1b["):
			role = roleOf(seq, role)
		case !strings.HasPrefix(seq, "\x1b"):
			b.WriteString(seq) // combining marks, which have no width, belong to the preceding character
			if last := len(l.spans) - 1; last >= 0 {
				l.spans[last].end = b.Len()
			}
		}
	}
	end()
	// Replace adjacent empty lines by a single empty line, and drop empty lines at the beginning and the end.
	all = slices.CompactFunc(all, func(a, b Line) bool { return a.Text == "" && b.Text == "" })
	if len(all) > 0 && all[0].Text == "" {
		all = all[1:]
	}
	if n := len(all); n > 0 && all[n-1].Text == "" {
		all = all[:n-1]
	}
	return all
}

// roleColor matches a color that encodes a role (see Role.color).
var roleColor = regexp.MustCompile(`38;2;1;2;(\d+)`)

// roleOf returns the role that the escape sequence seq encodes. If seq encodes no role, it returns current.
func roleOf(seq string, current Role) Role {
	if seq == "\x1b[m" || seq == "\x1b[0m" {
		return Body
	}
	for _, color := range roleColor.FindAllStringSubmatch(seq, -1) {
		if n, err := strconv.Atoi(color[1]); err == nil && n < int(roles) {
			current = Role(n)
		}
	}
	return current
}

// finish limits the spans to the length of the text, and marks the notation of hidden characters.
func (l *Line) finish() {
	for len(l.spans) > 0 && l.spans[len(l.spans)-1].start >= len(l.Text) {
		l.spans = l.spans[:len(l.spans)-1]
	}
	if n := len(l.spans); n > 0 {
		l.spans[n-1].end = min(l.spans[n-1].end, len(l.Text))
	}
	if !strings.Contains(l.Text, "⟨") {
		return
	}
	var out []span
	for _, s := range l.spans {
		for s.start < s.end {
			at := token.FindStringIndex(l.Text[s.start:s.end])
			if at == nil {
				break
			}
			if at[0] > 0 {
				out = append(out, span{s.start, s.start + at[0], s.role, false})
			}
			out = append(out, span{s.start + at[0], s.start + at[1], s.role, true})
			s.start += at[1]
		}
		if s.start < s.end {
			out = append(out, s)
		}
	}
	l.spans = out
}

// token matches the notation of a hidden character in the output of package visible.
var token = regexp.MustCompile(`⟨(?:U\+|0x)[0-9A-F]{1,6}⟩`)

// containsAll reports whether every letter occurs in page at least as often as in text. It ignores digits,
// because rendering renumbers lists.
func containsAll(page []Line, text string) bool {
	counts := map[rune]int{}
	for _, l := range page {
		for _, r := range l.Text {
			if unicode.IsLetter(r) {
				counts[r]++
			}
		}
	}
	for _, r := range text {
		if unicode.IsLetter(r) {
			if counts[r]--; counts[r] < 0 {
				return false
			}
		}
	}
	return true
}
