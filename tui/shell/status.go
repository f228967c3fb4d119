package shell

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"toolcrib/internal/lists"
	"toolcrib/tui/draw"
	"toolcrib/tui/screen"
)

// Status is the message in the status line.
type Status struct{ message screen.Status }

// Say shows a message until the next key. The message is sanitized.
func (s *Status) Say(t screen.Tone, format string, args ...any) tea.Cmd {
	s.message = screen.Sayf(t, format, args...)
	return nil
}

// Fail shows an error.
func (s *Status) Fail(err error) tea.Cmd {
	s.message = screen.Fail(err)
	return nil
}

// Clear removes the message.
func (s *Status) Clear() { s.message = screen.Status{} }

// Message returns the text of the message, or "".
func (s *Status) Message() draw.Safe { return s.message.Text }

// maxStatusLines is the maximum number of lines of a message.
const maxStatusLines = 6

// lines wraps the message to the width of the screen. Only what exceeds maxStatusLines is cut.
func (s *Status) lines(f screen.Frame) []draw.Line {
	sign, style := draw.Safe("  "), f.Theme.Faint
	switch s.message.Tone {
	case screen.Success:
		sign, style = "✓ ", f.Theme.Good
	case screen.Warning:
		sign, style = "! ", f.Theme.Warn
	case screen.Failure:
		sign, style = "✗ ", f.Theme.Bad
	case screen.Remark:
	}
	text := f.Theme.Text
	if s.message.Tone == screen.Remark {
		text = f.Theme.Faint
	}
	const before = 3 // a blank and the sign
	parts := Wrap(s.message.Text, f.Width-before-1)
	if len(parts) > maxStatusLines {
		rest := lists.Map(parts[maxStatusLines-1:], func(p draw.Safe) string { return string(p) })
		parts = append(parts[:maxStatusLines-1], draw.Cut(draw.Safe(strings.Join(rest, " ")), f.Width-before-1))
	}
	lines := make([]draw.Line, len(parts))
	for i, p := range parts {
		lines[i] = draw.Of("", " ").Add(style, sign).Add(text, p)
		sign = "  "
	}
	return lines
}

// Wrap breaks text into lines at word boundaries, and within words that are longer than a line.
func Wrap(text draw.Safe, width int) []draw.Safe {
	var lines []draw.Safe
	for line := range strings.SplitSeq(ansi.Wrap(string(text), width, ""), "\n") {
		lines = append(lines, draw.Safe(line))
	}
	return lines
}
