package tui

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals/filter"
	"toolcrib/tui/draw"
	"toolcrib/tui/edit"
	"toolcrib/tui/screen"
)

// maxCommands is how many commands the palette shows at once.
const maxCommands = 10

// palette finds a command among the keys that act now, by a part of its name or
// its description.
type palette struct {
	text  *edit.Text
	found []screen.Key
	at    int // the selected one
}

// askCommand opens the palette.
func (m *Model) askCommand() tea.Cmd {
	p := &palette{text: edit.NewLine("")}
	p.find(m)
	m.line = &screen.Line{
		Prompt: ":", Text: p.text, Above: func() []draw.Line { return p.lines(m) },
		Hints:   [][2]string{{"enter", "run"}, {"up", "up"}, {"down", "down"}, {"esc", "leave"}},
		Step:    func(n int) { p.at = min(max(0, p.at+n), max(0, len(p.found)-1)) },
		Changed: m.action(func(m *Model) tea.Cmd { p.find(m); return nil }),
		Done: m.action(func(m *Model) tea.Cmd {
			if len(p.found) == 0 && filter.IsNumber(p.text.String()) {
				return m.openNumber(strings.TrimSpace(p.text.String()))
			}
			if len(p.found) == 0 {
				m.say(warning, "%q is not a command", p.text.String())
				return nil
			}
			return m.run(p.found[p.at])
		}),
	}
	return nil
}

// find lists the commands that have every word that was typed, those whose name
// begins with the text first, and among them those that act now.
func (p *palette) find(m *Model) {
	text := strings.ToLower(p.text.String())
	p.at = 0
	p.found = slices.DeleteFunc(m.here(), func(k screen.Key) bool {
		all := strings.ToLower(k.Name + " " + k.Label + " " + k.Help)
		return k.Name == "commands" || slices.ContainsFunc(strings.Fields(text), func(word string) bool { return !strings.Contains(all, word) })
	})
	order := func(k screen.Key) int {
		n := 0
		if !strings.HasPrefix(k.Name, text) {
			n += 2
		}
		if k.Why() != "" {
			n++
		}
		return n
	}
	slices.SortStableFunc(p.found, func(a, b screen.Key) int { return cmp.Compare(order(a), order(b)) })
}

// lines draws the commands around the selected one.
func (p *palette) lines(m *Model) []draw.Line {
	return m.frame().Choices(len(p.found), p.at, min(maxCommands, m.layout.Body-3), func(i int) draw.Line {
		k, name, text := p.found[i], m.theme.Key, m.theme.Text
		what := draw.Show(k.Help)
		if why := k.Why(); why != "" {
			name, text = m.theme.Off, m.theme.Off
			what += " (off now: " + draw.Show(why) + ")"
		}
		return draw.Of(name, " "+draw.Pad(draw.Show(keyNames(k)), 14)+" ").Add(text, what)
	})
}
