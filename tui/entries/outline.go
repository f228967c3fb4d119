// This file manages the groups of the list. Each group can be folded, and is loaded separately.

package entries

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"toolcrib/registry"
	"toolcrib/tui/screen"
)

// outline is a list of entries in groups. If there are several groups, each group has a heading row and can be
// folded.
type outline struct{ sections []section }

// section is a group with its loaded entries.
type section struct {
	GroupCount
	open    bool
	loading bool
	entries []screen.Entry
	next    string // keyset cursor of the next page of entries
	read    bool   // at least one page of entries has been loaded
}

// fewEntries is the maximum number of entries of a list that is loaded at once. Its groups are not folded at
// first.
const fewEntries = 200

// complete reports whether all entries of the group are loaded.
func (p *section) complete() bool { return p.read && p.next == "" }

// headingRows returns the number of heading rows per group: 0 if there is only one group, and 1 otherwise.
func (o *outline) headingRows() int {
	if len(o.sections) > 1 {
		return 1
	}
	return 0
}

// rows returns the number of rows of group p in the list, including its heading.
func (o *outline) rows(p *section) int {
	if !p.open {
		return o.headingRows()
	}
	return o.headingRows() + len(p.entries)
}

func (o *outline) len() (n int) {
	for i := range o.sections {
		n += o.rows(&o.sections[i])
	}
	return n
}

// total returns the number of entries in all groups, loaded or not.
func (o *outline) total() (n int) {
	for i := range o.sections {
		n += o.sections[i].Count
	}
	return n
}

// at returns the group to which a row belongs, and the index of the row's entry in that group. For a heading,
// the index is negative. If row is out of range, the group is nil.
func (o *outline) at(row int) (p *section, entry int) {
	for i := range o.sections {
		p := &o.sections[i]
		n := o.rows(p)
		if row < n {
			return p, row - o.headingRows()
		}
		row -= n
	}
	return nil, -1
}

// start returns the first row of group p.
func (o *outline) start(p *section) (row int) {
	for i := range o.sections {
		if &o.sections[i] == p {
			return row
		}
		row += o.rows(&o.sections[i])
	}
	return row
}

// section returns the section of group g, or nil.
func (o *outline) section(g Group) *section {
	i := slices.IndexFunc(o.sections, func(p section) bool { return p.Group == g })
	if i < 0 {
		return nil
	}
	return &o.sections[i]
}

// find returns the row of subject s in group g. If the subject is not shown, it returns the first row of the
// group. If the group does not exist, it returns -1.
func (o *outline) find(s registry.Subject, g Group) int {
	p := o.section(g)
	if p == nil {
		return -1
	}
	i := slices.IndexFunc(p.entries, func(e screen.Entry) bool { return e.Subject == s })
	if i < 0 || !p.open {
		return o.start(p)
	}
	return o.start(p) + o.headingRows() + i
}

// entryNumber returns the number of a row's entry in the whole list, counted from 1, or 0 for a heading.
func (o *outline) entryNumber(row int) (n int) {
	p, entry := o.at(row)
	if p == nil || entry < 0 {
		return 0
	}
	for i := range o.sections {
		if &o.sections[i] == p {
			return n + entry + 1
		}
		n += o.sections[i].Count
	}
	return 0
}

// fill loads more entries of the first incomplete group that ends near the viewport. It ignores folded groups.
func (r *Page) fill() tea.Cmd {
	row := 0
	for i := range r.outline.sections {
		p := &r.outline.sections[i]
		row += r.outline.rows(p)
		if !p.open || p.complete() {
			continue
		}
		if p.loading || row < r.top || row > r.top+2*r.Frame.Body {
			continue
		}
		return r.more(p, chunk)
	}
	return nil
}

// Rows implements screen.CursorPage.
func (r *Page) Rows() int { return max(1, r.Frame.Body-1) }

func (r *Page) clamp() {
	n := r.outline.len()
	r.cursor = min(max(0, r.cursor), max(0, n-1))
	r.top = screen.Window(r.top, r.cursor, n, r.Rows())
}

// Move implements screen.CursorPage.
func (r *Page) Move(n int) tea.Cmd {
	r.cursor += n
	r.toEnd = false
	r.Preview.Reset()
	r.clamp()
	return tea.Batch(r.fill(), r.debounce())
}

// MoveToEnd implements screen.CursorPage. If bottom is set and the last group is incomplete, it also loads the
// missing entries, and then moves the cursor to the last entry.
func (r *Page) MoveToEnd(bottom bool) tea.Cmd {
	if !bottom {
		return r.Move(-r.outline.len())
	}
	n := len(r.outline.sections)
	if n == 0 {
		return nil
	}
	moved, p := r.Move(r.outline.len()), &r.outline.sections[n-1]
	r.toEnd = p.open && !p.complete()
	if !r.toEnd || p.loading {
		return moved
	}
	return tea.Batch(moved, r.more(p, p.Count))
}

// more loads up to limit more entries of group p.
func (r *Page) more(p *section, limit int) tea.Cmd {
	p.loading = true
	group := p.Group
	q := Query{Kind: r.Kind, Filter: r.filter, Group: &group, Limit: limit, After: p.next}
	return func() tea.Msg {
		entries, next, err := r.registry.Entries(r.ctx, q)
		return screen.Then{Page: r, Do: func() tea.Cmd {
			p := r.outline.section(group) // nil if a reload has removed the group
			if q.Filter != r.filter || p == nil || p.next != q.After || p.complete() {
				return nil
			}
			if p.loading = false; err != nil {
				return r.shell.Fail(err)
			}
			below := r.cursor >= r.outline.start(p)+r.outline.rows(p) && r.cursor < r.outline.len()
			p.entries, p.next, p.read = append(p.entries, entries...), next, true
			r.measure(entries)
			switch last := p == &r.outline.sections[len(r.outline.sections)-1]; {
			case r.toEnd && last && p.complete():
				r.toEnd, r.cursor = false, r.outline.len()
			case r.toEnd && last:
				return r.more(p, p.Count)
			case p.open && below: // the new entries are inserted above the row of the cursor
				r.cursor += len(entries)
				r.top += len(entries)
			}
			r.clamp()
			return tea.Batch(r.fill(), r.debounce())
		}}
	}
}

// Selected implements screen.EntryPage.
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

// fold folds or unfolds the group of the selected row, and selects the group's first row.
func (r *Page) fold() tea.Cmd {
	p, _ := r.outline.at(r.cursor)
	p.open = !p.open
	r.folded[p.Group] = !p.open
	r.cursor = r.outline.start(p)
	return r.Move(0)
}

// foldAll unfolds all groups, or folds them if all are unfolded.
func (r *Page) foldAll() tea.Cmd {
	g, open := r.group(), false
	for _, p := range r.outline.sections {
		open = open || !p.open
	}
	for i := range r.outline.sections {
		r.outline.sections[i].open = open
		r.folded[r.outline.sections[i].Group] = !open
	}
	r.cursor = max(0, r.outline.start(r.outline.section(g)))
	return r.Move(0)
}

func (r *Page) cannotFold() string {
	switch {
	case r.outline.len() == 0:
		return "nothing is selected"
	case r.outline.headingRows() == 0:
		return "there is only one group"
	}
	return ""
}
