// Package rows holds the rows of a list of proposals of any length, as far as it was read.
// The members of a change set are folded to one row.
package rows

import (
	"iter"
	"slices"

	"toolcrib/proposals"
	"toolcrib/tui/draw"
)

// Chunk is how many proposals are read at once.
const Chunk = 100

// maxMembers is the largest number of proposals in one row. A larger set has several rows, so that
// a screen of rows never needs the whole list.
const maxMembers = 10 * Chunk

// Row is a line of the list: a proposal, or the members of a folded change set.
type Row struct{ Members []proposals.Proposal }

// First returns the proposal that the row is named after.
func (r Row) First() proposals.Proposal { return r.Members[0] }

// Folded reports whether the row stands for several proposals.
func (r Row) Folded() bool { return len(r.Members) > 1 }

// Rows are the rows of a list that is read from its beginning or from its end.
type Rows struct {
	Backward bool   // the list is read from its end
	Listed   bool   // no change set is folded
	Asked    bool   // an answer to a read has arrived
	Loading  bool   // a read is running
	Next     string // cursor of the next read; "" where nothing is left to read

	read     []proposals.Proposal // in the order in which they were read
	rows     []Row                // in the order in which they were read
	unfolded map[string]bool      // change sets that the user unfolded
}

// New returns rows of which nothing was read.
func New() Rows { return Rows{unfolded: map[string]bool{}} }

// Again returns empty rows that are about to be read, with the same sets unfolded.
func (rs *Rows) Again(backward, listed bool) Rows {
	return Rows{Loading: true, Backward: backward, Listed: listed, unfolded: rs.unfolded}
}

// All returns every proposal that was read.
func (rs *Rows) All() iter.Seq[proposals.Proposal] { return slices.Values(rs.read) }

// Fold unfolds a change set, or folds it again.
func (rs *Rows) Fold(set string) {
	rs.unfolded[set] = !rs.unfolded[set]
	rs.fold()
}

// Total returns the number of rows.
func (rs *Rows) Total() int { return len(rs.rows) }

// Known returns the number of proposals that were read.
func (rs *Rows) Known() int { return len(rs.read) }

// Whole reports whether the list was read to its other end.
func (rs *Rows) Whole() bool { return rs.Asked && rs.Next == "" }

// index converts a row on the screen to a row as it was read, and back.
func (rs *Rows) index(i int) int {
	if rs.Backward {
		return len(rs.rows) - 1 - i
	}
	return i
}

// Before returns how many proposals stand above row i.
func (rs *Rows) Before(i int) (n int) {
	for above := range i {
		n += len(rs.rows[rs.index(above)].Members)
	}
	return n
}

// Reach returns how many proposals have to be read for the rows from one to before another.
func (rs *Rows) Reach(from, to int) (n int) {
	if rs.Backward {
		to = len(rs.rows) - from
	}
	for i := range to {
		if i >= len(rs.rows) {
			return n + to - i
		}
		n += len(rs.rows[i].Members)
	}
	return n
}

// At returns row i; false where there is none.
func (rs *Rows) At(i int) (Row, bool) {
	if i = rs.index(i); i < 0 || i >= len(rs.rows) {
		return Row{}, false
	}
	return rs.rows[i], true
}

// Find returns the row of a proposal, -1 where it was not read.
func (rs *Rows) Find(id proposals.ID) int {
	i := slices.IndexFunc(rs.rows, func(r Row) bool {
		return slices.ContainsFunc(r.Members, func(p proposals.Proposal) bool { return p.ID == id })
	})
	if i < 0 {
		return -1
	}
	return rs.index(i)
}

// Read adds proposals that were read after a cursor; "" replaces everything. It returns
// false, and changes nothing, for an answer that does not continue the list. above is the
// number of rows that came in above the present ones.
func (rs *Rows) Read(after string, ps []proposals.Proposal, next string) (above int, ok bool) {
	switch {
	case after == "":
		rs.read = nil
	case after != rs.Next:
		return 0, false
	}
	before := len(rs.rows)
	rs.read, rs.Next, rs.Asked, rs.Loading = append(rs.read, ps...), next, true, false
	if rs.fold(); rs.Backward {
		return len(rs.rows) - before, true
	}
	return 0, true
}

// fold makes the rows: the members of a change set stand where the first of them was read.
func (rs *Rows) fold() {
	var folded []Row
	at := map[string]int{} // the row of each set
	for _, p := range rs.read {
		i, known := at[p.ChangeSet]
		if known && len(folded[i].Members) < maxMembers {
			folded[i].Members = append(folded[i].Members, p)
			continue
		}
		if p.ChangeSet != "" && !rs.Listed {
			at[p.ChangeSet] = len(folded)
		}
		folded = append(folded, Row{[]proposals.Proposal{p}})
	}
	rs.rows = nil
	for _, r := range folded {
		if !rs.unfolded[r.First().ChangeSet] {
			rs.rows = append(rs.rows, r)
			continue
		}
		for i := range r.Members {
			rs.rows = append(rs.rows, Row{r.Members[i : i+1]})
		}
	}
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
