package tui

import (
	"strings"

	"toolcrib/internal/lists"
	"toolcrib/tui/draw"
	"toolcrib/tui/proposal"
	"toolcrib/tui/screen"
	"toolcrib/tui/shell"
	"toolcrib/tui/subject"
)

// guide shows a new user how to get from a proposal to a rollback, one hint per step.
type guide struct {
	on   bool
	step int  // hints followed so far
	away bool // the page on screen shows no proposal
}

// guideStep is a hint that stays until the user has followed it. A hint fits on one line of the narrowest screen,
// because more lines would cover the page.
type guideStep struct {
	hint draw.Safe
	done func(on screen.Page, status draw.Safe, asked bool) bool
	away draw.Safe // replaces hint on pages without a proposal; "" keeps hint
}

// about introduces toolcrib in one sentence.
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

// lines returns the lines of the next hint, or nil if the guide is off or finished.
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
	lines := lists.Map(shell.Wrap(about, f.Width-2), func(part draw.Safe) draw.Line { return draw.Of(f.Theme.Text, " "+part) })
	return append(lines, hint)
}
