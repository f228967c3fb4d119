package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"toolcrib/review/rules"
	"toolcrib/review/rules/ruleset"
	"toolcrib/tui/draw"
	"toolcrib/tui/help"
	"toolcrib/tui/labels"
	"toolcrib/tui/markdown"
	"toolcrib/tui/proposal"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
)

// openHelp opens the help for the page on screen, or leaves the help if it is open.
func (m *Model) openHelp() tea.Cmd {
	if cmd, left := m.keys.LeaveHelp(); left {
		return cmd
	}
	var ids []string
	if pp, ok := m.pages.On().(*proposal.Page); ok {
		ids = pp.Rules()
	}
	var rows []help.Row
	for _, p := range m.keys.Now() {
		for _, k := range p.Keys {
			rows = append(rows, help.Row{Place: p.Name, Keys: k.Names(), Help: k.Help, Name: k.Name, Why: k.Why()})
		}
	}
	h := help.New(m.pageShell, m.pages.On().Place(), rows, func(page *prose.Page) {
		for _, id := range ids {
			explain(page, m.shell.Frame(), m.texts, id)
		}
	})
	h.Fit(m.shell.Frame())
	m.pages.Open(h)
	return nil
}

// explain describes a rule, with one example that it flags and one that it accepts.
func explain(page *prose.Page, f screen.Frame, texts *markdown.Texts, id string) {
	page.Blank()
	all := ruleset.All()
	i := slices.IndexFunc(all, func(r rules.Rule) bool { return r.ID == id })
	if i < 0 {
		page.Heading("Rule " + id)
		page.Faint("  ", "A rule of the external reviewer; see its findings.")
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
