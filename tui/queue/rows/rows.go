// Package rows holds the rows of a list of proposals of any length: it is read in chunks, of
// which those far from the window are dropped, and the members of a change set are folded
// to one row.
package rows

import (
	"iter"
	"slices"

	"toolcrib/proposals"
	"toolcrib/tui/draw"
)

// Chunk is how many proposals are read at once.
const Chunk = 100

// keep is how many chunks are kept around the window; others are read again
// when they are scrolled to.
const keep = 20

// maxFolded is over how many chunks a change set is folded to one row. What goes on
// behind them is listed, so that no list is read to its end for a screen of rows.
const maxFolded = 10

// Row is a line of the list: a proposal, or those of a change set that is folded.
type Row struct{ Members []proposals.Proposal }

// First is the proposal that the row is named by.
func (r Row) First() proposals.Proposal { return r.Members[0] }

// Folded reports whether the row stands for several proposals.
func (r Row) Folded() bool { return len(r.Members) > 1 }

// slot is one chunk of the list: how it is read, and its rows while they are kept.
type slot struct {
	after   string
	rows    []Row                // nil while it is not kept
	lent    []proposals.Proposal // members of the set that the last row before is of
	size    int                  // how many rows
	count   int                  // how many proposals
	loading bool
}

// Rows are the proposals of the list, as far as they were read: from the beginning, or
// from the end.
type Rows struct {
	slots    []slot
	Backward bool // Read from the end
	asked    bool
	Listed   bool            // nothing is folded, whatever the sets
	unfolded map[string]bool // the sets that the user unfolded
}

// New returns rows of which nothing was read.
func New() Rows { return Rows{slots: []slot{{}}, unfolded: map[string]bool{}} }

// Again returns rows with the same sets unfolded, of which the first chunk is about to be
// read.
func (rs *Rows) Again(backward, listed bool) Rows {
	return Rows{slots: []slot{{loading: true}}, Backward: backward, Listed: listed, unfolded: rs.unfolded}
}

// Asked reports whether an answer to any read came.
func (rs *Rows) Asked() bool { return rs.asked }

// After returns the cursor after which chunk n begins, or "" for the first chunk.
func (rs *Rows) After(n int) string { return rs.slots[n].after }

// Answered returns the chunk that begins at after and whose answer came, -1 for none.
func (rs *Rows) Answered(after string) int {
	n := slices.IndexFunc(rs.slots, func(s slot) bool { return s.after == after })
	if n >= 0 {
		rs.slots[n].loading, rs.asked = false, true
	}
	return n
}

// All returns every proposal that is kept.
func (rs *Rows) All() iter.Seq[proposals.Proposal] {
	return func(yield func(proposals.Proposal) bool) {
		for _, s := range rs.slots {
			for _, r := range s.rows {
				for _, p := range r.Members {
					if !yield(p) {
						return
					}
				}
			}
		}
	}
}

// Fold lists the members of a set, or folds it.
func (rs *Rows) Fold(set string) {
	rs.unfolded[set] = !rs.unfolded[set]
	rs.refold()
}

// Total returns how many rows are known of.
func (rs *Rows) Total() int {
	n := 0
	for _, s := range rs.slots {
		n += s.size
	}
	return n
}

// Known returns how many proposals are known of.
func (rs *Rows) Known() int {
	n := 0
	for _, s := range rs.slots {
		n += s.count
	}
	return n
}

// Before returns how many proposals stand above row i.
func (rs *Rows) Before(i int) int {
	n, at := 0, 0
	if rs.Backward {
		i = rs.Total() - i
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
				n += len(r.Members)
			}
		}
		if at += s.size; at > i {
			break
		}
	}
	if rs.Backward {
		return rs.Known() - n
	}
	return n
}

// Whole reports whether the list was read to its other end.
func (rs *Rows) Whole() bool {
	last := rs.slots[len(rs.slots)-1]
	return rs.asked && (last.rows != nil || last.count > 0)
}

// At returns row i; false while it is not there.
func (rs *Rows) At(i int) (Row, bool) {
	if rs.Backward {
		i = rs.Total() - 1 - i
	}
	for n, s := range rs.slots {
		if i < s.size {
			if s.rows == nil || i < 0 {
				return Row{}, false
			}
			r := s.rows[i]
			if i == s.size-1 {
				r.Members = slices.Concat(r.Members, rs.lentTo(n))
			}
			return r, true
		}
		i -= s.size
	}
	return Row{}, false
}

// lentTo returns the members of the set of the last row of slot n that were read with
// later slots.
func (rs *Rows) lentTo(n int) (members []proposals.Proposal) {
	for _, s := range rs.slots[n+1:] {
		members = append(members, s.lent...)
		if s.size > 0 {
			break
		}
	}
	return members
}

