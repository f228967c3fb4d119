// This file converts the output of Glamour to lines with roles.

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

// span is the role of a range of bytes. end is exclusive.
type span struct {
	start, end int
	role       Role
	hidden     bool // it shows a hidden character
}

// Marks returns the styles of the line in a theme.
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

// lines parses Glamour's output. It converts colors back to roles and drops all other escape sequences.
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
			b.WriteString(seq) // marks without width belong to the preceding character
			if last := len(l.spans) - 1; last >= 0 {
				l.spans[last].end = b.Len()
			}
		}
	}
	end()
	// Keep one of adjacent empty lines, and none at the ends.
	all = slices.CompactFunc(all, func(a, b Line) bool { return a.Text == "" && b.Text == "" })
	if len(all) > 0 && all[0].Text == "" {
		all = all[1:]
	}
	if n := len(all); n > 0 && all[n-1].Text == "" {
		all = all[:n-1]
	}
	return all
}

// roleColor matches the color that encodes a role; see Role.colour.
var roleColor = regexp.MustCompile(`38;2;1;2;(\d+)`)

// roleOf returns the role that a color encodes.
func roleOf(seq string, before Role) Role {
	if seq == "\x1b[m" || seq == "\x1b[0m" {
		return Body
	}
	for _, color := range roleColor.FindAllStringSubmatch(seq, -1) {
		if n, err := strconv.Atoi(color[1]); err == nil && n < int(roles) {
			before = Role(n)
		}
	}
	return before
}

// finish cuts the spans to the text and marks written-out hidden characters.
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

// token matches a hidden character as written by package visible.
var token = regexp.MustCompile(`⟨(?:U\+|0x)[0-9A-F]{1,6}⟩`)

// containsAll reports whether page contains every letter of text as often as text does. It ignores digits, because
// lists are renumbered.
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
