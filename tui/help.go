// This file opens the help, which also explains rules, and shows the guide for new users.

package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/internal/lists"
	"toolcrib/review/rules"
	"toolcrib/review/rules/ruleset"
	"toolcrib/tui/draw"
	"toolcrib/tui/help"
	"toolcrib/tui/labels"
	"toolcrib/tui/markdown"
	"toolcrib/tui/proposal"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
	"toolcrib/tui/shell"
	"toolcrib/tui/subject"
)

// openHelp opens the help for the current page. If the help is open, openHelp closes it.
func (m *Model) openHelp() tea.Cmd {
	if cmd, left := m.keys.LeaveHelp(); left {
		return cmd
	}
	var ids []string
	if pp, ok := m.pages.Active().(*proposal.Page); ok {
		ids = pp.Rules()
	}
	var rows []help.Row
	for _, p := range m.keys.Active() {
		for _, k := range p.Keys {
			rows = append(rows, help.Row{Place: p.Name, Keys: k.Names(), Help: k.Help, Name: k.Name, Why: k.WhyDisabled()})
		}
	}
	h := help.New(m.pageShell, m.pages.Active().Place(), rows, func(page *prose.Page) {
		for _, id := range ids {
			explain(page, m.shell.Frame(), m.texts, id)
		}
	})
	h.Fit(m.shell.Frame())
	m.pages.Open(h)
	return nil
}

// explain describes the rule named id, with an example that the rule flags and an example that it accepts.
func explain(page *prose.Page, f screen.Frame, texts *markdown.Texts, id string) {
	page.Blank()
	all := ruleset.All()
	i := slices.IndexFunc(all, func(r rules.Rule) bool { return r.ID == id })
	if i < 0 {
		page.Heading("Rule " + id)
		page.Faint("  ", "A rule of the external reviewer. The findings explain the rule.")
		return
	}
	r := all[i]
	page.Heading("Rule " + r.ID + "  " + r.Name)
	sign, style := labels.Severity(f.Theme, r.Severity)
	line := draw.Of(style, "  "+sign)
	switch {
	case r.Locked:
		line = line.Add(f.Theme.Faint, ", always on")
	case r.Waivable:
		line = line.Add(f.Theme.Faint, ", can be waived with a reason")
	default:
		line = line.Add(f.Theme.Faint, ", cannot be waived")
	}
	page.Line(line)
	texts.Prose(page, f.Theme, f.Width, r.Doc)
	page.Blank()
	page.Item(draw.Of(f.Theme.Bad, "  ✗ bad   "), r.Bad)
	page.Item(draw.Of(f.Theme.Good, "  ✓ good  "), r.Good)
	if r.Suggestion != "" {
		page.Faint("  ", "→ "+r.Suggestion)
	}
	if r.Importer != "" {
		page.Faint("  ", "→ "+rules.Importing(r.Importer))
	}
}

// guide is a tutorial for new users. It shows a hint for each step from a proposal to a rollback.
type guide struct {
	on   bool
	step int       // number of completed steps
	hint draw.Safe // hint of the current step for the page on screen; "" for none
}

// guideStep is a step of the guide, which lasts until done returns true. A hint fits on one line of the narrowest
// screen, so that it does not cover the page.
type guideStep struct {
	hint draw.Safe
	// possible reports whether the user can follow the hint on the page on screen. If not, away replaces the hint on
	// pages other than the queue, change sets, and proposals. On these pages, the guide shows no hint.
	possible func(m *Model) bool
	away     draw.Safe
	done     func(on screen.Page, status draw.Safe, dialog bool) bool
}

// about describes toolcrib in one sentence.
const about draw.Safe = "toolcrib reviews every change to what your agents can do; nothing goes live unapproved."

var guideSteps = []guideStep{
	{"1/4  enter opens the selected proposal", func(m *Model) bool { return m.pages.AtHome() && m.keys.Enabled("open") }, "1/4  Q goes to the proposals", func(on screen.Page, _ draw.Safe, _ bool) bool { return isProposal(on) }},
	{"2/4  a approves it; u goes to unread parts, y confirms", (*Model).approvable, "2/4  Q goes back to the proposals", func(_ screen.Page, status draw.Safe, _ bool) bool { return strings.HasPrefix(string(status), "Live:") }},
	{"3/4  T lists live tools; enter, then tab: versions", func(*Model) bool { return true }, "", func(on screen.Page, _ draw.Safe, _ bool) bool { return isDefinition(on) }},
	{"4/4  tab: versions; U rolls back to the selected version", func(m *Model) bool { return isDefinition(m.pages.Active()) }, "4/4  T, enter, tab: versions; U rolls back to one", func(on screen.Page, _ draw.Safe, dialog bool) bool { return isDefinition(on) && dialog }},
}

// approvable reports whether the key for an approval applies to the page on screen, and the selected proposal has no
// obstacle that the queue knows.
func (m *Model) approvable() bool {
	p, _ := m.pages.Current()
	return p.Summary.Blocks == 0 && !p.Stale() && slices.ContainsFunc([]string{"approve", "approve-marked", "approve-set"}, m.keys.Enabled)
}

// updateGuide ends the steps that are done, and chooses the hint for the page on screen.
func (m *Model) updateGuide() {
	g, on := m.guide, m.pages.Active()
	for g.on && g.step < len(guideSteps) && guideSteps[g.step].done(on, m.shell.Message(), m.shell.Dialog() != nil) {
		g.step++
	}
	if g.hint = ""; !g.on || g.step >= len(guideSteps) {
		return
	}
	switch next := guideSteps[g.step]; {
	case next.possible(m):
		g.hint = next.hint
	case on != m.queue && !isProposal(on) && m.openings.set() == nil:
		g.hint = next.away
	}
}

func isProposal(p screen.Page) bool {
	_, ok := p.(*proposal.Page)
	return ok
}

func isDefinition(p screen.Page) bool {
	_, ok := p.(*subject.Page)
	return ok
}

// lines returns the lines of the current hint, or nil if there is none.
func (g *guide) lines(f screen.Frame) []draw.Line {
	if g.hint == "" {
		return nil
	}
	hint := draw.Of(f.Theme.Accent, " → "+g.hint)
	if g.step > 0 {
		return []draw.Line{hint}
	}
	lines := lists.Map(shell.Wrap(about, f.Width-2), func(part draw.Safe) draw.Line { return draw.Of(f.Theme.Text, " "+part) })
	return append(lines, hint)
}
