package screen

import (
	"toolcrib/history"
	"toolcrib/tui/draw"
	"toolcrib/tui/prose"
	"toolcrib/tui/wording"
)

// MaxVersions is how many versions of a subject are listed.
const MaxVersions = 500

// Span is a pair of versions to compare; From 0 means nothing.
type Span struct{ From, To int }

// Between returns the comparison for a selected version: with the marked one, else
// with the one before it.
func Between(versions []history.Version, selected, marked int) Span {
	v := versions[selected].Number
	switch {
	case marked > v:
		return Span{v, marked}
	case marked > 0 && marked < v:
		return Span{marked, v}
	case selected+1 < len(versions):
		return Span{versions[selected+1].Number, v}
	}
	return Span{0, v}
}

// MarkVersion returns the version that the next comparison begins with, after the
// selected one was marked or unmarked, and the message about it.
func MarkVersion(before, selected int) (marked int, said Intent) {
	if before == selected {
		return 0, Sayf(Remark, "Mark removed")
	}
	return selected, Sayf(Remark, "Version %d marked; enter on another version compares them", selected)
}

// VersionRows lists versions in so many cells, each a stop.
func (f Frame) VersionRows(page *prose.Page, width int, versions []history.Version, marked int) {
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
		line := draw.Of(f.Theme.Accent, mark).Add(f.Theme.Strong, draw.Showf("v%-4d", v.Number)).Add(f.Theme.Faint, Stamp(v.DecidedAt)+"  ")
		origin := "written by " + v.Author + ", hash " + wording.Short(v.Hash)
		if width >= 100 {
			page.Line(line.Add(f.Theme.Text, draw.Pad(draw.Show(who), 24)).Add(f.Theme.Faint, "  "+draw.Show(origin)))
		} else {
			page.Item(line, who)
			page.Faint("        ", origin)
		}
		if v.Note != "" {
			page.Faint("        ", v.Note)
		}
	}
}
