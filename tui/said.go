package tui

import (
	"strings"

	"toolcrib/tui/draw"
)

// maxSaid is how many lines what is said takes at most.
const maxSaid = 6

// said returns what was said last in the lines that it takes: reasons are of any
// length, and half of one is none.
func (m *Model) said() []draw.Line {
	if m.status.text == "" {
		return []draw.Line{nil}
	}
	sign, style := draw.Safe("  "), m.theme.Faint
	switch m.status.tone {
	case success:
		sign, style = "✓ ", m.theme.Good
	case warning:
		sign, style = "! ", m.theme.Warn
	case failure:
		sign, style = "✗ ", m.theme.Bad
	case remark:
	}
	text := m.theme.Text
	if m.status.tone == remark {
		text = m.theme.Faint
	}
	const before = 3 // a blank and the sign
	parts := words(m.status.text, m.layout.width-before-1)
	if len(parts) > maxSaid {
		rest := strings.Join(asStrings(parts[maxSaid-1:]), " ")
		parts = append(parts[:maxSaid-1], draw.Cut(draw.Safe(rest), m.layout.width-before-1))
	}
	lines := make([]draw.Line, len(parts))
	for i, p := range parts {
		lines[i] = draw.Of("", " ").Add(style, sign).Add(text, p)
		sign = "  "
	}
	return lines
}

// words breaks a text between its words into lines of some width; a word that is
// wider is broken where it has to be.
func words(text draw.Safe, width int) []draw.Safe {
	var lines []draw.Safe
	line := draw.Safe("")
	for word := range strings.SplitSeq(string(text), " ") {
		w := draw.Safe(word)
		switch {
		case line == "" && len(lines) == 0:
			line = w
		case draw.Width(line)+1+draw.Width(w) <= width, draw.Width(w) > width:
			line += " " + w
		default:
			lines, line = append(lines, line), w
		}
		for draw.Width(line) > width {
			head, rest := draw.Break(line, width)
			lines, line = append(lines, head), rest
		}
	}
	return append(lines, line)
}

func asStrings(parts []draw.Safe) []string {
	out := make([]string, len(parts))
	for i, p := range parts {
		out[i] = string(p)
	}
	return out
}
