package markdown

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"toolcrib/tui/draw"
	"toolcrib/tui/theme"
)

// Line is one line of rendered text.
type Line struct {
	Text  string
	spans []span
}

// span gives the bytes from start to before end a role.
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

// lines reads what Glamour wrote. Of its escapes the colours are taken for the
// roles they stand for; everything else that is not text is left out.
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
			b.WriteString(seq) // marks without a cell belong to the character before them
			if last := len(l.spans) - 1; last >= 0 {
				l.spans[last].end = b.Len()
			}
		}
	}
	end()
	var kept []Line // without empty lines at both ends, and one between others
	for _, l := range all {
		if l.Text != "" || len(kept) > 0 && kept[len(kept)-1].Text != "" {
			kept = append(kept, l)
		}
	}
	if n := len(kept); n > 0 && kept[n-1].Text == "" {
		kept = kept[:n-1]
	}
	return kept
}

// roleOf returns the role that a colour encodes.
func roleOf(seq string, before Role) Role {
	if seq == "\x1b[m" || seq == "\x1b[0m" {
		return Body
	}
	role := before
	for params := strings.TrimSuffix(strings.TrimPrefix(seq, "\x1b["), "m"); params != ""; {
		var n int
		i := strings.Index(params, "38;2;1;2;")
		if i < 0 {
			break
		}
		params = params[i+len("38;2;1;2;"):]
		if _, err := fmt.Sscanf(params, "%d", &n); err == nil && n < int(roles) {
			role = Role(n)
		}
	}
	return role
}

// finish cuts the spans to the text and marks the characters that show hidden
// ones.
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
			from, to := token(l.Text[s.start:s.end])
			if from < 0 {
				break
			}
			if from > 0 {
				out = append(out, span{s.start, s.start + from, s.role, false})
			}
			out = append(out, span{s.start + from, s.start + to, s.role, true})
			s.start += to
		}
		if s.start < s.end {
			out = append(out, s)
		}
	}
	l.spans = out
}

// token finds the first ⟨U+202E⟩ or ⟨0xFF⟩.
func token(s string) (from, to int) {
	for at := 0; ; {
		i := strings.Index(s[at:], "⟨")
		if i < 0 {
			return -1, -1
		}
		i += at
		j := strings.Index(s[i:], "⟩")
		if j < 0 {
			return -1, -1
		}
		if body := s[i+len("⟨") : i+j]; len(body) <= 8 && (strings.HasPrefix(body, "U+") || strings.HasPrefix(body, "0x")) {
			return i, i + j + len("⟩")
		}
		at = i + len("⟨")
	}
}

// has reports whether every letter of a text is on the page, as often as in the
// text. Digits are left out: lists are numbered again.
func has(page []Line, text string) bool {
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
