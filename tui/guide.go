package tui

import (
	"strings"

	"toolcrib/tui/draw"
	"toolcrib/tui/proposal"
	"toolcrib/tui/screen"
	"toolcrib/tui/shell"
	"toolcrib/tui/subject"
)

// guide leads a new user from a proposal to a rollback, with a hint for each step.
type guide struct {
	on   bool
	step int  // how many hints were followed
	away bool // the page shows no proposal
}

// guideStep is a hint that is shown until the user has followed it. It fits on one line of the
// narrowest screen, because more lines would cover the page.
type guideStep struct {
	hint draw.Safe
	done func(on screen.Page, status draw.Safe, asked bool) bool
	away draw.Safe // the hint on pages without a proposal; "" for the same one
}

// about introduces toolcrib in a sentence.
const about draw.Safe = "toolcrib reviews every change to what your agents can do; nothing goes live unapproved."

var guideSteps = []guideStep{
	{"1/4  enter reads the selected proposal", func(on screen.Page, _ draw.Safe, _ bool) bool { return isProposal(on) }, ""},
	{"2/4  a approves it; u goes to what is unread, y confirms", func(_ screen.Page, status draw.Safe, _ bool) bool { return strings.HasPrefix(string(status), "Live:") }, "2/4  Q goes back to the proposals"},
	{"3/4  T lists what is live; enter, tab: its versions", func(on screen.Page, _ draw.Safe, _ bool) bool { return isDefinition(on) }, ""},
	{"4/4  U on a version rolls back to it; ? finds any key", func(on screen.Page, _ draw.Safe, asked bool) bool { return isDefinition(on) && asked }, ""},
}

func isProposal(p screen.Page) bool {
	_, ok := p.(*proposal.Page)
	return ok
}

func isDefinition(p screen.Page) bool {
	_, ok := p.(*subject.Page)
	return ok
}

// lines returns the lines of the next hint, nil for none.
func (g *guide) lines(f screen.Frame) []draw.Line {
	if !g.on || g.step >= len(guideSteps) {
		return nil
	}
	next := guideSteps[g.step]
	if g.away && next.away != "" {
		next.hint = next.away
	}
	hint := draw.Of(f.Theme.Accent, " → "+next.hint)
	if g.step > 0 {
		return []draw.Line{hint}
	}
	var lines []draw.Line
	for _, part := range shell.Wrap(about, f.Width-2) {
		lines = append(lines, draw.Of(f.Theme.Text, " "+part))
	}
	return append(lines, hint)
}
