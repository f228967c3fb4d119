// This file merges two changes of the same text.

package diff

import (
	"strings"
)

// Merge is the result of merging two changes of the same text.
type Merge struct {
	// Text contains all changes that do not conflict. For each conflict, it contains the lines of ours.
	Text      string
	Conflicts []Conflict
}

// Conflict is a passage of the base that both sides changed in different ways.
type Conflict struct {
	Base, Ours, Theirs Side
	// Merged is the range of lines in Merge.Text that contains the lines of ours.
	Merged Range
}

// Side is the part of one of the three texts that belongs to a conflict.
type Side struct {
	Lines Range
	Text  string // the lines, including their line feeds
}

// Merge3 merges the changes from base to ours with the changes from base to theirs, like
// diff3 (Khanna, Kunal and Pierce, "A Formal Investigation of Diff3", FSTTCS 2007). Lines
// of base that neither side changed separate the changes. Between two such lines, a change
// by one side is applied, and equal changes by both sides are applied once. Different
// changes by both sides are a conflict, even if they are only adjacent.
func Merge3(base, ours, theirs string) Merge {
	o, t := Lines(base, ours), Lines(base, theirs)
	m := merger{base: o.old, ours: side{p: o}, theirs: side{p: t}}
	done := 0 // number of lines of base that have been merged
	for piece, ok := m.piece(); ok; piece, ok = m.piece() {
		m.take(Range{done, piece.Start}, m.base)
		ours, theirs := m.ours.pass(piece), m.theirs.pass(piece)
		o, t := m.ours.p.new.slice(ours), m.theirs.p.new.slice(theirs)
		switch {
		case m.ours.idle():
			m.take(theirs, m.theirs.p.new)
		case m.theirs.idle(), o == t:
			m.take(ours, m.ours.p.new)
		default:
			m.conflicts = append(m.conflicts, Conflict{
				Base:   Side{piece, m.base.slice(piece)},
				Ours:   Side{ours, o},
				Theirs: Side{theirs, t},
				Merged: Range{m.lines, m.lines + ours.Len()},
			})
			m.take(ours, m.ours.p.new)
		}
		done = piece.End
	}
	m.take(Range{done, m.base.len()}, m.base)
	return Merge{Text: m.out.String(), Conflicts: m.conflicts}
}

// merger is the state of Merge3. It iterates over the edits of both patches.
type merger struct {
	base         text
	ours, theirs side
	out          strings.Builder
	lines        int // number of lines in out
	conflicts    []Conflict
}

// side is the patch of ours or theirs, and the position of Merge3 in it.
type side struct {
	p    *Patch
	at   int // index of the first edit after the current piece
	from int // index of the first edit in the current piece
	by   int // line offset between base and the new text, just before the edit with index from
}

// take appends lines of t to the result.
func (m *merger) take(r Range, t text) {
	m.out.WriteString(t.slice(r))
	m.lines += r.Len()
}

// piece returns the next range of changed lines of base. The range covers the next edit, and all edits of both sides
// that overlap or touch the range.
func (m *merger) piece() (Range, bool) {
	o, okO := m.ours.edit(m.ours.at)
	t, okT := m.theirs.edit(m.theirs.at)
	if !okO && !okT {
		return Range{}, false
	}
	piece := o.Old
	if !okO || okT && t.Old.Start < o.Old.Start {
		piece = t.Old
	}
	m.ours.from, m.theirs.from = m.ours.at, m.theirs.at
	for {
		switch {
		case m.ours.reaches(&piece):
		case m.theirs.reaches(&piece):
		default:
			return piece, true
		}
	}
}

// edit returns the edit with index i. It returns false if i is out of range.
func (s *side) edit(i int) (Edit, bool) {
	if i >= len(s.p.edits) {
		return Edit{}, false
	}
	return s.p.edits[i], true
}

