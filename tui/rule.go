package tui

import (
	"slices"

	"toolcrib/review/rules"
	"toolcrib/review/rules/ruleset"
	"toolcrib/tui/draw"
	"toolcrib/tui/labels"
	"toolcrib/tui/prose"
)

// explain writes what a rule is about, with an example that it finds something
// in and one that it leaves alone.
func (m *Model) explain(page *prose.Page, id string) {
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
	sign, style := labels.Severity(m.theme, r.Severity)
	line := draw.Of(style, "  "+sign)
	switch {
	case r.Locked:
		line = line.Add(m.theme.Faint, ", always on")
	case r.Waivable:
		line = line.Add(m.theme.Faint, ", can be waived with a reason")
	default:
		line = line.Add(m.theme.Faint, ", cannot be waived")
	}
	page.Line(line)
	m.texts.Prose(page, m.theme, m.layout.Width, r.Doc)
	page.Blank()
	page.Item(draw.Of(m.theme.Bad, "  ✗ bad   "), r.Bad)
	page.Item(draw.Of(m.theme.Good, "  ✓ good  "), r.Good)
	if r.Suggestion != "" {
		page.Faint("  ", "→ "+r.Suggestion)
	}
	if r.Importer != "" {
		page.Faint("  ", "→ "+rules.Importing(r.Importer))
	}
}
