package tui

import (
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/draw"
	"toolcrib/tui/edit"
	"toolcrib/tui/screen"
)

// typed draws the line that is typed.
func (m *Model) typed(in *screen.Line) draw.Line {
	prompt := draw.Of(m.theme.Accent, " "+in.Prompt+" ")
	room := m.layout.Width - prompt.Width()
	text := in.Text.String()
	at := in.Text.Cursor()
	before, under, after := draw.Show(text[:at]), draw.Safe(" "), draw.Safe("")
	if rest := []rune(text[at:]); len(rest) > 0 {
		under, after = draw.Show(string(rest[:1])), draw.Show(string(rest[1:]))
	}
	for draw.Width(before) > room-4 {
		_, n := utf8.DecodeRuneInString(string(before))
		before = before[n:]
	}
	style := m.theme.Text
	if in.Text.Selected() {
		style = m.theme.Match
	}
	return prompt.Add(style, before).Add(edit.CursorStyle, under).Add(m.theme.Text, after)
}

func (m *Model) inputKey(msg tea.KeyPressMsg) tea.Cmd {
	in := m.line
	switch msg.String() {
	case "enter":
		m.line = nil
		return m.carry(in.Done.Do())
	case "esc":
		m.line = nil
		return m.carry(in.Cancel.Do())
	}
	if msg.String() == "tab" && in.Complete != nil {
		return m.carry(in.Complete())
	}
	if step := map[string]int{"up": -1, "down": 1}[msg.String()]; step != 0 && in.Step != nil {
		in.Step(step)
		return nil
	}
	if msg.Text != "" && room(in) == 0 {
		return nil
	}
	if in.Text.Key(msg) {
		return m.carry(in.Changed.Do())
	}
	return nil
}

// maxInput is how long a line may get that is typed, in bytes before the last
// character or paste: it is drawn and searched for at every key.
const maxInput = 1000

// room returns how much more can be typed; a selected text makes room for it.
func room(in *screen.Line) int {
	if in.Text.Selected() {
		return maxInput
	}
	return max(0, maxInput-len(in.Text.String()))
}

// paste puts pasted text where the cursor is.
func (m *Model) paste(text string) tea.Cmd {
	switch {
	case m.dialog != nil && m.dialog.text != nil:
		m.dialog.Writing = true
		m.dialog.text.Insert(text)
		return m.dialog.keep(m)
	case m.line != nil:
		in := m.line
		runes := []rune(strings.ReplaceAll(text, "\n", " "))
		if room := room(in); len(runes) > room {
			runes = runes[:room]
			m.say(remark, "The paste was cut: a line has at most %d characters", maxInput)
		}
		in.Text.Insert(string(runes))
		return m.carry(in.Changed.Do())
	}
	return nil
}
