package entries

import (
	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/screen"
)

// fill reads on in the first open group whose unread entries come near the window.
func (r *Page) fill() tea.Cmd {
	row := 0
	for i := range r.outline.parts {
		p := &r.outline.parts[i]
		row += r.outline.rows(p)
		if !p.open || p.whole() {
			continue
		}
		if p.loading || row < r.top || row > r.top+2*r.Frame.Body {
			continue
		}
		return r.more(p, chunk)
	}
	return nil
}

// Rows implements screen.Rowed.
func (r *Page) Rows() int { return max(1, r.Frame.Body-1) }

func (r *Page) clamp() {
	n := r.outline.len()
	r.cursor = min(max(0, r.cursor), max(0, n-1))
	r.top = screen.Window(r.top, r.cursor, n, r.Rows())
}

// Move implements screen.Rowed.
func (r *Page) Move(n int) tea.Cmd {
	r.cursor += n
	r.toEnd = false
	r.Preview.Forget()
	r.clamp()
	return tea.Batch(r.fill(), r.debounce())
}

// Ends implements screen.Rowed: it goes to the first row, or to the last, and
// reads the missing rows of its group.
func (r *Page) Ends(last bool) tea.Cmd {
	if !last {
		return r.Move(-r.outline.len())
	}
	n := len(r.outline.parts)
	if n == 0 {
		return nil
	}
	moved, p := r.Move(r.outline.len()), &r.outline.parts[n-1]
	r.toEnd = p.open && !p.whole()
	if !r.toEnd || p.loading {
		return moved
	}
	return tea.Batch(moved, r.more(p, p.Count))
}

// more reads the next entries of a group.
func (r *Page) more(p *part, limit int) tea.Cmd {
	p.loading = true
	group := p.Group
	q := Query{Kind: r.Kind, Filter: r.filter, Group: &group, Limit: limit, After: p.next}
	return func() tea.Msg {
		entries, next, err := r.registry.Entries(r.ctx, q)
		return More{q, entries, next, err}
	}
}

// Selected implements screen.OfEntry.
func (r *Page) Selected() (screen.Entry, bool) {
	p, i := r.outline.at(r.cursor)
	if p == nil || i < 0 {
		return screen.Entry{}, false
	}
	return p.entries[i], true
}

// group returns the group of the selected row.
func (r *Page) group() Group {
	if p, _ := r.outline.at(r.cursor); p != nil {
		return p.Group
	}
	return Group{}
}

// fold folds the group of the selected row and selects its heading, or unfolds it.
func (r *Page) fold() (screen.Intent, tea.Cmd) {
	p, _ := r.outline.at(r.cursor)
	p.open = !p.open
	r.folded[p.Group] = !p.open
	r.cursor = r.outline.start(p)
	return nil, r.Move(0)
}

// foldAll unfolds all groups, or folds them when none is folded.
func (r *Page) foldAll() (screen.Intent, tea.Cmd) {
	g, open := r.group(), false
	for _, p := range r.outline.parts {
		open = open || !p.open
	}
	for i := range r.outline.parts {
		r.outline.parts[i].open = open
		r.folded[r.outline.parts[i].Group] = !open
	}
	r.cursor = max(0, r.outline.start(r.outline.part(g)))
	return nil, r.Move(0)
}

func (r *Page) cannotFold() string {
	switch {
	case r.outline.len() == 0:
		return "nothing is selected"
	case r.outline.heads() == 0:
		return "there is only one group"
	}
	return ""
}
