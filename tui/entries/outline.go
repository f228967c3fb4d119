package entries

import (
	"slices"

	"toolcrib/registry"
	"toolcrib/tui/screen"
)

// outline is a list of entries by group. Each group has a heading, unless it is the
// only one, and can be folded.
type outline struct{ parts []part }

// part is a group with the entries that were read of it.
type part struct {
	Counted
	open    bool
	loading bool
	entries []screen.Entry
	next    string // what the next page of it is after
	read    bool   // whether any of it was
}

// fewEntries is how many entries are read at once, and not folded.
const fewEntries = 200

func newOutline(groups []Counted) outline {
	o := outline{make([]part, len(groups))}
	for i, g := range groups {
		o.parts[i].Counted = g
	}
	return o
}

// fill puts all entries that there are into their parts.
func (o *outline) fill(entries []screen.Entry) {
	for _, e := range entries {
		if p := o.part(Group{e.Subject.Layer, e.Source}); p != nil {
			p.entries = append(p.entries, e)
		}
	}
	for i := range o.parts {
		o.parts[i].read = true
	}
}

// whole reports whether everything in it was read.
func (p *part) whole() bool { return p.read && p.next == "" }

// heads is how many rows the heading of a part takes.
func (o *outline) heads() int {
	if len(o.parts) > 1 {
		return 1
	}
	return 0
}

// rows is how many rows a part takes.
func (o *outline) rows(p *part) int {
	if !p.open {
		return o.heads()
	}
	return o.heads() + len(p.entries)
}

func (o *outline) len() (n int) {
	for i := range o.parts {
		n += o.rows(&o.parts[i])
	}
	return n
}

// shows reports whether any entry is shown.
func (o *outline) shows() bool {
	return slices.ContainsFunc(o.parts, func(p part) bool { return p.open && len(p.entries) > 0 })
}

// total is how many entries there are, read or not.
func (o *outline) total() (n int) {
	for i := range o.parts {
		n += o.parts[i].Count
	}
	return n
}

// at returns the part that a row is in, nil for none, and which of its entries it
// is, -1 for the heading.
func (o *outline) at(row int) (p *part, entry int) {
	for i := range o.parts {
		p := &o.parts[i]
		n := o.rows(p)
		if row < n {
			return p, row - o.heads()
		}
		row -= n
	}
	return nil, -1
}

// start returns the row that a part begins at.
func (o *outline) start(p *part) (row int) {
	for i := range o.parts {
		if &o.parts[i] == p {
			return row
		}
		row += o.rows(&o.parts[i])
	}
	return row
}

// part returns a group's part, nil for none.
func (o *outline) part(g Group) *part {
	i := slices.IndexFunc(o.parts, func(p part) bool { return p.Group == g })
	if i < 0 {
		return nil
	}
	return &o.parts[i]
}

// find returns the row of a subject, or of the heading of a group; -1 for none.
func (o *outline) find(s registry.Subject, g Group) int {
	p := o.part(g)
	if p == nil {
		return -1
	}
	i := slices.IndexFunc(p.entries, func(e screen.Entry) bool { return e.Subject == s })
	if i < 0 || !p.open {
		return o.start(p)
	}
	return o.start(p) + o.heads() + i
}

// rank returns which entry of all a row is, counted from 1; 0 for a heading.
func (o *outline) rank(row int) (n int) {
	p, entry := o.at(row)
	if p == nil || entry < 0 {
		return 0
	}
	for i := range o.parts {
		if &o.parts[i] == p {
			return n + entry + 1
		}
		n += o.parts[i].Count
	}
	return 0
}
