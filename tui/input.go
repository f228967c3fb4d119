package tui

import (
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/draw"
	"toolcrib/tui/edit"
	"toolcrib/tui/pager"
)

// textPager returns the pager that the page shows text in, nil for lists.
func (m *Model) textPager() *pager.Pager { return m.page.shown() }

// input is a line that is typed at the bottom of the screen: a filter or a
// search.
type input struct {
	prompt  draw.Safe
	hints   [][2]string              // its keys, for the footer
	above   func(*Model) []draw.Line // what stands above it, nil for nothing
	step    func(int)                // what the arrows up and down do, nil for nothing
	text    *edit.Text
	changed func(*Model) tea.Cmd // after every key
	// complete handles tab, nil for nothing.
	complete func(*Model) tea.Cmd
	done     func(*Model) tea.Cmd // on enter
	cancel   func(*Model) tea.Cmd // on esc
}

func (m *Model) input() *input { return m.line }

func (in *input) line(m *Model) draw.Line {
	prompt := draw.Of(m.theme.Accent, " "+in.prompt+" ")
	room := m.layout.width - prompt.Width()
	text := in.text.String()
	at := in.text.Cursor()
	before, under, after := draw.Show(text[:at]), draw.Safe(" "), draw.Safe("")
	if rest := []rune(text[at:]); len(rest) > 0 {
		under, after = draw.Show(string(rest[:1])), draw.Show(string(rest[1:]))
	}
	for draw.Width(before) > room-4 {
		_, n := utf8.DecodeRuneInString(string(before))
		before = before[n:]
	}
	return prompt.Add(m.theme.Text, before).Add(edit.CursorStyle, under).Add(m.theme.Text, after)
}

func (m *Model) inputKey(msg tea.KeyPressMsg) tea.Cmd {
	in := m.line
	switch msg.String() {
	case "enter":
		m.line = nil
		return in.done(m)
	case "esc":
		m.line = nil
		return in.cancel(m)
	}
	if msg.String() == "tab" && in.complete != nil {
		return in.complete(m)
	}
	if step := map[string]int{"up": -1, "down": 1}[msg.String()]; step != 0 && in.step != nil {
		in.step(step)
		return nil
	}
	if msg.Text != "" && len(in.text.String()) >= maxInput {
		return nil
	}
	if in.text.Key(msg) {
		return in.changed(m)
	}
	return nil
}

// maxInput is how long a line may get that is typed, in bytes before the last
// character or paste: it is drawn and searched for at every key.
const maxInput = 1000

func nothing(*Model) tea.Cmd { return nil }

// askFilter narrows the list while a text is typed.
func (m *Model) askFilter() tea.Cmd {
	l, ok := m.page.(lister)
	if !ok {
		return nil
	}
	before := l.filterText()
	text := edit.NewLine(before)
	m.line = &input{
		prompt: "filter", text: text, done: nothing, hints: [][2]string{{"enter", "keep the filter"}, {"esc", "undo it"}},
		changed: func(m *Model) tea.Cmd { return l.setFilter(m, text.String()) },
		cancel:  func(m *Model) tea.Cmd { return l.setFilter(m, before) },
	}
	return nil
}

// askSearch looks for a text in what the page shows.
func (m *Model) askSearch() tea.Cmd {
	p := m.textPager()
	text := edit.NewLine("")
	m.line = &input{
		prompt: "/", text: text, changed: nothing, cancel: nothing, hints: [][2]string{{"enter", "search"}, {"esc", "leave"}},
		done: func(m *Model) tea.Cmd {
			if !p.Search(text.String()) {
				m.say(warning, "%q not found", text.String())
			}
			p.SelectShown()
			m.sayMatch()
			return nil
		},
	}
	return nil
}

func nextMatch(step int) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd {
		p := m.textPager()
		if p.Query() == "" {
			m.say(warning, "search with / first")
		} else if !p.NextMatch(step) {
			m.say(warning, "%q not found", p.Query())
		}
		p.SelectShown()
		m.sayMatch()
		return nil
	}
}

// sayMatch tells which match is shown, and of how many.
func (m *Model) sayMatch() {
	p := m.textPager()
	if n, of, ok := p.Match(); ok && n > 0 {
		m.say(remark, "%d of %d lines; n shows the next", n, of)
	}
}

// paste puts pasted text where the cursor is.
func (m *Model) paste(text string) tea.Cmd {
	switch {
	case m.dialog != nil && m.dialog.text != nil:
		m.dialog.text.Insert(text)
		return m.dialog.keep(m)
	case m.input() != nil:
		in := m.input()
		runes := []rune(strings.ReplaceAll(text, "\n", " "))
		room := max(0, maxInput-len(in.text.String()))
		if len(runes) > room {
			runes = runes[:room]
			m.say(remark, "The paste was cut: a line has at most %d characters", maxInput)
		}
		in.text.Insert(string(runes))
		return in.changed(m)
	}
	return nil
}
