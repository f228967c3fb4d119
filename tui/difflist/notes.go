// This file inserts notes below lines of the diff, and finds changes that have not been on screen.

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

// Note is a finding or a comment that is drawn below a line.
type Note struct {
	Path    string // path of a field, or of a value inside a field
	Line    int    // line number in the new text; 0 for the whole field
	Passage string // text to search for in the field; used if Path is a value inside a field, where Line counts from the beginning of the value
	Style   func(theme.Theme) theme.Style
	Sign    draw.Safe // for example "■ S109" or "mara"
	Text    string
	Of      int // index of the note for the caller
}

// SetNotes inserts each note below its line. If the list does not show the line, SetNotes inserts the note below
// the nearest preceding line of the field. Notes on unchanged fields are not shown.
func (l *List) SetNotes(notes []Note) {
	if slices.EqualFunc(l.notes, notes, func(a, b Note) bool {
		return a.Path == b.Path && a.Line == b.Line && a.Passage == b.Passage && a.Sign == b.Sign && a.Text == b.Text && a.Of == b.Of
	}) {
		return
	}
	l.notes = notes
	l.arrangeNotes()
}

// FoldNotes hides the notes if folded is set, and marks their lines with a star. Otherwise, it shows the notes.
func (l *List) FoldNotes(folded bool) {
	l.folded = folded
	l.arrangeNotes()
}

// NoteAt returns the note in the given row. It returns false if the row contains no note.
func (l *List) NoteAt(row int) (Note, bool) {
	a := l.shown
	if row < 0 || row >= len(a.rows) || a.rows[row].kind != remark {
		return Note{}, false
	}
	return l.notes[a.rows[row].a], true
}

// arrangeNotes builds the rows and stops from the bare rows, the notes, and the list of files.
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

// noteRow returns the bare row below which note n is inserted. This is the row of the note's line, or the
// nearest preceding row in the field. If the note is about several fields, noteRow returns the row of the first
// changed field.
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

// contains reports whether row r shows a line of the new text that contains the first line of passage.
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

// HasAllLines reports whether the list has at least one field, and every field has added or removed lines.
func (l *List) HasAllLines() bool {
	return len(l.fields) > 0 && !slices.ContainsFunc(l.fields, func(f field) bool { return f.added+f.removed == 0 })
}

// Unseen returns the names of the fields with changed lines that p has not shown. If p has shown only some
// changed lines of a field, the position of the missing lines follows the name.
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

// FirstUnseen returns the first row with a change that p has not shown. It returns false if p has shown all
// changes. Each call continues where the previous call stopped, so p must always be the same pager.
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