// reaches reports whether the next edit of s overlaps or touches piece. If so, it extends piece to include the edit.
func (s *side) reaches(piece *Range) bool {
	e, ok := s.edit(s.at)
	if !ok || e.Old.Start > piece.End {
		return false
	}
	piece.End = max(piece.End, e.Old.End)
	s.at++
	return true
}

// idle reports whether the current piece contains no edits of s.
func (s *side) idle() bool { return s.from == s.at }

// pass returns the range of lines in the new text of s that replaces piece. It also advances s.by.
func (s *side) pass(piece Range) Range {
	start := piece.Start + s.by
	for _, e := range s.p.edits[s.from:s.at] {
		s.by += e.New.Len() - e.Old.Len()
	}
	return Range{start, piece.End + s.by}
}

// markerLength is the length of conflict markers. If a line of the text begins with at least markerLength equal marker
// characters, the markers are longer.
const markerLength = 7

// Labels are the names of the three texts in conflict markers.
type Labels struct {
	Base, Ours, Theirs string
}

// Marked returns the merged text. For each conflict, the text contains all three sides between markers, in the format
// of diff3 -m and git:
//
//	<<<<<<< ours
//	||||||| base
//	=======
//	>>>>>>> theirs
//
// If a line of the text could be mistaken for a marker, all markers are longer. Marked adds a line feed to a side that
// does not end in a line feed.
func (m Merge) Marked(names Labels) string {
	t := split(m.Text)
	n := markerLength
	avoid := func(s string) { // makes the markers longer than any similar run at the beginning of a line
		for line := range strings.Lines(s) {
			for _, sign := range "<|=>" {
				if run := len(line) - len(strings.TrimLeft(line, string(sign))); run >= n {
					n = run + 1
				}
			}
		}
	}
	avoid(m.Text)
	for _, c := range m.Conflicts {
		avoid(c.Base.Text)
		avoid(c.Theirs.Text)
	}
	var b strings.Builder
	mark := func(sign, name string) {
		b.WriteString(strings.Repeat(sign, n))
		if name != "" {
			b.WriteString(" " + name)
		}
		b.WriteByte('\n')
	}
	lines := func(s string) {
		b.WriteString(s)
		if s != "" && !strings.HasSuffix(s, "\n") {
			b.WriteByte('\n')
		}
	}
	done := 0
	for _, c := range m.Conflicts {
		b.WriteString(t.slice(Range{done, c.Merged.Start}))
		mark("<", names.Ours)
		lines(c.Ours.Text)
		mark("|", names.Base)
		lines(c.Base.Text)
		mark("=", "")
		lines(c.Theirs.Text)
		mark(">", names.Theirs)
		done = c.Merged.End
	}
	b.WriteString(t.slice(Range{done, t.len()}))
	return b.String()
}

// Choice selects a side of a conflict.
type Choice int

// The choices.
const (
	Undecided Choice = iota
	TakeOurs
	TakeTheirs
)

// Taken resolves conflicts of m and returns the result. choices[i] applies to conflict i. A conflict remains if its
// choice is Undecided or missing.
func (m Merge) Taken(choices []Choice) Merge {
	t := split(m.Text)
	var b strings.Builder
	out, done, shift := Merge{}, 0, 0
	for i, c := range m.Conflicts {
		b.WriteString(t.slice(Range{done, c.Merged.Start}))
		done = c.Merged.End
		choice := Undecided
		if i < len(choices) {
			choice = choices[i]
		}
		switch choice {
		case Undecided:
			c.Merged = Range{c.Merged.Start + shift, c.Merged.End + shift}
			out.Conflicts = append(out.Conflicts, c)
			b.WriteString(c.Ours.Text)
		case TakeOurs:
			b.WriteString(c.Ours.Text)
		case TakeTheirs:
			b.WriteString(c.Theirs.Text)
			shift += c.Theirs.Lines.Len() - c.Ours.Lines.Len()
		}
	}
	b.WriteString(t.slice(Range{done, t.len()}))
	out.Text = b.String()
	return out
}
