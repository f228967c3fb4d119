package queue

import (
	"slices"

	"toolcrib/proposals"
	"toolcrib/tui/draw"
)

// chunk is how many proposals are read at once.
const chunk = 100

// keep is how many chunks are kept around the window; others are read again
// when they are scrolled to.
const keep = 20

// slot is one chunk of the list: how it is read, and its rows while they are kept.
type slot struct {
	after   string
	rows    []proposals.Proposal // nil while it is not kept
	size    int
	loading bool
}

// rows are the proposals of the list, as far as they were read: from the beginning, or
// from the end.
type rows struct {
	slots    []slot
	backward bool // read from the end
	asked    bool
}

// newRows returns rows of which the first chunk is about to be read.
func newRows(backward bool) rows { return rows{slots: []slot{{loading: true}}, backward: backward} }

// total returns how many rows are known of.
func (rs *rows) total() int {
	n := 0
	for _, s := range rs.slots {
		n += s.size
	}
	return n
}

// whole reports whether the list was read to its other end.
func (rs *rows) whole() bool {
	last := rs.slots[len(rs.slots)-1]
	return rs.asked && (last.rows != nil || last.size > 0)
}

// at returns row i; false while it is not there.
func (rs *rows) at(i int) (proposals.Proposal, bool) {
	if rs.backward {
		i = rs.total() - 1 - i
	}
	for _, s := range rs.slots {
		if i < s.size {
			if s.rows == nil || i < 0 {
				return proposals.Proposal{}, false
			}
			return s.rows[i], true
		}
		i -= s.size
	}
	return proposals.Proposal{}, false
}

// find returns the row of a proposal, -1 where it was not read.
func (rs *rows) find(id proposals.ID) int {
	base := 0
	for _, s := range rs.slots {
		if i := slices.IndexFunc(s.rows, func(p proposals.Proposal) bool { return p.ID == id }); i >= 0 {
			if i += base; rs.backward {
				i = rs.total() - 1 - i
			}
			return i
		}
		base += s.size
	}
	return -1
}

// read takes in the rows of slot n, behind which the list goes on at next, "" for its
// end. It returns how many rows came in above the present ones.
func (rs *rows) read(n int, ps []proposals.Proposal, next string) (above int) {
	before, s := rs.total(), &rs.slots[n]
	s.rows, s.size = ps, len(ps)
	if s.rows == nil {
		s.rows = []proposals.Proposal{}
	}
	switch {
	case next == "":
		rs.slots = rs.slots[:n+1]
	case n == len(rs.slots)-1:
		rs.slots = append(rs.slots, slot{after: next})
	case rs.slots[n+1].after != next:
		rs.slots = append(rs.slots[:n+1], slot{after: next})
	}
	if rs.backward {
		return rs.total() - before
	}
	return 0
}

// span turns rows as they are on the screen into rows as they are read.
func (rs *rows) span(from, to int) (int, int) {
	if n := rs.total(); rs.backward {
		return n - to, n - from
	}
	return from, to
}

// forget drops the chunks far from some rows.
func (rs *rows) forget(from, to int) {
	base := 0
	for i := range rs.slots {
		s := &rs.slots[i]
		if s.rows != nil && (base+s.size < from-keep*chunk/2 || base > to+keep*chunk/2) {
			s.rows = nil
		}
		base += s.size
	}
}

// missing returns the chunks of some rows that are wanted, which are loading from now on.
func (rs *rows) missing(from, to int, wanted func(*slot) bool) (slots []int) {
	base := 0
	for i := range rs.slots {
		s := &rs.slots[i]
		if base <= to && base+s.size >= from && wanted(s) {
			s.loading = true
			slots = append(slots, i)
		}
		base += s.size
	}
	return slots
}

// bracket ties the members of a change set together that stand one below the
// other.
func (rs *rows) bracket(i int, p proposals.Proposal) draw.Safe {
	if p.ChangeSet == "" {
		return " "
	}
	above, okAbove := rs.at(i - 1)
	below, okBelow := rs.at(i + 1)
	up := okAbove && above.ChangeSet == p.ChangeSet
	down := okBelow && below.ChangeSet == p.ChangeSet
	switch {
	case up && down:
		return "│"
	case down:
		return "╭"
	case up:
		return "╰"
	}
	return "∙"
}
