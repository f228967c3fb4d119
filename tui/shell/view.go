package shell

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"toolcrib/tui/draw"
	"toolcrib/tui/edit"
	"toolcrib/tui/screen"
	"toolcrib/tui/theme"
)

// Parts are the parts of the screen from top to bottom. Footer is that of the page.
type Parts struct {
	Bar, Tabs draw.Line
	Left      int  // column of the divider between two panes; 0 for one pane
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

// hardwareCursor places the terminal's cursor where the screen draws one, so that input methods, magnifiers, and
// screen readers find it. It removes the drawn cursor, because many terminals show neither if both are in one cell.
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

// draw draws all lines, each exactly as wide as the terminal.
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
			status, last = 0, nil // the keys of the dialog follow directly
		}
		p.Body = d.View(s.frame, p.Body, status)
	}
	closed := len(last) == 0 && s.Dialog() == nil // the page is not covered
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

// rule draws the line above or below the page, with a joint at the divider between two panes. The line above has the
// color of the focus over the pane with the focus.
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

// tooSmall draws the message for a terminal below the minimum size.
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
