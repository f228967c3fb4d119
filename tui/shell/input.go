package shell

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/draw"
	"toolcrib/tui/edit"
	"toolcrib/tui/screen"
)

// typed draws the line that is typed.
func (s *Shell) typed(in *screen.Line) draw.Line {
	prompt := draw.Of(s.frame.Theme.Accent, " "+in.Prompt+" ")
	return append(prompt, edit.ViewLine(in.Text, s.frame.Theme, s.frame.Width-prompt.Width(), s.frame.Theme.Match)...)
}

// lineKey gives a key to the line.
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

// linePaste puts pasted text into the line.
func (s *Shell) linePaste(text string) tea.Cmd {
	in := s.line
	runes := []rune(strings.ReplaceAll(text, "\n", " "))
	if room := room(in); len(runes) > room {
		runes = runes[:room]
		s.Say(screen.Remark, "The paste was cut: a line has at most %d characters", maxInput)
	}
	in.Text.Insert(string(runes))
	return screen.Run(in.Changed)
}

// maxInput is how long a line may get that is typed, in bytes before the last
// character or paste: it is drawn and searched for at every key.
const maxInput = 1000

// room returns how much more can be typed; a selected text makes room for it.
func room(in *screen.Line) int {
	if edit.Selected(in.Text) {
		return maxInput
	}
	return max(0, maxInput-len(in.Text.String()))
}
