package tui

import (
	"toolcrib/history"
	"toolcrib/tui/draw"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
	"toolcrib/tui/wording"
)

// versionRows lists versions in so many cells, each a stop.
func (m *Model) versionRows(page *prose.Page, width int, versions []history.Version, marked int) {
	for _, v := range versions {
		page.Stop()
		mark := draw.Safe("  ")
		if v.Number == marked {
			mark = " ●"
		}
		who := v.DecidedBy
		if v.Proposal == "" {
			who = "shipped"
		}
		line := draw.Of(m.theme.Accent, mark).Add(m.theme.Strong, draw.Showf("v%-4d", v.Number)).Add(m.theme.Faint, screen.Stamp(v.DecidedAt)+"  ")
		origin := "written by " + v.Author + ", hash " + wording.Short(v.Hash)
		if width >= 100 {
			page.Line(line.Add(m.theme.Text, draw.Pad(draw.Show(who), 24)).Add(m.theme.Faint, "  "+draw.Show(origin)))
		} else {
			page.Item(line, who)
			page.Faint("        ", origin)
		}
		if v.Note != "" {
			page.Faint("        ", v.Note)
		}
	}
}
