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

// maxFolded is over how many chunks a change set is folded to one row. What goes on
// behind them is listed, so that no list is read to its end for a screen of rows.
const maxFolded = 10

// row is a line of the list: a proposal, or those of a change set that is folded.
type row struct{ members []proposals.Proposal }

// first is the proposal that the row is named by.
func (r row) first() proposals.Proposal { return r.members[0] }

// folded reports whether the row stands for several proposals.
func (r row) folded() bool { return len(r.members) > 1 }

// slot is one chunk of the list: how it is read, and its rows while they are kept.
type slot struct {
	after   string
	rows    []row                // nil while it is not kept
	lent    []proposals.Proposal // members of the set that the last row before is of
	size    int                  // how many rows
	count   int                  // how many proposals
	loading bool
}

// rows are the proposals of the list, as far as they were read: from the beginning, or
// from the end.
type rows struct {
	slots    []slot
	backward bool // read from the end
	asked    bool
	listed   bool            // nothing is folded, whatever the sets
	unfolded map[string]bool // the sets that the user unfolded
}

// newRows returns rows of which the first chunk is about to be read.
func newRows(backward, listed bool, unfolded map[string]bool) rows {
	return rows{slots: []slot{{loading: true}}, backward: backward, listed: listed, unfolded: unfolded}
}

// total returns how many rows are known of.
func (rs *rows) total() int {
	n := 0
	for _, s := range rs.slots {
		n += s.size
	}
	return n
}

// known returns how many proposals are known of.
func (rs *rows) known() int {
	n := 0
	for _, s := range rs.slots {
		n += s.count
	}
	return n
}

// before returns how many proposals stand above row i.
func (rs *rows) before(i int) int {
	n, at := 0, 0
	if rs.backward {
		i = rs.total() - i
	}
	for _, s := range rs.slots {
		switch {
		case at+s.size <= i:
			n += s.count
		case s.rows == nil: // forgotten: each row counts for one
			n += i - at
		default:
			n += len(s.lent)
			for _, r := range s.rows[:max(0, i-at)] {
				n += len(r.members)
			}
		}
		if at += s.size; at > i {
			break
		}
	}
	if rs.backward {
		return rs.known() - n
	}
	return n
}

// whole reports whether the list was read to its other end.
func (rs *rows) whole() bool {
	last := rs.slots[len(rs.slots)-1]
	return rs.asked && (last.rows != nil || last.count > 0)
}

// at returns row i; false while it is not there.
func (rs *rows) at(i int) (row, bool) {
	if rs.backward {
		i = rs.total() - 1 - i
	}
	for n, s := range rs.slots {
		if i < s.size {
			if s.rows == nil || i < 0 {
				return row{}, false
			}
			r := s.rows[i]
			if i == s.size-1 {
				r.members = slices.Concat(r.members, rs.lentTo(n))
			}
			return r, true
		}
		i -= s.size
	}
	return row{}, false
}

// lentTo returns the members of the set of the last row of slot n that were read with
// later slots.
func (rs *rows) lentTo(n int) (members []proposals.Proposal) {
	for _, s := range rs.slots[n+1:] {
		members = append(members, s.lent...)
		if s.size > 0 {
			break
		}
	}
	return members
}

// find returns the row of a proposal, -1 where it was not read.
func (rs *rows) find(id proposals.ID) int {
	is := func(p proposals.Proposal) bool { return p.ID == id }
	base := 0
	for _, s := range rs.slots {
		i := slices.IndexFunc(s.rows, func(r row) bool { return slices.ContainsFunc(r.members, is) })
		if i < 0 && slices.ContainsFunc(s.lent, is) {
			i = -1
		} else if i < 0 {
			base += s.size
			continue
		}
		if i += base; rs.backward {
			i = rs.total() - 1 - i
		}
		return i
	}
	return -1
}

// read takes in the proposals of slot n, behind which the list goes on at next, "" for
// its end. It returns how many rows came in above the present ones.
func (rs *rows) read(n int, ps []proposals.Proposal, next string) (above int) {
	before := rs.total()
	rs.place(n, ps)
	switch {
	case next == "":
		rs.slots = rs.slots[:n+1]
	case n == len(rs.slots)-1:
		rs.slots = append(rs.slots, slot{after: next})
	case rs.slots[n+1].after != next || len(rs.slots[n+1].lent) > 0 && rs.slots[n+1].lent[0].ChangeSet != rs.lastSet(n+1):
		rs.slots = append(rs.slots[:n+1], slot{after: next})
	}
	if rs.backward {
		return rs.total() - before
	}
	return 0
}

// place makes rows of the proposals of slot n.
func (rs *rows) place(n int, ps []proposals.Proposal) {
	s := &rs.slots[n]
	s.rows, s.lent, s.count = []row{}, nil, len(ps)
	owner := rs.lastSet(n)
	at := map[string]int{}
	for _, p := range ps {
		switch i, there := at[p.ChangeSet]; {
		case p.ChangeSet == "" || rs.listed || rs.unfolded[p.ChangeSet]:
			s.rows = append(s.rows, row{[]proposals.Proposal{p}})
		case there:
			s.rows[i].members = append(s.rows[i].members, p)
		case p.ChangeSet == owner && rs.reaches(n):
			s.lent = append(s.lent, p)
		case p.ChangeSet == owner:
			s.rows = append(s.rows, row{[]proposals.Proposal{p}})
		default:
			at[p.ChangeSet] = len(s.rows)
			s.rows = append(s.rows, row{[]proposals.Proposal{p}})
		}
	}
	s.size = len(s.rows)
}

// lastSet returns the set of the last row before slot n, "" for none.
func (rs *rows) lastSet(n int) string {
	for i := n - 1; i >= 0; i-- {
		if s := rs.slots[i]; s.size > 0 {
			if s.rows == nil {
				return ""
			}
			return s.rows[s.size-1].first().ChangeSet
		}
	}
	return ""
}

// reaches reports whether the last row before slot n may hold members of slot n.
func (rs *rows) reaches(n int) bool {
	for i := n - 1; i >= 0 && i >= n-maxFolded; i-- {
		if rs.slots[i].size > 0 {
			return true
		}
	}
	return false
}

// refold makes the rows again from the proposals that were read.
func (rs *rows) refold() {
	for n := range rs.slots {
		if s := rs.slots[n]; s.rows != nil {
			ps := slices.Clone(s.lent)
			for _, r := range s.rows {
				ps = append(ps, r.members...)
			}
			rs.place(n, ps)
		}
	}
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
func (rs *rows) bracket(i int, r row) draw.Safe {
	set := r.first().ChangeSet
	switch {
	case set == "":
		return " "
	case r.folded():
		return "▸"
	}
	above, okAbove := rs.at(i - 1)
	below, okBelow := rs.at(i + 1)
	up := okAbove && above.first().ChangeSet == set
	down := okBelow && below.first().ChangeSet == set
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
