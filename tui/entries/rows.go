// This file draws the list and the side pane.

package entries

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/tui/draw"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
	"toolcrib/tui/theme"
)

// column is a column of the list. If space is short, the columns with the highest rank are omitted first.
type column struct {
	name     draw.Safe
	rank     int
	maxWidth int // maximum width in cells
	width    int // actual width, set by the columns method
	cell     func(th theme.Theme, e screen.Entry) (draw.Safe, theme.Style)
}

func (r *Page) all() []column {
	columns := []column{
		{name: "ID", maxWidth: 64, cell: func(th theme.Theme, e screen.Entry) (draw.Safe, theme.Style) {
			return draw.Escape(e.Subject.ID), th.Text
		}},
		{name: "", rank: 2, maxWidth: 15, cell: func(th theme.Theme, e screen.Entry) (draw.Safe, theme.Style) {
			if e.Locked {
				return "▪ Locked (core)", th.Faint
			}
			return "", ""
		}},
		{name: "LAYER", rank: 3, maxWidth: 24, cell: func(th theme.Theme, e screen.Entry) (draw.Safe, theme.Style) {
			text := draw.Escape(string(e.Subject.Layer))
			if len(e.Hides) > 0 {
				text += draw.Escapef(" over %d", len(e.Hides))
			}
			return text, th.Faint
		}},
		{name: "KIND", rank: 6, maxWidth: 6, cell: func(th theme.Theme, e screen.Entry) (draw.Safe, theme.Style) {
			return draw.Escape(e.ToolKind), th.Faint
		}},
		{name: "CATEGORY", rank: 5, maxWidth: 22, cell: func(th theme.Theme, e screen.Entry) (draw.Safe, theme.Style) {
			return draw.Escape(e.Category), th.Faint
		}},
		{name: "APPROVAL", rank: 4, maxWidth: 17, cell: func(th theme.Theme, e screen.Entry) (draw.Safe, theme.Style) {
			if e.Approval == "" && !e.Locked && e.ToolKind == string(registry.ActionTool) {
				return "! not set", th.Warn
			}
			return draw.Escape(e.Approval), th.Faint
		}},
		{name: "NAME", rank: 7, maxWidth: 60, cell: func(th theme.Theme, e screen.Entry) (draw.Safe, theme.Style) { return draw.Escape(e.Name), th.Faint }},
		{name: "VERSION", rank: 1, maxWidth: 7, cell: func(th theme.Theme, e screen.Entry) (draw.Safe, theme.Style) {
			return draw.Escapef("v%d", e.Version), th.Faint
		}},
	}
	if r.Kind != registry.KindTool {
		columns = slices.DeleteFunc(columns, func(c column) bool {
			return c.name == "KIND" || c.name == "CATEGORY" || c.name == "APPROVAL" || c.name == ""
		})
	}
	return columns
}

// measure increases the preferred widths of the columns to fit the given entries.
func (r *Page) measure(entries []screen.Entry) {
	for _, c := range r.all() {
		w := max(r.widest[c.name], draw.Width(c.name))
		for _, e := range entries {
			text, _ := c.cell(r.Frame.Theme, e)
			w = min(max(w, draw.Width(text)), c.maxWidth)
		}
		r.widest[c.name] = w
	}
}

// minIDWidth is the width, in cells, up to which the ID column takes precedence over columns of a higher rank.
// The ID column becomes wider only if the other columns leave room.
const minIDWidth = 32

// minNameWidth is the minimum width of the NAME column, in cells. Narrower names would be cut too short to be
// useful.
const minNameWidth = 16

// columns returns the columns that fit in the given width. If there is room, each column is as wide as its
// content.
func (r *Page) columns(width int) []column {
	all := r.all()
	ranked := slices.Clone(all)
	slices.SortStableFunc(ranked, func(a, b column) int { return a.rank - b.rank })
	left, widths := width-3, map[draw.Safe]int{}
	for _, c := range ranked {
		w := r.widest[c.name]
		if c.name == "ID" {
			w = min(w, minIDWidth)
		}
		if w == 0 { // the column is empty
			continue
		}
		if c.name == "NAME" && left-2 >= minNameWidth {
			w = min(w, left-2) // cut the names rather than omit the column
		}
		if left < w+2 {
			continue
		}
		widths[c.name], left = w, left-w-2
	}
	more := min(left, max(0, r.widest["ID"]-widths["ID"]))
	widths["ID"] += more
	var out []column
	for _, c := range all {
		if c.width = widths[c.name]; c.width > 0 {
			out = append(out, c)
		}
	}
	return out
}

