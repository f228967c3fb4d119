package diff

import (
	"strings"
)

// Merge is two changes of one text brought together.
type Merge struct {
	// Text has every change that is not in conflict. Where the two conflict it
	// has the lines of ours.
	Text      string
	Conflicts []Conflict
}

// Conflict is a passage that both sides changed, each in its own way.
type Conflict struct {
	Base, Ours, Theirs Side
	// Merged is where the lines of ours stand in the merged text.
	Merged Range
}

// Side is the part of one text in a conflict.
type Side struct {
	Lines Range
	Text  string // these lines, each with its "\n"
}

// Merge3 merges the changes that lead from base to ours and from base to
// theirs, as diff3 does (Khanna, Kunal and Pierce, "A Formal Investigation of
// Diff3", FSTTCS 2007): lines of base that both sides kept separate the
// changes; between two such lines, a change of one side is taken, the same
// change of both sides is taken once, and two different changes are a conflict.
// Changes that touch without overlapping are in conflict too.
func Merge3(base, ours, theirs string) Merge {
	o, t := Lines(base, ours), Lines(base, theirs)
	m := merger{base: o.old, ours: side{p: o}, theirs: side{p: t}}
	for m.next() {
	}
	m.take(Range{m.done, m.base.len()}, m.base)
	return Merge{Text: m.out.String(), Conflicts: m.conflicts}
}

// merger walks through both patches at once.
type merger struct {
	base         text
	ours, theirs side
	done         int // lines of base
	out          strings.Builder
	lines        int // in out
	conflicts    []Conflict
}

// side is one of the two patches.
type side struct {
	p    *Patch
	at   int // the next edit
	from int
	by   int // how many lines its text is ahead of base before that edit
}

// next merges the next piece of base that is changed, and returns false when
// there is none.
func (m *merger) next() bool {
	piece, ok := m.piece()
	if !ok {
		return false
	}
	m.take(Range{m.done, piece.Start}, m.base)
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
	m.done = piece.End
	return true
}

// take appends lines of t to the result.
func (m *merger) take(r Range, t text) {
	m.out.WriteString(t.slice(r))
	m.lines += r.Len()
}

// piece returns the lines of base that the next edits cover: those of one side
// and all of either side that overlap or touch them.
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

// edit returns edit i.
func (s *side) edit(i int) (Edit, bool) {
	if i >= len(s.p.edits) {
		return Edit{}, false
	}
	return s.p.edits[i], true
}

// reaches takes the next edit into the piece if it touches it.
func (s *side) reaches(piece *Range) bool {
	e, ok := s.edit(s.at)
	if !ok || e.Old.Start > piece.End {
		return false
	}
	piece.End = max(piece.End, e.Old.End)
	s.at++
	return true
}

// idle reports whether s changed nothing in the current piece.
func (s *side) idle() bool { return s.from == s.at }

// pass returns the lines that s has for the piece of base.
func (s *side) pass(piece Range) Range {
	start := piece.Start + s.by
	for _, e := range s.p.edits[s.from:s.at] {
		s.by += e.New.Len() - e.Old.Len()
	}
	return Range{start, piece.End + s.by}
}

// markerLength sets how long a conflict marker is unless the text itself has
// lines that begin like one.
const markerLength = 7

// Labels name the three sides behind the conflict markers.
type Labels struct {
	Base, Ours, Theirs string
}

// Marked returns the merged text with all three sides of each conflict between
// markers, in the form that diff3 -m and git write:
//
//	<<<<<<< ours
//	||||||| base
//	=======
//	>>>>>>> theirs
//
// The markers are longer where the text has lines that begin like them, so
// they cannot be mistaken or forged. A side that does not end in "\n" gets
// one.
func (m Merge) Marked(names Labels) string {
	t := split(m.Text)
	n := m.markerLength()
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

// markerLength returns a length no line of any side begins with.
func (m Merge) markerLength() int {
	n := markerLength
	look := func(s string) {
		for line := range strings.Lines(s) {
			for _, sign := range "<|=>" {
				if run := len(line) - len(strings.TrimLeft(line, string(sign))); run >= n {
					n = run + 1
				}
			}
		}
	}
	look(m.Text)
	for _, c := range m.Conflicts {
		look(c.Base.Text)
		look(c.Theirs.Text)
	}
	return n
}

// Choice is which side of a conflict is taken.
type Choice int

// The choices.
const (
	Undecided Choice = iota
	TakeOurs
	TakeTheirs
)

// Taken returns the merge with the sides of its conflicts that were chosen, one
// choice for each conflict. Those that are undecided, or have no choice, remain.
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
