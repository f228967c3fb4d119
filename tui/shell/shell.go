// Package shell draws the parts of the screen around the page. It contains the size and the theme of the
// screen, the status line, the input line, and the dialog.
package shell

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/dialog"
	"toolcrib/tui/draw"
	"toolcrib/tui/edit"
	"toolcrib/tui/editor"
	"toolcrib/tui/screen"
	"toolcrib/tui/theme"
	"toolcrib/tui/unsent"
)

// Options configure the shell.
type Options struct {
	Now    func() time.Time
	After  func(time.Duration, tea.Msg) tea.Cmd // returns a command that sends the message after the given delay
	Unsent *unsent.Folder
	Editor *editor.Editor
	// Slow draws the slow operation that is running, or returns nil. Hints returns the lines to show while there
	// is no message.
	Slow  func(th theme.Theme) draw.Line
	Hints func(f screen.Frame) []draw.Line
}

// Shell contains the state of the screen around the page.
type Shell struct {
	Options
	Status
	Choice   theme.Choice
	Mouse    bool
	division screen.Division
	frame    screen.Frame
	dialog   *dialog.Dialog // nil, or closed if no dialog is open
	line     *screen.Line   // input line at the bottom of the screen; nil for none
}

// New returns a shell for a screen of 80 by 24 cells.
func New(o Options, choice theme.Choice) *Shell {
	s := &Shell{Options: o, Choice: choice, frame: screen.Frame{Now: o.Now}}
	s.Retheme()
	s.Resize(80, 24)
	return s
}

// Frame returns the frame in which pages are drawn.
func (s *Shell) Frame() screen.Frame { return s.frame }

// Retheme applies the chosen theme.
func (s *Shell) Retheme() { s.frame.Theme = s.Choice.Theme() }

// Resize lays out the screen for the given size. The caller must then call Fit for the pages.
func (s *Shell) Resize(width, height int) {
	s.frame.Layout = screen.NewLayout(width, height, s.division)
	s.Refit()
}

// Divide lays out the screen with the given division. The caller must then call Fit for the pages.
func (s *Shell) Divide(by screen.Division) {
	s.division = by
	s.Resize(s.frame.Width, s.frame.Height)
}

// Refit lays out the open dialog again, after its content has changed.
func (s *Shell) Refit() {
	if d := s.Dialog(); d != nil {
		d.Fit(s.frame)
	}
}

// Ask opens a dialog. If another dialog is open, Ask closes it.
func (s *Shell) Ask(question screen.Dialog) tea.Cmd {
	s.CloseDialog()
	needs := dialog.Needs{Status: &s.Status, After: s.After, Unsent: s.Unsent, Editor: s.Editor}
	var opened tea.Cmd
	s.dialog, opened = dialog.Open(question, needs, s.frame)
	return opened
}

// Dialog returns the open dialog, or nil.
func (s *Shell) Dialog() *dialog.Dialog {
	if s.dialog.Closed() {
		return nil
	}
	return s.dialog
}

// CloseDialog closes the open dialog.
func (s *Shell) CloseDialog() {
	if d := s.Dialog(); d != nil {
		d.Close()
	}
}

// SaveText returns a command that stores the text of the open dialog. It returns nil if no dialog is open.
func (s *Shell) SaveText() tea.Cmd {
	if d := s.Dialog(); d != nil {
		return d.Save()
	}
	return nil
}

// OpenLine opens an input line at the bottom of the screen.
func (s *Shell) OpenLine(l *screen.Line) tea.Cmd {
	s.line = l
	return nil
}

// Line returns the open input line, or nil.
func (s *Shell) Line() *screen.Line { return s.line }

// Busy reports whether a dialog or an input line has the focus.
func (s *Shell) Busy() bool { return s.Dialog() != nil || s.line != nil }

// typing reports whether a text field has the focus.
func (s *Shell) typing() bool {
	d := s.Dialog()
	return !s.frame.TooSmall && (s.line != nil && d == nil || d != nil && d.Typing())
}

// Key passes a key press to the dialog or to the input line. It returns false if neither is open.
func (s *Shell) Key(msg tea.KeyPressMsg) (cmd tea.Cmd, taken bool) {
	if d := s.Dialog(); d != nil {
		return d.Key(msg), true
	}
	if s.line != nil {
		return s.lineKey(msg), true
	}
	return nil, false
}

// Paste inserts pasted text at the cursor of the dialog or the input line.
func (s *Shell) Paste(text string) tea.Cmd {
	if d := s.Dialog(); d != nil {
		if cmd, taken := d.Paste(text); taken {
			return cmd
		}
	}
	if s.line != nil {
		in := s.line
		runes := []rune(strings.ReplaceAll(text, "\n", " "))
		if room := room(in); len(runes) > room {
			runes = runes[:room]
			s.Say(screen.Remark, "The pasted text was cut: a line has at most %d characters", maxInput)
		}
		in.Text.Insert(string(runes))
		return screen.Run(in.Changed)
	}
	return nil
}

// Lowest returns the lines above the footer: the input line or the message. If there are several lines, they
// cover the end of the page.
func (s *Shell) Lowest() []draw.Line {
	if in := s.line; in != nil && s.Dialog() == nil {
		if in.Above != nil {
			return append(in.Above(), s.typed(in))
		}
		return []draw.Line{s.typed(in)}
	}
	if l := s.Slow(s.frame.Theme); l != nil && s.message.Tone == screen.Remark {
		return []draw.Line{l}
	}
	if s.Message() == "" {
		return s.Hints(s.frame)
	}
	return s.lines(s.frame)
}

// Footer returns the footer of the dialog or the input line, or nil if neither is open.
func (s *Shell) Footer() draw.Line {
	switch d := s.Dialog(); {
	case d != nil:
		return d.Footer()
	case s.line != nil:
		return s.frame.Hints(s.line.Hints)
	}
	return nil
}

// typed draws the input line in the status line.
func (s *Shell) typed(input *screen.Line) draw.Line {
	prompt := draw.Of(s.frame.Theme.Accent, " "+input.Prompt+" ")
	return append(prompt, edit.ViewLine(input.Text, s.frame.Theme, s.frame.Width-prompt.Width(), s.frame.Theme.Match)...)
}

// lineKey passes a key press to the input line.
func (s *Shell) lineKey(msg tea.KeyPressMsg) tea.Cmd {
	in := s.line
	switch msg.String() {
	case "enter":
		s.line = nil
		return screen.Run(in.Done)
	case "esc":
		s.line = nil
		return screen.Run(in.Cancel)
	}
	if msg.String() == "tab" && in.Complete != nil {
		return in.Complete()
	}
	if step := map[string]int{"up": -1, "down": 1}[msg.String()]; step != 0 && in.Step != nil {
		in.Step(step)
		return nil
	}
	if msg.Text != "" && room(in) == 0 {
		return nil
	}
	if in.Text.Key(msg) {
		return screen.Run(in.Changed)
	}
	return nil
}

// maxInput is the maximum length of an input line, in bytes. Each key press draws the text and starts a search
// for it, so a long text would be slow.
const maxInput = 1000

// room returns the number of further bytes that fit in the input line. If text is selected, it returns maxInput,
// because new input replaces that text.
func room(input *screen.Line) int {
	if edit.Selected(input.Text) {
		return maxInput
	}
	return max(0, maxInput-len(input.Text.String()))
}