// View implements screen.Page.
func (r *Page) View() []string {
	w, th := r.Frame.List, r.Frame.Theme
	columns := r.columns(w)
	names := draw.Of("", "   ")
	for _, c := range columns {
		names = names.Add(th.Faint, draw.Pad(c.name, c.width)+"  ")
	}
	if !slices.ContainsFunc(r.outline.sections, func(p section) bool { return p.open && len(p.entries) > 0 }) {
		names = nil
	}
	lines := []string{names.String(w)}
	for i := r.top; i < r.outline.len() && len(lines) < r.Frame.Body; i++ {
		base, mark := theme.Style(""), draw.Of("", "   ")
		if i == r.cursor {
			base, mark = th.Selected, draw.Of(th.Accent, "▌  ")
		}
		if p, entry := r.outline.at(i); entry < 0 {
			mark = append(draw.Of(mark[0].Style, draw.Slice(mark[0].Text, 0, 1)), heading(th, p)...)
		} else {
			for _, c := range columns {
				text, style := c.cell(th, p.entries[entry])
				mark = mark.Add(style, draw.Pad(text, c.width)+"  ")
			}
		}
		if i == r.cursor && th.Uniform {
			mark = mark.Plain()
		}
		var b strings.Builder
		mark.Write(&b, w, base)
		lines = append(lines, b.String())
	}
	if r.outline.len() == 0 && r.hasRead {
		lines = append(lines, draw.Blank(w), draw.Of(th.Faint, "   No match.").String(w))
	}
	if r.Frame.Side > 0 {
		return r.Frame.SideBySide(lines, r.sidePane(), w)
	}
	return lines
}

// heading draws the heading of a group: a sign that shows whether the group is folded, the name, and the number
// of entries.
func heading(th theme.Theme, p *section) draw.Line {
	sign := draw.Safe("▾ ")
	switch {
	case !p.open:
		sign = "▸ "
	case p.loading:
		sign = "⋯ "
	}
	name := draw.Escape(string(p.Layer))
	if p.Source != "" {
		name += " · " + draw.Cut(draw.Escape(p.Source), 48)
	}
	return draw.Of(th.Accent, sign).Add(th.Title, name).Add(th.Faint, draw.Escapef("  %d", p.Count))
}

// definitionPreview is the decoded definition of the selected entry, for the side pane.
type definitionPreview struct {
	subject registry.Subject
	doc     *jsondoc.Node
	keys    []string
}

// loadDefinition reads the definition of subject for the side pane. The result is dropped if another subject is
// selected in the meantime.
func (r *Page) loadDefinition(subject registry.Subject) tea.Cmd {
	selected := func() bool {
		e, ok := r.Selected()
		return ok && e.Subject == subject
	}
	if !selected() {
		return nil
	}
	return func() tea.Msg {
		text, err := r.registry.Definition(r.ctx, subject)
		if err != nil || len(text) > screen.MaxPreview {
			return nil // the side pane then shows only the data of the row
		}
		doc, keys := screen.Document(subject.Kind, text)
		return screen.Then{Page: r, Do: func() tea.Cmd {
			if selected() {
				r.definition = definitionPreview{subject, doc, keys}
			}
			return nil
		}}
	}
}

// sidePane draws the side pane, which shows details of the selected row.
func (r *Page) sidePane() []string {
	th := r.Frame.Theme
	e, ok := r.Selected()
	p, _ := r.outline.at(r.cursor)
	if r.Frame.Side == 0 || p == nil {
		return nil
	}
	page := prose.New(th)
	if !ok {
		page.Title(string(p.Layer))
		if p.Source != "" {
			page.Field("from", p.Source)
		}
		page.Field("entries", strconv.Itoa(p.Count))
		return r.Preview.View(r.Frame, "group", page)
	}
	name := e.Name
	if name == "" {
		name = e.Subject.ID
	}
	page.Title(name)
	page.Text("", e.Subject.String())
	state := draw.Of(th.Faint, draw.Escapef("version %d", e.Version))
	if e.Locked {
		state = state.Add(th.Faint, "   ▪ Locked (core)")
	}
	page.Line(state)
	for _, hidden := range e.Hides {
		page.Field("over", hidden.String())
	}
	page.Blank()
	if r.definition.subject == e.Subject {
		r.Frame.Definition(page, r.definition.doc, r.definition.keys)
	}
	return r.Preview.View(r.Frame, e.Subject.String(), page)
}

// The methods below save the state of the page and restore it at the next start.

// State implements screen.Stateful.
func (r *Page) State() screen.PageState {
	left := screen.PageState{Filter: r.filter}
	if e, ok := r.Selected(); ok {
		left.Row = e.Subject.String()
	}
	return left
}

// SetState implements screen.Stateful.
func (r *Page) SetState(left screen.PageState) { r.filter, r.restoreID = left.Filter, left.Row }
