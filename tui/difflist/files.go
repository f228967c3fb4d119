// The list of changed files above the differences.

package difflist

import (
	"slices"
	"strconv"
	"strings"

	"toolcrib/history/diff"
	"toolcrib/internal/lists"
	"toolcrib/tui/draw"
	"toolcrib/tui/pager"
)

// fewestFiles is the minimum number of files for a list.
const fewestFiles = 2

// ListFiles adds a list of the changed files above the differences.
func (l *List) ListFiles(files []diff.File) *List {
	if len(files) >= fewestFiles {
		l.files = files
		l.arrangeNotes()
	}
	return l
}

// FileAt returns the row of the first difference in the file that row lists. It returns false if the row lists no
// file.
func (l *List) FileAt(row int, split bool) (at int, ok bool) {
	a := l.arrangement(split)
	if row < 0 || row >= len(a.rows) || a.rows[row].kind != file {
		return 0, false
	}
	f := l.files[a.rows[row].a]
	for _, path := range f.Fields() {
		if at, ok := l.Find(path, 0, split); ok {
			return at, true
		}
	}
	return 0, false
}

// listFiles adds the list of n files, each a stop.
func (a *arrangement) listFiles(n int) {
	if n == 0 {
		return
	}
	a.rows = append(a.rows, ref{kind: count})
	for i := range n {
		a.stops = append(a.stops, len(a.rows))
		a.rows = append(a.rows, ref{kind: file, a: int32(i)})
	}
	a.rows = append(a.rows, ref{kind: blank})
}

// file draws a file of the list, or the number of files.
func (r rows) file(x ref) pager.Row {
	th := r.theme
	if x.kind == count {
		words := lists.Map(r.files, diff.File.Word)
		return pager.Row{Cells: []pager.Cell{{Gutter: draw.Of(th.Title, " "+draw.Show(diff.CountFiles(words)))}}}
	}
	f := r.files[x.a]
	style := th.Text
	switch f.Change {
	case diff.Added:
		style = th.Good
	case diff.Removed:
		style = th.Bad
	case diff.Modified:
	}
	gutter := draw.Of(style, "   "+draw.Pad(draw.Show(f.Word()), 9))
	text := f.Name()
	if f.Added+f.Removed > 0 {
		text += "  +" + strconv.Itoa(f.Added) + " −" + strconv.Itoa(f.Removed)
	}
	if len(f.Notes) > 0 {
		text += "  " + strings.Join(f.Notes, ", ")
	}
	return pager.Row{Cells: []pager.Cell{{
		Gutter: gutter, Hang: draw.Of("", draw.Safe(draw.Blank(gutter.Width()))),
		Text: draw.Text{Raw: text, Base: th.Text, Hidden: th.Hidden, Faint: th.Faint}, Still: true,
	}}}
}

// FileRow returns the row that lists the file of another row, or the first file if that row belongs to none. It
// returns false if no files are listed.
func (l *List) FileRow(row int, split bool) (at int, ok bool) {
	if len(l.files) == 0 {
		return 0, false
	}
	path, _, _ := l.At(row, split)
	for i, f := range l.files {
		if slices.ContainsFunc(f.Fields(), func(field string) bool { return field == path || within(path, field) }) {
			return 1 + i, true
		}
	}
	return 1, true
}
