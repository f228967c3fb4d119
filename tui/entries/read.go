package entries

import (
	tea "charm.land/bubbletea/v2"

	"toolcrib/registry"
	"toolcrib/tui/draw"
	"toolcrib/tui/screen"
)

// Reload implements screen.Page: it reads the list again as far as it was read.
func (r *Page) Reload() tea.Cmd {
	loaded := map[Group]int{}
	for _, p := range r.outline.parts {
		if p.open && p.read {
			loaded[p.Group] = max(chunk, len(p.entries))
		}
	}
	return r.read(loaded)
}

// read reads the groups, with as many entries of each as loaded says. Where there are
// few, all are read at once.
func (r *Page) read(loaded map[Group]int) tea.Cmd {
	q := Query{Kind: r.Kind, Filter: r.filter}
	return func() tea.Msg {
		groups, err := r.registry.Groups(r.ctx, q)
		o := newOutline(groups)
		if err == nil && o.total() <= fewEntries {
			q.Limit = fewEntries
			var entries []screen.Entry
			entries, _, err = r.registry.Entries(r.ctx, q)
			o.fill(entries)
			return Outline{q, o, err}
		}
		for i := range o.parts {
			p := &o.parts[i]
			if n := loaded[p.Group]; n > 0 && err == nil {
				q.Group, q.Limit = &p.Group, n
				p.entries, p.next, err = r.registry.Entries(r.ctx, q)
				p.read = true
			}
		}
		q.Group = nil
		return Outline{q, o, err}
	}
}

// loaded takes in the groups. The selected row stays selected.
func (r *Page) loaded(msg Outline) (screen.Intent, tea.Cmd) {
	if msg.Query.Kind != r.Kind || msg.Query.Filter != r.filter {
		return nil, nil
	}
	if msg.Err != nil {
		return screen.Fail(msg.Err), nil
	}
	fresh := r.fresh
	group, subject := r.group(), registry.Subject{}
	if e, ok := r.Selected(); ok {
		subject = e.Subject
	}
	r.asked, r.fresh, r.outline = true, false, msg.outline
	few := r.outline.total() <= fewEntries || r.filter != "" || len(r.outline.parts) == 1
	r.widest = map[draw.Safe]int{}
	for i := range r.outline.parts {
		p := &r.outline.parts[i]
		p.open = few
		if folded, chosen := r.folded[p.Group]; chosen {
			p.open = !folded
		}
		r.measure(p.entries)
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
	r.clamp()
	r.definition = definitionPreview{} // it may have changed
	return nil, tea.Batch(r.fill(), r.debounce())
}

// added takes in more entries of a group. Rows that come in above the selected one
// move it down.
func (r *Page) added(msg More) (screen.Intent, tea.Cmd) {
	if msg.Query.Kind != r.Kind || msg.Query.Filter != r.filter || msg.Query.Group == nil {
		return nil, nil
	}
	p := r.outline.part(*msg.Query.Group)
	if p == nil || p.next != msg.Query.After || p.whole() {
		return nil, nil
	}
	p.loading = false
	if msg.Err != nil {
		return screen.Fail(msg.Err), nil
	}
	below := r.cursor >= r.outline.start(p)+r.outline.rows(p) && r.cursor < r.outline.len()
	p.entries, p.next, p.read = append(p.entries, msg.Entries...), msg.Next, true
	r.measure(msg.Entries)
	switch last := p == &r.outline.parts[len(r.outline.parts)-1]; {
	case r.toEnd && last && p.whole():
		r.toEnd, r.cursor = false, r.outline.len()
	case r.toEnd && last:
		return nil, r.more(p, p.Count)
	case p.open && below:
		r.cursor += len(msg.Entries)
		r.top += len(msg.Entries)
	}
	r.clamp()
	return nil, tea.Batch(r.fill(), r.debounce())
}
