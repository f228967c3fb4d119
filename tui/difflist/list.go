// Package difflist lays out the differences between two definitions as rows. The rows are grouped by field and
// shown as a unified diff or side by side. Changed words are marked.
package difflist

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"toolcrib/history/diff"
	"toolcrib/internal/lists"
	"toolcrib/registry"
	"toolcrib/tui/draw"
	"toolcrib/tui/pager"
	"toolcrib/tui/theme"
)

// List contains the differences between two definitions. It can be drawn in any theme.
type List struct {
	fields  []field
	unified arrangement
	split   arrangement
	shown   *arrangement // the arrangement of the last call of Rows
	theme   theme.Theme
	digits  int
	names   int // maximum width of the name of a brief field, in cells
	notes   []Note
	files   []diff.File
	folded  bool
	whole   bool // also show the lines that need not be read
	uniform bool // all fields have the same kind of change
}

// field is a changed field.
type field struct {
	path           string
	change         diff.Change
	hunks          []diff.Hunk
	added, removed int
	note           string // reason why the lines need not be read; "" if they must be read
	plain          bool   // both sides have at most one line, so line numbers are omitted
	outside        bool   // the field is not part of the definition
}

// arrangement contains the rows of a list and its stops. The stops are the rows between which the user can
// step.
type arrangement struct {
	rows  []ref
	stops []int
	// bare and bareStops are the rows and stops before notes are inserted. place[i] is the index of bare[i] in
	// rows.
	bare      []ref
	bareStops []int
	place     []int
	noted     map[ref]bool // rows with notes
	read      int          // number of bare rows before the first unread row
}

type kind uint8

const (
	blank  kind = iota
	head        // heading of a field
	gap         // omitted unchanged lines
	line        // line a of a hunk
	pair        // lines a and b of a hunk side by side; -1 for a side without a line
	brief       // a field with a single line, drawn in one row with its name
	note        // remark that line a does not end with a newline
	title       // heading of fields that are not part of the definition
	remark      // the note with the index a
	count       // heading of the list of files, with their number
	file        // element a of the list of files
)

type ref struct {
	kind              kind
	field, hunk, a, b int32
}

// WholeText makes a list show whole texts. It is an argument for the parameter context of New.
const WholeText = -1

// DefaultContext is the usual number of unchanged lines around each change.
const DefaultContext = 3

// maxWordDiff is the maximum number of lines of a hunk with marks on its changed words. In longer hunks, words
// are not compared.
const maxWordDiff = 20_000

// New lays out the given fields with up to context unchanged lines around each change. It must not be called in
// the update loop, because its running time is proportional to the size of the texts.
func New(fields []diff.Field, context int) *List { return newList(fields, context, nameWidth) }

// NewNarrow is like New for a narrow pane. It shows a single unchanged line around each change.
func NewNarrow(fields []diff.Field) *List { return newList(fields, 1, narrowNameWidth) }

// nameWidth and narrowNameWidth are the maximum widths of a brief field's name, in cells.
const (
	nameWidth       = 22
	narrowNameWidth = 12
)

func newList(fields []diff.Field, context, names int) *List {
	l := &List{digits: 1, names: names}
	l.shown = &l.unified
	for _, f := range fields {
		patch := f.Patch()
		x := field{path: f.Path, change: f.Change, hunks: patch.Unified(context), outside: f.Beside}
		x.removed, x.added = patch.Changed()
		before, after := f.Lines()
		x.plain = strings.Count(strings.TrimSuffix(before, "\n")+strings.TrimSuffix(after, "\n"), "\n") == 0
		for i, h := range x.hunks {
			if len(h.Lines) <= maxWordDiff {
				x.hunks[i] = h.Words()
			}
			l.digits = max(l.digits, len(strconv.Itoa(max(h.OldStart+h.OldLines, h.NewStart+h.NewLines))))
		}
		l.fields = append(l.fields, x)
	}
	l.layOut()
	return l
}

// Collapse marks fields that need not be read. notes maps the paths of fields or files to the reasons. Unless
// full is set, the list shows only the heading and the reason of each marked field.
func (l *List) Collapse(notes map[string]string, full bool) *List {
	for i, f := range l.fields {
		l.fields[i].note = ""
		for path, note := range notes {
			if f.path == path || isPartOf(f.path, path) {
				l.fields[i].note = note
			}
		}
	}
	l.whole = full
	l.layOut()
	return l
}

