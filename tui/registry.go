package tui

import (
	tea "charm.land/bubbletea/v2"

	"toolcrib/registry"
	"toolcrib/tui/draw"
)

// registryPage lists what is live, by layer, by server and by id: tools, agents or
// allow-lists.
type registryPage struct {
	listPage
	withPreview
	definition definitionPreview
	kind       registry.Kind
	filter     string
	outline    outline
	folded     map[EntryGroup]bool // groups that the user folded or unfolded
	cursor     int                 // a row of the outline
	top        int
	asked      bool
	toEnd      bool              // the last row is selected once it is read
	fresh      bool              // the filter changed: the first entry is selected
	widest     map[draw.Safe]int // what the columns want, in cells
}

func newRegistryPage(kind registry.Kind) *registryPage {
	return &registryPage{kind: kind, folded: map[EntryGroup]bool{}, fresh: true}
}

func (r *registryPage) place() string { return placeRegistry }

func (r *registryPage) leave(m *Model) (tea.Cmd, bool) { return leaveFilter(m, r) }

func (r *registryPage) resize(m *Model) { r.clamp(m) }

func (r *registryPage) scroll(m *Model, x, n int) tea.Cmd {
	if m.layout.InSide(x) {
		r.preview.Scroll(n)
		return nil
	}
	return r.move(m, n)
}

func (r *registryPage) click(m *Model, x, row int) tea.Cmd {
	if m.layout.InSide(x) {
		return nil
	}
	return r.move(m, r.top+row-r.cursor)
}

func (r *registryPage) update(m *Model, msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case outlineMsg:
		return r.loaded(m, msg)
	case entriesMsg:
		return r.added(m, msg)
	case restedMsg:
		return r.rested(m, msg.subject)
	case definitionMsg:
		if msg.err == nil {
			r.definitionRead(msg.subject, msg.text)
		}
	}
	return nil
}

// reload reads the list again as far as it was read.
func (r *registryPage) reload(m *Model) tea.Cmd {
	loaded := map[EntryGroup]int{}
	for _, p := range r.outline.parts {
		if p.open && p.read {
			loaded[p.EntryGroup] = max(chunk, len(p.entries))
		}
	}
	return m.loadOutline(EntryQuery{Kind: r.kind, Filter: r.filter}, loaded)
}

// loaded takes in the groups. The selected row stays selected.
func (r *registryPage) loaded(m *Model, msg outlineMsg) tea.Cmd {
	if msg.query.Kind != r.kind || msg.query.Filter != r.filter {
		return nil
	}
	if msg.err != nil {
		m.fail(msg.err)
		return nil
	}
	fresh := r.fresh
	group, subject := r.group(), registry.Subject{}
	if e, ok := r.selected(); ok {
		subject = e.Subject
	}
	r.asked, r.fresh, r.outline = true, false, msg.outline
	few := r.outline.total() <= fewEntries || r.filter != "" || len(r.outline.parts) == 1
	r.widest = map[draw.Safe]int{}
	for i := range r.outline.parts {
		p := &r.outline.parts[i]
		p.open = few
		if folded, chosen := r.folded[p.EntryGroup]; chosen {
			p.open = !folded
		}
		r.measure(m, p.entries)
	}
	row := r.outline.find(subject, group)
	switch {
	case fresh:
		r.cursor, r.top = 0, 0
		if r.outline.heads() > 0 && r.outline.parts[0].open {
			r.cursor = 1
		}
	case row >= 0:
		r.cursor = row
	}
	r.clamp(m)
	r.definition = definitionPreview{} // it may have changed
	return tea.Batch(r.fill(m), r.debounce(m))
}

// added takes in more entries of a group. Rows that come in above the selected one
// move it down.
func (r *registryPage) added(m *Model, msg entriesMsg) tea.Cmd {
	if msg.query.Kind != r.kind || msg.query.Filter != r.filter || msg.query.Group == nil {
		return nil
	}
	p := r.outline.part(*msg.query.Group)
	if p == nil || p.next != msg.query.After || p.whole() {
		return nil
	}
	p.loading = false
	if msg.err != nil {
		m.fail(msg.err)
		return nil
	}
	end := r.outline.start(p) + r.outline.rows(p)
	p.entries, p.next, p.read = append(p.entries, msg.entries...), msg.next, true
	r.measure(m, msg.entries)
	switch last := p == &r.outline.parts[len(r.outline.parts)-1]; {
	case r.toEnd && last && p.whole():
		r.toEnd, r.cursor = false, r.outline.len()
	case r.toEnd && last:
		return r.more(m, p, p.Count)
	case p.open && r.cursor >= end:
		r.cursor += len(msg.entries)
		r.top += len(msg.entries)
	}
	r.clamp(m)
	return tea.Batch(r.fill(m), r.debounce(m))
}

