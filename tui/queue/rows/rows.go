// Package rows contains the rows of a list of proposals that is loaded in chunks. The members of a change set are
// folded into one row.
package rows

import (
	"iter"
	"slices"

	"toolcrib/proposals"
	"toolcrib/tui/draw"
)

// Chunk is the number of proposals in one read.
const Chunk = 100

// maxMembers is the maximum number of proposals in one row. A larger set takes several rows, so that one screen of
// rows never needs the whole list.
const maxMembers = 10 * Chunk

// Row is a row of the list: a proposal, or the members of a folded change set.
type Row struct{ Members []proposals.Proposal }

// First returns the first proposal of the row.
func (r Row) First() proposals.Proposal { return r.Members[0] }

// Folded reports whether the row represents several proposals.
func (r Row) Folded() bool { return len(r.Members) > 1 }

// Rows are the loaded rows of a list that is read from its beginning or from its end.
type Rows struct {
	Backward bool   // read from the end
	Flat     bool   // change sets are not folded
	HasRead  bool   // a read has completed
	Loading  bool   // a read is running
	Next     string // keyset cursor of the next read; "" at the end

	read     []proposals.Proposal // in the order of reading
	rows     []Row                // in the order of reading
	unfolded map[string]bool      // change sets that the user has unfolded
}

// New returns empty rows.
func New() Rows { return Rows{unfolded: map[string]bool{}} }

// Restarted returns empty rows for a new read, with the same change sets unfolded.
func (rs *Rows) Restarted(backward, listed bool) Rows {
	return Rows{Loading: true, Backward: backward, Flat: listed, unfolded: rs.unfolded}
}

// All returns an iterator over the loaded proposals.
func (rs *Rows) All() iter.Seq[proposals.Proposal] { return slices.Values(rs.read) }

// Fold toggles whether a change set is folded.
func (rs *Rows) Fold(set string) {
	rs.unfolded[set] = !rs.unfolded[set]
	rs.fold()
}

// Total returns the number of rows.
func (rs *Rows) Total() int { return len(rs.rows) }

// Loaded returns the number of loaded proposals.
func (rs *Rows) Loaded() int { return len(rs.read) }

// Complete reports whether the list has been loaded completely.
func (rs *Rows) Complete() bool { return rs.HasRead && rs.Next == "" }

// index converts an index on screen to an index in rows, or back.
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

// LoadCount returns the number of proposals to load for the rows from up to but excluding to.
func (rs *Rows) LoadCount(from, to int) (n int) {
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

// At returns row i, or false if i is out of range.
func (rs *Rows) At(i int) (Row, bool) {
	if i = rs.index(i); i < 0 || i >= len(rs.rows) {
		return Row{}, false
	}
	return rs.rows[i], true
}

// Find returns the row of a proposal, or -1 if it is not loaded.
func (rs *Rows) Find(id proposals.ID) int {
	i := slices.IndexFunc(rs.rows, func(r Row) bool {
		return slices.ContainsFunc(r.Members, func(p proposals.Proposal) bool { return p.ID == id })
	})
	if i < 0 {
		return -1
	}
	return rs.index(i)
}

// Append adds the proposals that were read after the cursor after, or replaces all rows if after is "". It returns
// false and changes nothing if the result does not continue the list. above is the number of rows added above the
// existing ones.
func (rs *Rows) Append(after string, ps []proposals.Proposal, next string) (above int, ok bool) {
	switch {
	case after == "":
		rs.read = nil
	case after != rs.Next:
		return 0, false
	}
	before := len(rs.rows)
	rs.read, rs.Next, rs.HasRead, rs.Loading = append(rs.read, ps...), next, true, false
	if rs.fold(); rs.Backward {
		return len(rs.rows) - before, true
	}
	return 0, true
}

// fold builds the rows. A change set is at the position of its first member.
func (rs *Rows) fold() {
	var folded []Row
	at := map[string]int{} // row of each set
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

// Bracket returns the sign that connects row i to adjacent members of the same change set.
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
