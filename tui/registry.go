package tui

import (
	tea "charm.land/bubbletea/v2"

	"toolcrib/registry"
	"toolcrib/tui/draw"
)

// registryPage lists what is live, by id: tools, agents or allow-lists.
type registryPage struct {
	listPage
	withPreview
	definition definitionPreview
	kind       registry.Kind
	filter     string
	entries    []Entry
	next       string
	cursor     int
	top        int
	loading    bool
	asked      bool
	widest     map[draw.Safe]int // what the columns want, in cells
}

func newRegistryPage(kind registry.Kind) *registryPage { return &registryPage{kind: kind} }

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
	case entriesMsg:
		return r.loaded(m, msg)
	case restedMsg:
		return r.rested(m, msg.subject)
	case definitionMsg:
		if msg.err == nil {
			r.definitionRead(msg.subject, msg.text)
		}
	}
	return nil
}

func (r *registryPage) query(after string) EntryQuery {
	return EntryQuery{Kind: r.kind, Filter: r.filter, Limit: chunk, After: after}
}

// reload reads the list anew as far as it was read.
func (r *registryPage) reload(m *Model) tea.Cmd {
	q := r.query("")
	q.Limit = max(chunk, len(r.entries))
	return m.loadEntries(q)
}

func (r *registryPage) loaded(m *Model, msg entriesMsg) tea.Cmd {
	if msg.query.Kind != r.kind || msg.query.Filter != r.filter {
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
	r.measure(m, msg.query.After == "", msg.entries)
	r.next = msg.next
	r.clamp(m)
	r.definition = definitionPreview{} // it may have changed
	return tea.Batch(r.fill(m), r.debounce(m))
}

// fill reads on when the window comes near the end.
func (r *registryPage) fill(m *Model) tea.Cmd {
	if r.next == "" || r.loading || r.top+2*m.layout.Body < len(r.entries) {
		return nil
	}
	r.loading = true
	return m.loadEntries(r.query(r.next))
}

func (r *registryPage) rows(m *Model) int { return max(1, m.layout.Body-1) }

func (r *registryPage) clamp(m *Model) {
	r.cursor = min(max(0, r.cursor), max(0, len(r.entries)-1))
	r.top = clampWindow(r.top, r.cursor, len(r.entries), r.rows(m))
}

func (r *registryPage) move(m *Model, n int) tea.Cmd {
	r.cursor += n
	r.preview.Forget()
	r.clamp(m)
	return tea.Batch(r.fill(m), r.debounce(m))
}

// ends goes to the first row, or to the last that was read: the others follow.
func (r *registryPage) ends(m *Model, last bool) tea.Cmd {
	if last {
		return r.move(m, len(r.entries))
	}
	return r.move(m, -len(r.entries))
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

func (r *registryPage) tabs(m *Model) (left, right draw.Line) {
	name := draw.Safe("Tools")
	switch r.kind {
	case registry.KindAgent:
		name = "Agents"
	case registry.KindList:
		name = "Allow-lists"
	case registry.KindTool:
	}
	more := ""
	if r.next != "" {
		more = "+"
	}
	l := draw.Of("", " ").Add(m.theme.Accent, "▎"+name).Add(m.theme.Faint, draw.Showf("  %d%s live in the view of %s", len(r.entries), more, m.cfg.Layer))
	if n := len(r.entries); n > 0 {
		right = draw.Of(m.theme.Faint, draw.Showf(" %d/%d%s ", r.cursor+1, n, more))
	}
	if r.filter != "" {
		right = right.Add(m.theme.Match, " "+draw.Cut(draw.Show(r.filter), m.layout.Width/3)+" ").Add("", " ")
	}
	return l, right
}