// layOut builds both arrangements from the fields.
func (l *List) layOut() {
	l.unified, l.split = arrangement{}, arrangement{}
	l.uniform = !slices.ContainsFunc(l.fields, func(f field) bool { return f.change != l.fields[0].change })
	for i := range l.fields {
		l.arrange(int32(i))
	}
	for _, a := range []*arrangement{&l.unified, &l.split} {
		a.bare, a.bareStops = a.rows, a.stops
	}
	l.arrangeNotes()
}

// arrange adds the rows of field i to both arrangements.
func (l *List) arrange(i int32) {
	for _, a := range []*arrangement{&l.unified, &l.split} {
		if l.fields[i].outside && (i == 0 || !l.fields[i-1].outside) {
			a.blank()
			a.rows = append(a.rows, ref{kind: title, field: i})
		}
		if l.collapsed(i) {
			if i == 0 || !l.collapsed(i-1) {
				a.blank()
				a.stops = append(a.stops, len(a.rows))
			}
			a.rows = append(a.rows, ref{kind: head, field: i})
			continue
		}
		if l.brief(l.fields[i]) {
			if i == 0 || !l.brief(l.fields[i-1]) || l.fields[i].outside != l.fields[i-1].outside {
				a.blank()
				a.stops = append(a.stops, len(a.rows))
			}
			a.rows = append(a.rows, ref{kind: brief, field: i})
			continue
		}
		a.blank()
		a.stops = append(a.stops, len(a.rows))
		a.rows = append(a.rows, ref{kind: head, field: i})
	}
	if l.brief(l.fields[i]) || l.collapsed(i) {
		return
	}
	for h, hunk := range l.fields[i].hunks {
		if h > 0 {
			l.unified.rows = append(l.unified.rows, ref{kind: gap, field: i, hunk: int32(h)})
			l.split.rows = append(l.split.rows, ref{kind: gap, field: i, hunk: int32(h)})
		}
		l.unified.lines(i, int32(h), hunk)
		l.arrangeSplit(i, int32(h), hunk)
	}
}

// collapsed reports whether the list shows only the heading of field i.
func (l *List) collapsed(i int32) bool { return l.fields[i].note != "" && !l.whole }

// brief reports whether field f fits in a single row, next to its name. This is the case if f has a short name
// and only one line, and all fields of the list were added or all were removed.
func (l *List) brief(f field) bool {
	return l.uniform && f.note == "" && draw.Width(draw.Escape(f.path)) <= l.names && f.plain && f.change != diff.Modified && len(f.hunks) == 1 && len(f.hunks[0].Lines) == 1
}

// blank adds an empty row, except at the beginning of the list.
func (a *arrangement) blank() {
	if len(a.rows) > 0 {
		a.rows = append(a.rows, ref{kind: blank})
	}
}

// lines adds the lines of a hunk, one below the other.
func (a *arrangement) lines(i, h int32, hunk diff.Hunk) {
	before := diff.Context
	for n, x := range hunk.Lines {
		if x.Kind != diff.Context && before == diff.Context {
			a.stop()
		}
		before = x.Kind
		a.rows = append(a.rows, ref{kind: line, field: i, hunk: h, a: int32(n), b: -1})
		if removesNewline(hunk, n) {
			a.rows = append(a.rows, ref{kind: note, field: i, hunk: h, a: int32(n)})
		}
	}
}

// arrangeSplit adds the lines of a hunk, with removed lines on the left and added lines on the right. If the
// hunk contains only added or only removed lines, they take the whole width.
func (l *List) arrangeSplit(i, h int32, hunk diff.Hunk) {
	a := &l.split
	if !slices.ContainsFunc(hunk.Lines, func(x diff.Line) bool { return x.Kind == diff.Context || x.Kind != hunk.Lines[0].Kind }) {
		a.lines(i, h, hunk)
		return
	}
	within := false
	for _, r := range hunk.Rows() {
		changed := r.Left != r.Right
		if changed && !within {
			a.stop()
		}
		within = changed
		a.rows = append(a.rows, ref{kind: pair, field: i, hunk: h, a: int32(r.Left), b: int32(r.Right)})
		for _, n := range []int{r.Left, r.Right} {
			if changed && n >= 0 && removesNewline(hunk, n) {
				a.rows = append(a.rows, ref{kind: note, field: i, hunk: h, a: int32(n)})
			}
		}
	}
}

// stop makes the next row a stop, unless the heading of the field is a stop only a few rows above.
func (a *arrangement) stop() {
	at := len(a.rows)
	if last := len(a.stops) - 1; last >= 0 && at-a.stops[last] <= 1+DefaultContext && a.rows[a.stops[last]].kind == head {
		return
	}
	a.stops = append(a.stops, at)
}

