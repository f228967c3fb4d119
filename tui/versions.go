package tui

import (
	"toolcrib/history"
	"toolcrib/tui/draw"
	"toolcrib/tui/prose"
)

// versionRows lists versions, each a stop.
func (m *Model) versionRows(page *prose.Page, versions []history.Version) {
	for _, v := range versions {
		page.Stop()
		who := v.DecidedBy
		if v.Proposal == "" {
			who = "shipped"
		}
		page.Line(draw.Of(m.theme.Strong, draw.Showf("  v%-4d", v.Number)).Add(m.theme.Faint, m.stampOf(v.DecidedAt)+"  ").
			Add(m.theme.Text, draw.Pad(draw.Show(who), 24)).Add(m.theme.Faint, draw.Show("  by "+v.Author+"  hash "+short(v.Hash))))
		if v.Note != "" {
			page.Faint("        ", v.Note)
		}
	}
}