// Find returns the row of a proposal, -1 where it was not read.
func (rs *Rows) Find(id proposals.ID) int {
	is := func(p proposals.Proposal) bool { return p.ID == id }
	base := 0
	for _, s := range rs.slots {
		i := slices.IndexFunc(s.rows, func(r Row) bool { return slices.ContainsFunc(r.Members, is) })
		if i < 0 && slices.ContainsFunc(s.lent, is) {
			i = -1
		} else if i < 0 {
			base += s.size
			continue
		}
		if i += base; rs.Backward {
			i = rs.Total() - 1 - i
		}
		return i
	}
	return -1
}

// Read takes in the proposals of slot n, behind which the list goes on at next, "" for
// its end. It returns how many rows came in above the present ones.
func (rs *Rows) Read(n int, ps []proposals.Proposal, next string) (above int) {
	before := rs.Total()
	rs.place(n, ps)
	switch {
	case next == "":
		rs.slots = rs.slots[:n+1]
	case n == len(rs.slots)-1:
		rs.slots = append(rs.slots, slot{after: next})
	case rs.slots[n+1].after != next || len(rs.slots[n+1].lent) > 0 && rs.slots[n+1].lent[0].ChangeSet != rs.lastSet(n+1):
		rs.slots = append(rs.slots[:n+1], slot{after: next})
	}
	if rs.Backward {
		return rs.Total() - before
	}
	return 0
}

// place makes rows of the proposals of slot n.
func (rs *Rows) place(n int, ps []proposals.Proposal) {
	s := &rs.slots[n]
	s.rows, s.lent, s.count = []Row{}, nil, len(ps)
	owner := rs.lastSet(n)
	at := map[string]int{}
	for _, p := range ps {
		switch i, there := at[p.ChangeSet]; {
		case p.ChangeSet == "" || rs.Listed || rs.unfolded[p.ChangeSet]:
			s.rows = append(s.rows, Row{[]proposals.Proposal{p}})
		case there:
			s.rows[i].Members = append(s.rows[i].Members, p)
		case p.ChangeSet == owner && rs.reaches(n):
			s.lent = append(s.lent, p)
		case p.ChangeSet == owner:
			s.rows = append(s.rows, Row{[]proposals.Proposal{p}})
		default:
			at[p.ChangeSet] = len(s.rows)
			s.rows = append(s.rows, Row{[]proposals.Proposal{p}})
		}
	}
	s.size = len(s.rows)
}

// lastSet returns the set of the last row before slot n, "" for none.
func (rs *Rows) lastSet(n int) string {
	for i := n - 1; i >= 0; i-- {
		if s := rs.slots[i]; s.size > 0 {
			if s.rows == nil {
				return ""
			}
			return s.rows[s.size-1].First().ChangeSet
		}
	}
	return ""
}

// reaches reports whether the last row before slot n may hold members of slot n.
func (rs *Rows) reaches(n int) bool {
	for i := n - 1; i >= 0 && i >= n-maxFolded; i-- {
		if rs.slots[i].size > 0 {
			return true
		}
	}
	return false
}

// refold makes the rows again from the proposals that were read.
func (rs *Rows) refold() {
	for n := range rs.slots {
		if s := rs.slots[n]; s.rows != nil {
			ps := slices.Clone(s.lent)
			for _, r := range s.rows {
				ps = append(ps, r.Members...)
			}
			rs.place(n, ps)
		}
	}
}

// Span turns rows as they are on the screen into rows as they are read.
func (rs *Rows) Span(from, to int) (int, int) {
	if n := rs.Total(); rs.Backward {
		return n - to, n - from
	}
	return from, to
}

// Forget drops the chunks far from some rows.
func (rs *Rows) Forget(from, to int) {
	base := 0
	for i := range rs.slots {
		s := &rs.slots[i]
		if s.rows != nil && (base+s.size < from-keep*Chunk/2 || base > to+keep*Chunk/2) {
			s.rows = nil
		}
		base += s.size
	}
}

// Missing returns the chunks of some rows that are neither kept nor loading, or with again
// all of them. They are loading from now on.
func (rs *Rows) Missing(from, to int, again bool) (slots []int) {
	base := 0
	for i := range rs.slots {
		s := &rs.slots[i]
		if base <= to && base+s.size >= from && (again || s.rows == nil && !s.loading) {
			s.loading = true
			slots = append(slots, i)
		}
		base += s.size
	}
	return slots
}

// Bracket ties the members of a change set together that stand one below the
// other.
func (rs *Rows) Bracket(i int, r Row) draw.Safe {
	set := r.First().ChangeSet
	switch {
	case set == "":
		return " "
	case r.Folded():
		return "▸"
	}
	above, okAbove := rs.At(i - 1)
	below, okBelow := rs.At(i + 1)
	up := okAbove && above.First().ChangeSet == set
	down := okBelow && below.First().ChangeSet == set
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
