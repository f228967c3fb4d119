package difflist

// At returns the field that a row is of, and the line of the new text that
// stands there, or the next one where the row has only a line that went; 0 for
// a heading and where nothing of the field is left.
func (l *List) At(row int, split bool) (path string, number int, ok bool) {
	a := &l.unified
	if split {
		a = &l.split
	}
	if row < 0 || row >= len(a.rows) {
		return "", 0, false
	}
	r := a.rows[row]
	switch r.kind {
	case blank, gap, note:
		return "", 0, false
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
