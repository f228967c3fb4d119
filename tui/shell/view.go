package shell

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"toolcrib/internal/lists"
	"toolcrib/tui/draw"
	"toolcrib/tui/edit"
	"toolcrib/tui/screen"
	"toolcrib/tui/theme"
)

// Parts contains the parts of the screen that depend on the page, from top to bottom. Footer draws the keys of
// the page.
type Parts struct {
	Bar, Tabs draw.Line
	Left      int  // column of the divider between two panes; 0 if there is one pane
	Right     bool // the right pane has the focus
	Body      []string
	Footer    func() draw.Line
}

// View draws the screen.
func (s *Shell) View(parts func() Parts) tea.View {
	content := ""
	if s.frame.TooSmall {
		content = s.tooSmall()
	} else {
		content = s.draw(parts())
	}
	var cursor *tea.Cursor
	if s.typing() {
		content, cursor = hardwareCursor(content)
	}
	v := tea.NewView(s.frame.Theme.Paint(content))
	v.Cursor = cursor
	v.AltScreen = true
	v.WindowTitle = "toolcrib"
	if s.Mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	return v
}

// hardwareCursor places the terminal's cursor at the drawn cursor for input methods, magnifiers, and screen
// readers. It removes the drawn cursor, because many terminals show no cursor if both are in the same cell.
func hardwareCursor(content string) (string, *tea.Cursor) {
	at := strings.LastIndex(content, string(edit.CursorStyle))
	if at < 0 {
		return content, nil
	}
	before := content[:at]
	line := before[strings.LastIndexByte(before, '\n')+1:]
	cursor := tea.NewCursor(ansi.StringWidth(line), strings.Count(before, "\n"))
	cursor.Blink = false
	return before + content[at+len(edit.CursorStyle):], cursor
}

// draw draws all lines of the screen. Each line is exactly as wide as the terminal.
func (s *Shell) draw(p Parts) string {
	w, th := s.frame.Width, s.frame.Theme
	var b strings.Builder
	b.Grow(w * s.frame.Height * 2)
	write := func(l draw.Line) {
		l.Write(&b, w, "")
		b.WriteByte('\n')
	}
	p.Bar.Write(&b, w, th.Bar)
	b.WriteByte('\n')
	write(p.Tabs)
	s.rule(&b, p, "┬", true)
	last, footer := s.Lowest(), s.Footer()
	if d := s.Dialog(); d != nil {
		status := len(last)
		if s.Message() == "" {
			status, last = 0, nil // the footer of the dialog follows the last line of the sheet
		}
		p.Body = d.View(s.frame, p.Body, status)
	}
	closed := len(last) == 0 && s.Dialog() == nil // neither a dialog nor a message covers the page
	body := s.frame.Body - len(last) + 1
	if closed {
		body--
	}
	for i := range body {
		if i < len(p.Body) {
			b.WriteString(p.Body[i])
		} else {
			b.WriteString(draw.Blank(w))
		}
		b.WriteByte('\n')
	}
	if closed {
		s.rule(&b, p, "┴", false)
	}
	for _, l := range last {
		write(l)
	}
	if footer == nil {
		footer = p.Footer()
	}
	footer.Write(&b, w, "")
	return b.String()
}

// rule draws the line above or below the page. If the page has two panes, the line has a joint at the divider.
// If focus is set, the line is highlighted above the pane with the focus.
func (s *Shell) rule(b *strings.Builder, p Parts, joint string, focus bool) {
	th, left := s.frame.Theme, p.Left
	styles := [2]theme.Style{th.Rule, th.Rule}
	if left == 0 {
		joint = ""
	} else if focus && p.Right {
		styles[1] = th.Title
	} else if focus {
		styles[0] = th.Title
	}
	styles[0].Write(b, strings.Repeat("─", left))
	th.Rule.Write(b, joint)
	styles[1].Write(b, strings.Repeat("─", s.frame.Width-left-len([]rune(joint))))
	b.WriteByte('\n')
}

// tooSmall draws the message for a terminal that is smaller than the minimum size.
func (s *Shell) tooSmall() string {
	w, h := s.frame.Width, s.frame.Height
	lines := []draw.Safe{
		"toolcrib",
		draw.Safe(fmt.Sprintf("needs %d×%d cells,", screen.MinWidth, screen.MinHeight)),
		draw.Safe(fmt.Sprintf("has %d×%d. q quits.", w, h)),
	}
	var b strings.Builder
	for i := range max(h, 0) {
		if i > 0 {
			b.WriteByte('\n')
		}
		text := draw.Safe("")
		if i < len(lines) {
			text = lines[i]
		}
		draw.Of("", text).Write(&b, w, "")
	}
	return b.String()
}

// Status contains the message in the status line.
type Status struct{ message screen.Status }

// Say shows a message until the next key press. Untrusted text in the message is escaped.
func (s *Status) Say(t screen.Tone, format string, args ...any) tea.Cmd {
	s.message = screen.Sayf(t, format, args...)
	return nil
}

// Fail shows err until the next key press.
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

// lines wraps the message to the width of the screen. It cuts messages that need more than maxStatusLines
// lines.
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
	const before = 3 // number of cells before the text: a blank, the sign, and a blank
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

// Wrap breaks text into lines. No line is wider than the given width. A line ends between two words, unless a
// single word is wider than a line.
func Wrap(text draw.Safe, width int) []draw.Safe {
	lines := strings.Split(ansi.Wrap(string(text), width, ""), "\n")
	return lists.Map(lines, func(line string) draw.Safe { return draw.Safe(line) })
}
