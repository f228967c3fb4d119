package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/registry"
	"toolcrib/tui/draw"
	"toolcrib/tui/theme"
)

// registryPage lists what is live, by id: tools or agents.
type registryPage struct {
	kind    registry.Kind
	filter  string
	entries []Entry
	next    string
	cursor  int
	top     int
	loading bool
	asked   bool
}

func newRegistryPage(_ *Model, kind registry.Kind) *registryPage { return &registryPage{kind: kind} }

// registry returns the list that the page shows.
func (m *Model) registry() *registryPage {
	if m.page == pageAgents {
		return m.agents
	}
	return m.tools
}

func (r *registryPage) query(after string) EntryQuery {
	return EntryQuery{Kind: r.kind, Filter: r.filter, Limit: chunk, After: after}
}

func (r *registryPage) open(m *Model) tea.Cmd { return m.loadEntries(r.query("")) }

// reload reads the list anew as far as it was read.
func (r *registryPage) reload(m *Model) tea.Cmd {
	q := r.query("")
	q.Limit = max(chunk, len(r.entries))
	return m.loadEntries(q)
}

func (m *Model) entriesLoaded(msg entriesMsg) tea.Cmd {
	r := m.tools
	if msg.query.Kind == registry.KindAgent {
		r = m.agents
	}
	if msg.query.Filter != r.filter {
		return nil
	}
	r.loading, r.asked = false, true
	if msg.err != nil {
		m.fail(msg.err)
		return nil
	}
	switch msg.query.After {
	case "":
		r.entries = msg.entries
	case r.next:
		r.entries = append(r.entries, msg.entries...)
	default:
		return nil
	}
	r.next = msg.next
	r.clamp(m)
	return r.fill(m)
}

// fill reads on when the window comes near the end.
func (r *registryPage) fill(m *Model) tea.Cmd {
	if r.next == "" || r.loading || r.top+2*m.layout.body < len(r.entries) {
		return nil
	}
	r.loading = true
	return m.loadEntries(r.query(r.next))
}

func (r *registryPage) rows(m *Model) int { return max(1, m.layout.body-1) }

func (r *registryPage) clamp(m *Model) {
	r.cursor = min(max(0, r.cursor), max(0, len(r.entries)-1))
	r.top = clampWindow(r.top, r.cursor, len(r.entries), r.rows(m))
}

func (r *registryPage) move(m *Model, n int) tea.Cmd {
	r.cursor += n
	r.clamp(m)
	return r.fill(m)
}

func (r *registryPage) filterText() string { return r.filter }

func (r *registryPage) setFilter(m *Model, text string) tea.Cmd {
	if text == r.filter {
		return nil
	}
	r.filter, r.cursor, r.top, r.next, r.loading = text, 0, 0, "", false
	return m.loadEntries(r.query(""))
}

func (r *registryPage) selected() (Entry, bool) {
	if r.cursor >= len(r.entries) {
		return Entry{}, false
	}
	return r.entries[r.cursor], true
}

func (r *registryPage) tabs(m *Model) draw.Line {
	name := draw.Safe("Tools")
	if r.kind == registry.KindAgent {
		name = "Agents"
	}
	more := ""
	if r.next != "" {
		more = "+"
	}
	l := draw.Of("", " ").Add(m.theme.Accent, "▎"+name).Add(m.theme.Faint, draw.Showf("  %d%s live in the view of %s", len(r.entries), more, m.cfg.Layer))
	if r.filter != "" {
		return draw.Ends(l, draw.Of(m.theme.Match, " "+draw.Show(r.filter)+" ").Add("", " "), m.layout.width)
	}
	return l
}

// entryColumn is a column of the registry.
type entryColumn struct {
	name  draw.Safe
	width int
	from  int
	cell  func(m *Model, e Entry) (draw.Safe, theme.Style)
}

func (r *registryPage) columns(width int) []entryColumn {
	all := []entryColumn{
		{"ID", 0, 0, func(m *Model, e Entry) (draw.Safe, theme.Style) { return draw.Show(e.Subject.ID), m.theme.Text }},
		{"", 15, 60, func(m *Model, e Entry) (draw.Safe, theme.Style) {
			if e.Locked {
				return "▪ Locked (core)", m.theme.Warn
			}
			return "", ""
		}},
		{"LAYER", 16, 70, func(m *Model, e Entry) (draw.Safe, theme.Style) {
			text := draw.Show(string(e.Subject.Layer))
			if len(e.Hides) > 0 {
				text += draw.Showf(" over %d", len(e.Hides))
			}
			return text, m.theme.Faint
		}},
		{"KIND", 6, 84, func(m *Model, e Entry) (draw.Safe, theme.Style) { return draw.Show(e.ToolKind), m.theme.Faint }},
		{"CATEGORY", 14, 96, func(m *Model, e Entry) (draw.Safe, theme.Style) { return draw.Show(e.Category), m.theme.Faint }},
		{"APPROVAL", 17, 108, func(m *Model, e Entry) (draw.Safe, theme.Style) {
			if e.Approval == "" && !e.Locked && e.ToolKind == string(registry.ActionTool) {
				return "! none set", m.theme.Warn
			}
			return draw.Show(e.Approval), m.theme.Faint
		}},
		{"NAME", -1, 124, func(m *Model, e Entry) (draw.Safe, theme.Style) { return draw.Show(e.Name), m.theme.Faint }},
		{"VERSION", 7, 0, func(m *Model, e Entry) (draw.Safe, theme.Style) { return draw.Showf("v%d", e.Version), m.theme.Faint }},
	}
	var out []entryColumn
	left, flexible := width-3, 0
	for _, c := range all {
		if c.from > width || r.kind == registry.KindAgent && (c.name == "KIND" || c.name == "CATEGORY" || c.name == "APPROVAL" || c.name == "") {
			continue
		}
		left -= 2 + max(0, c.width)
		if c.width <= 0 {
			flexible++
		}
		out = append(out, c)
	}
	for i := range out {
		if out[i].width <= 0 {
			out[i].width = max(8, left/flexible)
		}
	}
	return out
}

func (r *registryPage) view(m *Model) []string {
	w := m.layout.width
	columns := r.columns(w)
	heading := draw.Of("", "   ")
	for _, c := range columns {
		heading = heading.Add(m.theme.Faint, draw.Pad(c.name, c.width)+"  ")
	}
	lines := []string{heading.String(w)}
	for i := r.top; i < len(r.entries) && len(lines) < m.layout.body; i++ {
		base, mark := theme.Style(""), draw.Of("", "   ")
		if i == r.cursor {
			base, mark = m.theme.Selected, draw.Of(m.theme.Accent, "▌  ")
		}
		for _, c := range columns {
			text, style := c.cell(m, r.entries[i])
			mark = mark.Add(style, draw.Pad(text, c.width)+"  ")
		}
		var b strings.Builder
		mark.Write(&b, w, base)
		lines = append(lines, b.String())
	}
	if len(r.entries) == 0 && r.asked {
		lines = append(lines, draw.Blank(w), draw.Of(m.theme.Faint, "   Nothing has that in its id or name.").String(w))
	}
	return lines
}
