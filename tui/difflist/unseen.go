package difflist

import (
	"fmt"

	"toolcrib/history/diff"
	"toolcrib/tui/pager"
)

// Unseen names the changed fields of which something has not been on the
// screen of p, with the lines that are missing.
func (l *List) Unseen(p *pager.Pager) []string {
	var names []string
	for i, f := range l.fields {
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
			names = append(names, f.path)
		case first == last:
			names = append(names, fmt.Sprintf("%s (line %d)", f.path, first))
		default:
			names = append(names, fmt.Sprintf("%s (%d lines from line %d)", f.path, missing, first))
		}
	}
	return names
}

// FirstUnseen returns the first row, not before row from, with a change that
// has not been on the screen of p; false when all have. It counts the rows without
// notes, which come and go; Placed returns where such a row is.
func (l *List) FirstUnseen(p *pager.Pager, split bool, from int) (row int, ok bool) {
	a := l.arrangement(split)
	for i := from; i < len(a.bare); i++ {
		r := a.bare[i]
		if r.kind != line && r.kind != pair && r.kind != brief {
			continue
		}
		for side, n := range []int32{r.a, r.b} {
			if n < 0 || side > 0 && r.kind != pair {
				continue
			}
			x := l.fields[r.field].hunks[r.hunk].Lines[n]
			if x.Kind != diff.Context && !p.Seen(track(r.field, x), len(x.Text)) {
				return i, true
			}
		}
	}
	return len(a.bare), false
}

// Placed returns where a row that FirstUnseen returned is among all rows.
func (l *List) Placed(row int, split bool) int { return l.arrangement(split).place[row] }
