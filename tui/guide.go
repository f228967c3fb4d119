package tui

import (
	"strings"

	"toolcrib/tui/draw"
)

// guideStep is a hint of the demonstration, which goes away once the user has done it. It
// has one line on the narrowest screen: more of them would cover what has to be read.
type guideStep struct {
	hint draw.Safe
	done func(m *Model) bool
	away draw.Safe // the hint on pages without a proposal; "" where hint does there, too
}

// about introduces toolcrib in a sentence.
const about draw.Safe = "toolcrib reviews every change to what your agents can do; nothing goes live unapproved."

// guide leads from a proposal to a rollback.
var guide = []guideStep{
	{"1/4  enter reads the selected proposal", func(m *Model) bool { return m.page.Place() == placeProposal }, ""},
	{"2/4  a approves it; u goes to what is unread, y confirms", func(m *Model) bool { return strings.HasPrefix(string(m.status.Text), "Live:") }, "2/4  Q goes back to the proposals"},
	{"3/4  T lists what is live; enter, tab: its versions", func(m *Model) bool { return m.page.Place() == placeDefinition }, ""},
	{"4/4  U on a version rolls back to it; ? finds any key", func(m *Model) bool { return m.page.Place() == placeDefinition && m.dialog != nil }, ""},
}

// guided goes on with the hints that were followed.
func (m *Model) guided() {
	for m.cfg.Guide && m.guide < len(guide) && guide[m.guide].done(m) {
		m.guide++
	}
	m.away = m.page != m.queue && m.page.Place() != placeProposal
}

// hintLines are the lines of the next hint, none without one.
func hintLines(m *shell) []draw.Line {
	if !m.cfg.Guide || m.guide >= len(guide) {
		return []draw.Line{nil}
	}
	next := guide[m.guide]
	if m.away && next.away != "" {
		next.hint = next.away
	}
	hint := draw.Of(m.theme.Accent, " → "+next.hint)
	if m.guide == 0 {
		var lines []draw.Line
		for _, part := range wrap(about, m.layout.Width-2) {
			lines = append(lines, draw.Of(m.theme.Text, " "+part))
		}
		return append(lines, hint)
	}
	return []draw.Line{hint}
}
