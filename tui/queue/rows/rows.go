// Package rows contains the rows of a list of proposals. The list is loaded in chunks. It can show a change
// set as a single, folded row.
package rows

import (
	"iter"
	"slices"

	"toolcrib/proposals"
	"toolcrib/tui/draw"
)

// Chunk is the number of proposals that are loaded at once.
const Chunk = 100

// maxMembers is the maximum number of proposals in a row. A larger change set is split into several rows.
// Otherwise, loading a screen of rows could require loading the whole list.
const maxMembers = 10 * Chunk

// Row is a row of the list: a proposal, or the members of a folded change set.
type Row struct{ Members []proposals.Proposal }

// First returns the first proposal of the row.
func (r Row) First() proposals.Proposal { return r.Members[0] }

// Folded reports whether the row represents several proposals.
func (r Row) Folded() bool { return len(r.Members) > 1 }

// Rows contains the loaded rows of a list. The list is loaded from its beginning or from its end.
type Rows struct {
	Backward bool   // the list is read from its end
	Flat     bool   // change sets are not folded
	HasRead  bool   // a read has completed
	Loading  bool   // a read is in progress
	Next     string // keyset cursor of the next read; "" if all proposals are loaded

	read     []proposals.Proposal // proposals, in the order of reading
	rows     []Row                // rows, in the order of reading
	unfolded map[string]bool      // change sets that the user has unfolded
}

// New returns an empty Rows.
func New() Rows { return Rows{unfolded: map[string]bool{}} }

// Restarted returns an empty Rows for a new read, with the same unfolded change sets. If listed is set, no
// change sets are folded.
func (rs *Rows) Restarted(backward, listed bool) Rows {
	return Rows{Loading: true, Backward: backward, Flat: listed, unfolded: rs.unfolded}
}

// All returns an iterator over the loaded proposals.
func (rs *Rows) All() iter.Seq[proposals.Proposal] { return slices.Values(rs.read) }

// Fold folds or unfolds the given change set.
func (rs *Rows) Fold(set string) {
	rs.unfolded[set] = !rs.unfolded[set]
	rs.fold()
}

// Total returns the number of rows.
func (rs *Rows) Total() int { return len(rs.rows) }

// Loaded returns the number of loaded proposals.
func (rs *Rows) Loaded() int { return len(rs.read) }

// Complete reports whether all proposals of the list are loaded.
func (rs *Rows) Complete() bool { return rs.HasRead && rs.Next == "" }

// index converts the index of a row on screen to an index of rs.rows, or vice versa.
func (rs *Rows) index(i int) int {
	if rs.Backward {
		return len(rs.rows) - 1 - i
	}
	return i
}

// Before returns the number of proposals above row i.
func (rs *Rows) Before(i int) (n int) {
	for above := range i {
		n += len(rs.rows[rs.index(above)].Members)
	}
	return n
}

// LoadCount returns the number of proposals that must be loaded to show the rows from start to end-1.
func (rs *Rows) LoadCount(start, end int) (n int) {
	if rs.Backward {
		end = len(rs.rows) - start
	}
	for i := range end {
		if i >= len(rs.rows) {
			return n + end - i
		}
		n += len(rs.rows[i].Members)
	}
	return n
}

// At returns row i. It returns false if i is out of range.
func (rs *Rows) At(i int) (Row, bool) {
	if i = rs.index(i); i < 0 || i >= len(rs.rows) {
		return Row{}, false
	}
	return rs.rows[i], true
}

// Find returns the index of the row that contains the proposal, or -1 if the proposal is not loaded.
func (rs *Rows) Find(id proposals.ID) int {
	i := slices.IndexFunc(rs.rows, func(r Row) bool {
		return slices.ContainsFunc(r.Members, func(p proposals.Proposal) bool { return p.ID == id })
	})
	if i < 0 {
		return -1
	}
	return rs.index(i)
}

// Append adds ps to the list. cursor is the keyset cursor that was used to read ps, and next is the keyset
// cursor for the next read. If cursor is "", ps replace all proposals of the list. Otherwise, cursor must be
// the argument next of the previous call; if not, Append changes nothing and returns false. above is the
// number of rows that were added above the existing rows.
func (rs *Rows) Append(cursor string, ps []proposals.Proposal, next string) (above int, ok bool) {
	switch {
	case cursor == "":
		rs.read = nil
	case cursor != rs.Next:
		return 0, false
	}
	before := len(rs.rows)
	rs.read, rs.Next, rs.HasRead, rs.Loading = append(rs.read, ps...), next, true, false
	if rs.fold(); rs.Backward {
		return len(rs.rows) - before, true
	}
	return 0, true
}

// fold builds the rows. A folded change set appears at the position of its first member.
func (rs *Rows) fold() {
	var folded []Row
	at := map[string]int{} // index of the row of each change set
	for _, p := range rs.read {
		i, known := at[p.ChangeSet]
		if known && len(folded[i].Members) < maxMembers {
			folded[i].Members = append(folded[i].Members, p)
			continue
		}
		if p.ChangeSet != "" && !rs.Flat {
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

// Bracket returns the sign that connects row i to adjacent rows of the same change set. r is row i.
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
