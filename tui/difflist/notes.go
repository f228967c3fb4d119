// This file puts notes below their lines, and finds the lines that were not on screen.

package difflist

import (
	"fmt"
	"slices"
	"strings"

	"toolcrib/history/diff"
	"toolcrib/tui/draw"
	"toolcrib/tui/pager"
	"toolcrib/tui/theme"
)

// Note is a finding or a comment below a line.
type Note struct {
	Path    string // path of a field or of a part of it
	Line    int    // line of the new text; 0 for the whole field
	Passage string // passage in a part of a field, whose lines are numbered differently
	Style   func(theme.Theme) theme.Style
	Sign    draw.Safe // such as "■ S109" or "mara"
	Text    string
	Of      int // the caller's id
}

// SetNotes puts notes below their lines. Notes about unchanged lines are not shown.
func (l *List) SetNotes(notes []Note) {
	if slices.EqualFunc(l.notes, notes, func(a, b Note) bool {
		return a.Path == b.Path && a.Line == b.Line && a.Passage == b.Passage && a.Sign == b.Sign && a.Text == b.Text && a.Of == b.Of
	}) {
		return
	}
	l.notes = notes
	l.arrangeNotes()
}

// FoldNotes replaces the notes by stars at their lines, or shows them again.
func (l *List) FoldNotes(folded bool) {
	l.folded = folded
	l.arrangeNotes()
}

// NoteAt returns the note in a row.
func (l *List) NoteAt(row int) (Note, bool) {
	a := l.shown
	if row < 0 || row >= len(a.rows) || a.rows[row].kind != remark {
		return Note{}, false
	}
	return l.notes[a.rows[row].a], true
}

// arrangeNotes inserts the notes into the rows.
func (l *List) arrangeNotes() {
	for _, a := range []*arrangement{&l.unified, &l.split} {
		under := map[int][]int32{}
		a.noted = map[ref]bool{}
		for n, note := range l.notes {
			if row, ok := l.noteRow(a, note); ok {
				under[row] = append(under[row], int32(n))
				a.noted[a.bare[row]] = true
			}
		}
		if l.folded {
			under = nil
		}
		a.place = a.place[:0]
		a.rows = make([]ref, 0, len(a.bare)+len(l.notes))
		a.stops = make([]int, 0, len(a.bareStops)+len(l.notes))
		if len(l.files) > 0 {
			a.rows = append(a.rows, ref{kind: count})
			for i := range l.files {
				a.stops = append(a.stops, len(a.rows))
				a.rows = append(a.rows, ref{kind: file, a: int32(i)})
			}
			a.rows = append(a.rows, ref{kind: blank})
		}
		next := 0
		for i, r := range a.bare {
			a.place = append(a.place, len(a.rows))
			if next < len(a.bareStops) && a.bareStops[next] == i {
				a.stops, next = append(a.stops, len(a.rows)), next+1
			}
			a.rows = append(a.rows, r)
			for _, n := range under[i] {
				a.stops = append(a.stops, len(a.rows))
				a.rows = append(a.rows, ref{kind: remark, field: r.field, hunk: r.hunk, a: n})
			}
		}
	}
}

// noteRow returns the bare row of a note: its line, or else the nearest preceding line in the field. A note about
// several fields belongs to the first changed one.
func (l *List) noteRow(a *arrangement, n Note) (row int, ok bool) {
	for i, r := range a.bare {
		if r.kind == blank || r.kind == title || !l.fields[r.field].contains(n.Path) {
			continue
		}
		number := l.newNumber(r)
		inPart := n.Path != l.fields[r.field].path
		if inPart && number > 0 && l.contains(r, n.Passage) {
			return i, true
		}
		if r.kind == head || r.kind == brief || !inPart && number > 0 && number <= n.Line {
			row, ok = i, true
		}
	}
	for i := 0; i < len(a.bare) && !ok; i++ {
		if r := a.bare[i]; r.kind == head || r.kind == brief {
			row, ok = i, isPartOf(l.fields[r.field].path, n.Path)
		}
	}
	return row, ok
}

// contains reports whether the new line of a row contains the first line of a passage.
func (l *List) contains(r ref, passage string) bool {
	first, _, _ := strings.Cut(passage, "\n")
	n := r.a
	if r.kind == pair {
		n = r.b
	}
	if first == "" || n < 0 {
		return false
	}
	x := l.fields[r.field].hunks[r.hunk].Lines[n]
	return x.Kind != diff.Delete && strings.Contains(x.Text, first)
}

// HasAllLines reports whether there are changed fields and all of them have changed lines.
func (l *List) HasAllLines() bool {
	return len(l.fields) > 0 && !slices.ContainsFunc(l.fields, func(f field) bool { return f.added+f.removed == 0 })
}

// Unseen returns the changed fields that were not completely on p's screen, with the missing lines.
func (l *List) Unseen(p *pager.Pager) []string {
	var names []string
	for i, f := range l.fields {
		if f.note != "" {
			continue
		}
		first, last, missing := 0, 0, 0
		for _, h := range f.hunks {
			for _, x := range h.Lines {
				if x.Kind == diff.Context || p.Seen(track(int32(i), x), len(x.Text)) {
					continue
				}
				if missing++; missing == 1 {
					first = x.Old + x.New
				}
				last = x.Old + x.New
			}
		}
		switch {
		case missing == 0:
		case missing == f.added+f.removed:
			names = append(names, diff.Label(f.path))
		case first == last:
			names = append(names, fmt.Sprintf("%s (line %d)", diff.Label(f.path), first))
		default:
			names = append(names, fmt.Sprintf("%s (%d lines from line %d)", diff.Label(f.path), missing, first))
		}
	}
	return names
}

// FirstUnseen returns the first row with a change that was not on p's screen, or false if there is none. It does not
// check read rows again, so p must always be the same pager.
func (l *List) FirstUnseen(p *pager.Pager) (row int, ok bool) {
	a := l.shown
	for ; a.read < len(a.bare); a.read++ {
		r := a.bare[a.read]
		if r.kind != line && r.kind != pair && r.kind != brief || l.fields[r.field].note != "" {
			continue
		}
		for side, n := range []int32{r.a, r.b} {
			if n < 0 || side > 0 && r.kind != pair {
				continue
			}
			x := l.fields[r.field].hunks[r.hunk].Lines[n]
			if x.Kind != diff.Context && !p.Seen(track(r.field, x), len(x.Text)) {
				return a.place[a.read], true
			}
		}
	}
	return 0, false
}
