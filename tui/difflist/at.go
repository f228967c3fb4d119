package difflist

import (
	"strings"
)

// At returns the field that a row is of, and the line of the new text that
// stands there, or the next one where the row has only a line that went; 0 for
// a heading and where nothing of the field is left.
func (l *List) At(row int, split bool) (path string, number int, ok bool) {
	a := l.arrangement(split)
	if row < 0 || row >= len(a.rows) {
		return "", 0, false
	}
	r := a.rows[row]
	switch r.kind {
	case blank, gap, note, title:
		return "", 0, false
	case remark:
		n := l.notes[r.a]
		return n.Path, n.Line, true
	case head:
		return l.fields[r.field].path, 0, true
	case line, pair, brief:
	}
	for i := row; i < len(a.rows) && a.rows[i].field == r.field && a.rows[i].hunk == r.hunk; i++ {
		if n := l.newNumber(a.rows[i]); n > 0 {
			return l.fields[r.field].path, n, true
		}
	}
	return l.fields[r.field].path, 0, true
}

func (l *List) arrangement(split bool) *arrangement {
	if split {
		return &l.split
	}
	return &l.unified
}

// holds reports whether a path leads to the field or into it.
func (f field) holds(path string) bool { return f.path == path || within(path, f.path) }

// within reports whether a path leads into a field.
func within(path, field string) bool {
	return strings.HasPrefix(path, field+".") || strings.HasPrefix(path, field+"[")
}

// Find returns the row, in the arrangement chosen, of a line of the new text of
// a field, or of the nearest row before it, or of the first changed field below
// path; false when nothing there has changed.
func (l *List) Find(path string, number int, split bool) (row int, ok bool) {
	a := l.arrangement(split)
	for i, r := range a.rows {
		if r.kind == blank || r.kind == title || !l.fields[r.field].holds(path) {
			continue
		}
		if n := l.newNumber(r); r.kind == head || r.kind == brief || n > 0 && n <= number {
			row, ok = i, true
		}
	}
	for i := 0; i < len(a.rows) && !ok; i++ {
		if r := a.rows[i]; r.kind == head || r.kind == brief {
			row, ok = i, within(l.fields[r.field].path, path)
		}
	}
	return row, ok
}

// newNumber returns the number in the new text of the line that a row shows, 0
// for none.
func (l *List) newNumber(r ref) int {
	lines := func(n int32) int {
		if n < 0 {
			return 0
		}
		return l.fields[r.field].hunks[r.hunk].Lines[n].New
	}
	switch r.kind {
	case line, brief:
		return lines(r.a)
	case pair:
		return lines(r.b)
	case blank, head, gap, note, title, remark:
	}
	return 0
}