// removesNewline reports whether the change removed the newline at the end of line n.
func removesNewline(h diff.Hunk, n int) bool {
	x := h.Lines[n]
	if x.Kind == diff.Context || !x.NoNewline {
		return false
	}
	return x.Pair >= 0 && !h.Lines[x.Pair].NoNewline
}

// Required returns the number of fields that must be read.
func (l *List) Required() int {
	n := 0
	for _, f := range l.fields {
		if f.note == "" {
			n++
		}
	}
	return n
}

// Changed returns the number of added and removed lines.
func (l *List) Changed() (added, removed int) {
	for _, f := range l.fields {
		added, removed = added+f.added, removed+f.removed
	}
	return added, removed
}

// Rows returns the rows of the list for the given theme, side by side if split is set. The row numbers in other
// methods refer to the rows that Rows last returned.
func (l *List) Rows(th theme.Theme, split bool) pager.Rows {
	l.theme, l.shown = th, &l.unified
	if split {
		l.shown = &l.split
	}
	return rows{l}
}

// SplitMinWidth is the minimum width, in cells, of a pane that shows diffs side by side by default.
const SplitMinWidth = 160

// Sources reads the original JSON of imported definitions.
type Sources interface {
	// Source returns the JSON that the definition was imported from, or nil if it was not imported.
	Source(ctx context.Context, definition registry.Definition) ([]byte, error)
}

// Compare returns the differences between two contents. If the definitions were imported, it also compares the
// JSON texts from which they were imported.
func Compare(ctx context.Context, desk Sources, before, after diff.Content) ([]diff.Field, error) {
	for _, side := range []*diff.Content{&before, &after} {
		source, err := desk.Source(ctx, side.Definition)
		if err != nil {
			return nil, err
		}
		side.Source = source
	}
	return diff.Contents(before, after), nil
}

// The code below draws the list of changed files above the differences.

// minFiles is the minimum number of files in the list of changed files.
const minFiles = 2

// ListFiles adds a list of the changed files above the differences. It does nothing if there are fewer than
// minFiles files.
func (l *List) ListFiles(files []diff.File) *List {
	if len(files) >= minFiles {
		l.files = files
		l.arrangeNotes()
	}
	return l
}

// FileAt returns the row of the first difference in a file. The argument is the row that lists the file. FileAt
// returns false if that row does not list a file.
func (l *List) FileAt(row int) (at int, ok bool) {
	a := l.shown
	if row < 0 || row >= len(a.rows) || a.rows[row].kind != file {
		return 0, false
	}
	for _, path := range l.files[a.rows[row].a].Fields() {
		if at, ok := l.Find(path, 0); ok {
			return at, true
		}
	}
	return 0, false
}

// file draws a row of the list of files, or the row with the number of files.
func (r rows) file(x ref) pager.Row {
	th := r.theme
	if x.kind == count {
		words := lists.Map(r.files, diff.File.Word)
		return pager.Row{Cells: []pager.Cell{{Gutter: draw.Of(th.Title, " "+draw.Escape(diff.CountFiles(words)))}}}
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
	gutter := draw.Of(style, "   "+draw.Pad(draw.Escape(f.Word()), 9))
	text := f.Name()
	if f.Added+f.Removed > 0 {
		changes := draw.Changes(theme.Theme{}, f.Added, f.Removed)
		text += "  " + changes.String(changes.Width())
	}
	if len(f.Notes) > 0 {
		text += "  " + strings.Join(f.Notes, ", ")
	}
	return pager.Row{Cells: []pager.Cell{{
		Gutter: gutter, Hang: draw.Of("", draw.Safe(draw.Blank(gutter.Width()))),
		Text: draw.Text{Raw: text, Base: th.Text, Hidden: th.Hidden, Faint: th.Faint}, NoScroll: true,
	}}}
}

// FileRow is the inverse of FileAt. It returns the row that lists the file to which the given row belongs. If
// the row belongs to no file, FileRow returns the row of the first file. It returns false if no files are
// listed.
func (l *List) FileRow(row int) (at int, ok bool) {
	if len(l.files) == 0 {
		return 0, false
	}
	path, _, _ := l.NewPosition(row)
	for i, f := range l.files {
		if slices.ContainsFunc(f.Fields(), func(field string) bool { return field == path || isPartOf(path, field) }) {
			return 1 + i, true
		}
	}
	return 1, true
}
