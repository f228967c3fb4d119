package tui

import (
	"strings"

	"toolcrib/tui/draw"
)

// maxStatusLines limits the lines of the status message.
const maxStatusLines = 6

// statusLines wraps the status message to the width of the screen. Reasons are
// never cut short of maxStatusLines.
func (m *Model) statusLines() []draw.Line {
	if m.status.Text == "" {
		return []draw.Line{nil}
	}
	sign, style := draw.Safe("  "), m.theme.Faint
	switch m.status.Tone {
	case success:
		sign, style = "✓ ", m.theme.Good
	case warning:
		sign, style = "! ", m.theme.Warn
	case failure:
		sign, style = "✗ ", m.theme.Bad
	case remark:
	}
	text := m.theme.Text
	if m.status.Tone == remark {
		text = m.theme.Faint
	}
	const before = 3 // a blank and the sign
	parts := wrap(m.status.Text, m.layout.Width-before-1)
	if len(parts) > maxStatusLines {
		rest := strings.Join(asStrings(parts[maxStatusLines-1:]), " ")
		parts = append(parts[:maxStatusLines-1], draw.Cut(draw.Safe(rest), m.layout.Width-before-1))
	}
	lines := make([]draw.Line, len(parts))
	for i, p := range parts {
		lines[i] = draw.Of("", " ").Add(style, sign).Add(text, p)
		sign = "  "
	}
	return lines
}

// wrap breaks text into lines at word boundaries, and inside words that are
// wider than a line.
func wrap(text draw.Safe, width int) []draw.Safe {
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
