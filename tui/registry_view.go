package tui

import (
	"slices"
	"strings"

	"toolcrib/registry"
	"toolcrib/tui/draw"
	"toolcrib/tui/theme"
)

// entryColumn is a column of the registry. Those of a higher rank are the first
// to go where there is no room.
type entryColumn struct {
	name  draw.Safe
	rank  int
	most  int // how wide it becomes at most, in cells
	width int // set by columns
	cell  func(m *Model, e Entry) (draw.Safe, theme.Style)
}

func (r *registryPage) all() []entryColumn {
	columns := []entryColumn{
		{name: "ID", most: 64, cell: func(m *Model, e Entry) (draw.Safe, theme.Style) { return draw.Show(e.Subject.ID), m.theme.Text }},
		{name: "", rank: 2, most: 15, cell: func(m *Model, e Entry) (draw.Safe, theme.Style) {
			if e.Locked {
				return "▪ Locked (core)", m.theme.Warn
			}
			return "", ""
		}},
		{name: "LAYER", rank: 3, most: 24, cell: func(m *Model, e Entry) (draw.Safe, theme.Style) {
			text := draw.Show(string(e.Subject.Layer))
			if len(e.Hides) > 0 {
				text += draw.Showf(" over %d", len(e.Hides))
			}
			return text, m.theme.Faint
		}},
		{name: "KIND", rank: 6, most: 6, cell: func(m *Model, e Entry) (draw.Safe, theme.Style) { return draw.Show(e.ToolKind), m.theme.Faint }},
		{name: "CATEGORY", rank: 5, most: 22, cell: func(m *Model, e Entry) (draw.Safe, theme.Style) { return draw.Show(e.Category), m.theme.Faint }},
		{name: "APPROVAL", rank: 4, most: 17, cell: func(m *Model, e Entry) (draw.Safe, theme.Style) {
			if e.Approval == "" && !e.Locked && e.ToolKind == string(registry.ActionTool) {
				return "! none set", m.theme.Warn
			}
			return draw.Show(e.Approval), m.theme.Faint
		}},
		{name: "NAME", rank: 7, most: 60, cell: func(m *Model, e Entry) (draw.Safe, theme.Style) { return draw.Show(e.Name), m.theme.Faint }},
		{name: "VERSION", rank: 1, most: 7, cell: func(m *Model, e Entry) (draw.Safe, theme.Style) { return draw.Showf("v%d", e.Version), m.theme.Faint }},
	}
	if r.kind != registry.KindTool {
		columns = slices.DeleteFunc(columns, func(c entryColumn) bool {
			return c.name == "KIND" || c.name == "CATEGORY" || c.name == "APPROVAL" || c.name == ""
		})
	}
	return columns
}

// measure notes how wide the columns want to be for some more entries.
func (r *registryPage) measure(m *Model, entries []Entry) {
	for _, c := range r.all() {
		w := max(r.widest[c.name], draw.Width(c.name))
		for _, e := range entries {
			text, _ := c.cell(m, e)
			w = min(max(w, draw.Width(text)), c.most)
		}
		r.widest[c.name] = w
	}
}

// leastID is how much of an id is shown whatever else there is, in cells, where
// ids are so long.
const leastID = 32

// leastName is how much of a name is worth showing, in cells.
const leastName = 16

// columns returns those that fit, each as wide as what is in it; the last in the
// order of ranks takes what is left.
func (r *registryPage) columns(width int) []entryColumn {
	all := r.all()
	ranked := slices.Clone(all)
	slices.SortStableFunc(ranked, func(a, b entryColumn) int { return a.rank - b.rank })
	left, widths := width-3, map[draw.Safe]int{}
	for _, c := range ranked {
		w := r.widest[c.name]
		if c.name == "ID" {
			w = min(w, leastID)
		}
		if w == 0 { // nothing is in it
			continue
		}
		if c.name == "NAME" && left-2 >= leastName {
			w = min(w, left-2) // half a name is better than none
		}
		if left < w+2 {
			continue
		}
		widths[c.name], left = w, left-w-2
	}
	more := min(left, max(0, r.widest["ID"]-widths["ID"]))
	widths["ID"] += more
	var out []entryColumn
	for _, c := range all {
		if c.width = widths[c.name]; c.width > 0 {
			out = append(out, c)
		}
	}
	return out
}

func (r *registryPage) view(m *Model) []string {
	w := m.layout.List
	columns := r.columns(w)
	names := draw.Of("", "   ")
	for _, c := range columns {
		names = names.Add(m.theme.Faint, draw.Pad(c.name, c.width)+"  ")
	}
	if !r.outline.shows() {
		names = nil
	}
	lines := []string{names.String(w)}
	for i := r.top; i < r.outline.len() && len(lines) < m.layout.Body; i++ {
		base, mark := theme.Style(""), draw.Of("", "   ")
		if i == r.cursor {
			base, mark = m.theme.Selected, draw.Of(m.theme.Accent, "▌  ")
		}
		if p, entry := r.outline.at(i); entry < 0 {
			mark = append(draw.Of(mark[0].Style, draw.Slice(mark[0].Text, 0, 1)), heading(m, p)...)
		} else {
			for _, c := range columns {
				text, style := c.cell(m, p.entries[entry])
				mark = mark.Add(style, draw.Pad(text, c.width)+"  ")
			}
		}
		if i == r.cursor && m.theme.Uniform {
			mark = mark.Plain()
		}
		var b strings.Builder
		mark.Write(&b, w, base)
		lines = append(lines, b.String())
	}
	if r.outline.len() == 0 && r.asked {
		lines = append(lines, draw.Blank(w), draw.Of(m.theme.Faint, "   No match.").String(w))
	}
	if m.layout.Side > 0 {
		return m.frame().Abreast(lines, r.side(m), w)
	}
	return lines
}

// heading draws the heading of a group: whether it is folded, its name and how many
// entries it has.
func heading(m *Model, p *part) draw.Line {
	sign := draw.Safe("▾ ")
	switch {
	case !p.open:
		sign = "▸ "
	case p.loading:
		sign = "⋯ "
	}
	return draw.Of(m.theme.Accent, sign).Add(m.theme.Title, groupName(p.EntryGroup)).Add(m.theme.Faint, draw.Showf("  %d", p.Count))
}

// groupName names a group as the headings do.
func groupName(g EntryGroup) draw.Safe {
	name := draw.Show(string(g.Layer))
	if g.Source != "" {
		name += " · " + draw.Cut(draw.Show(g.Source), 48)
	}
	return name
}