// fill reads on in the first open group whose unread entries come near the window.
func (r *registryPage) fill(m *Model) tea.Cmd {
	row := 0
	for i := range r.outline.parts {
		p := &r.outline.parts[i]
		row += r.outline.rows(p)
		if !p.open || p.whole() {
			continue
		}
		if p.loading || row < r.top || row > r.top+2*m.layout.Body {
			continue
		}
		return r.more(m, p, chunk)
	}
	return nil
}

func (r *registryPage) rows(m *Model) int { return max(1, m.layout.Body-1) }

func (r *registryPage) clamp(m *Model) {
	n := r.outline.len()
	r.cursor = min(max(0, r.cursor), max(0, n-1))
	r.top = clampWindow(r.top, r.cursor, n, r.rows(m))
}

func (r *registryPage) move(m *Model, n int) tea.Cmd {
	r.cursor += n
	r.toEnd = false
	r.preview.Forget()
	r.clamp(m)
	return tea.Batch(r.fill(m), r.debounce(m))
}

// ends goes to the first row, or to the last, and reads what is missing of its group.
func (r *registryPage) ends(m *Model, last bool) tea.Cmd {
	if !last {
		return r.move(m, -r.outline.len())
	}
	n := len(r.outline.parts)
	if n == 0 {
		return nil
	}
	moved, p := r.move(m, r.outline.len()), &r.outline.parts[n-1]
	r.toEnd = p.open && !p.whole()
	if !r.toEnd || p.loading {
		return moved
	}
	return tea.Batch(moved, r.more(m, p, p.Count))
}

// more reads the next entries of a group.
func (r *registryPage) more(m *Model, p *part, limit int) tea.Cmd {
	p.loading = true
	group := p.EntryGroup
	return m.loadEntries(EntryQuery{Kind: r.kind, Filter: r.filter, Group: &group, Limit: limit, After: p.next})
}

func (r *registryPage) filterText() string { return r.filter }

func (r *registryPage) setFilter(m *Model, text string) tea.Cmd {
	if text == r.filter {
		return nil
	}
	r.filter, r.fresh = text, true
	clear(r.folded)
	return m.loadOutline(EntryQuery{Kind: r.kind, Filter: text}, nil)
}

func (r *registryPage) selected() (Entry, bool) {
	p, i := r.outline.at(r.cursor)
	if p == nil || i < 0 {
		return Entry{}, false
	}
	return p.entries[i], true
}

// group returns the group of the selected row.
func (r *registryPage) group() EntryGroup {
	if p, _ := r.outline.at(r.cursor); p != nil {
		return p.EntryGroup
	}
	return EntryGroup{}
}

// fold folds the group of the selected row and selects its heading, or unfolds it.
func (r *registryPage) fold(m *Model) tea.Cmd {
	p, _ := r.outline.at(r.cursor)
	p.open = !p.open
	r.folded[p.EntryGroup] = !p.open
	r.cursor = r.outline.start(p)
	return r.move(m, 0)
}

// foldAll unfolds all groups, or folds them when none is folded.
func (r *registryPage) foldAll(m *Model) tea.Cmd {
	g, open := r.group(), false
	for _, p := range r.outline.parts {
		open = open || !p.open
	}
	for i := range r.outline.parts {
		r.outline.parts[i].open = open
		r.folded[r.outline.parts[i].EntryGroup] = !open
	}
	r.cursor = max(0, r.outline.start(r.outline.part(g)))
	return r.move(m, 0)
}

func (r *registryPage) cannotFold(*Model) string {
	switch {
	case r.outline.len() == 0:
		return "nothing is selected"
	case r.outline.heads() == 0:
		return "there is only one group"
	}
	return ""
}

func (r *registryPage) tabs(m *Model) (left, right draw.Line) {
	name := draw.Safe("Tools")
	switch r.kind {
	case registry.KindAgent:
		name = "Agents"
	case registry.KindList:
		name = "Allow-lists"
	case registry.KindTool:
	}
	n := r.outline.total()
	l := draw.Of("", " ").Add(m.theme.Accent, "▎"+name).Add(m.theme.Faint, draw.Showf("  %d live in the view of %s", n, m.cfg.Layer))
	if rank := r.outline.rank(r.cursor); rank > 0 {
		right = draw.Of(m.theme.Faint, draw.Showf(" %d/%d ", rank, n))
	}
	if r.filter != "" {
		right = right.Add(m.theme.Match, " "+draw.Cut(draw.Show(r.filter), m.layout.Width/3)+" ").Add("", " ")
	}
	return l, right
}
