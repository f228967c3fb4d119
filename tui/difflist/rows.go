// This file draws the rows of a list, and converts rows to positions in the compared texts and back.

package difflist

import (
	"fmt"
	"strconv"
	"strings"

	"toolcrib/history/diff"
	"toolcrib/tui/draw"
	"toolcrib/tui/pager"
	"toolcrib/tui/theme"
)

// rows implements pager.Rows for the arrangement that is shown.
type rows struct{ *List }

// Len implements pager.Rows.
func (r rows) Len() int { return len(r.shown.rows) }

// Stops implements pager.Rows.
func (r rows) Stops() []int { return r.shown.stops }

// Row implements pager.Rows.
func (r rows) Row(i int) pager.Row {
	x := r.shown.rows[i]
	switch x.kind {
	case head:
		return r.head(x)
	case gap:
		before, after := r.fields[x.field].hunks[x.hunk-1], r.fields[x.field].hunks[x.hunk]
		lines := " unchanged lines"
		n := after.NewStart - before.NewStart - before.NewLines
		if n == 1 {
			lines = " unchanged line"
		}
		return pager.Row{Cells: []pager.Cell{{Gutter: draw.Of(r.theme.Faint, draw.Escapef("%s⋯ %d%s", draw.Blank(2*r.digits+3), n, lines))}}}
	case brief:
		return r.brief(x)
	case note:
		return pager.Row{Cells: []pager.Cell{{Gutter: draw.Of(r.theme.Warn, draw.Safe(draw.Blank(2*r.digits+5))+"⌁ no newline at the end of the line above")}}}
	case line:
		return pager.Row{Cells: []pager.Cell{r.cell(x, x.a, unified)}}
	case pair:
		return pager.Row{Cells: []pager.Cell{r.cell(x, x.a, left), r.cell(x, x.b, right)}}
	case title:
		return pager.Row{Cells: []pager.Cell{{Gutter: draw.Of(r.theme.Title, " "+draw.Safe(diff.BesideHeading))}}}
	case remark:
		n, th := r.notes[x.a], r.theme
		sign := draw.Of(th.Rule, draw.Safe(draw.Blank(2*r.digits+3))+"└ ").Add(n.Style(th), n.Sign+" ")
		return pager.Row{Cells: []pager.Cell{{
			Gutter: sign, Hang: draw.Of("", draw.Safe(draw.Blank(sign.Width()))),
			Text: draw.Text{Raw: n.Text, Base: th.Text, Hidden: th.Hidden, Faint: th.Faint}, NoScroll: true,
		}}}
	case count, file:
		return r.file(x)
	case blank:
	}
	return pager.Row{Cells: []pager.Cell{{}}}
}

// HasText implements pager.Searchable.
func (r rows) HasText(i int, holds func(string) bool) bool {
	x := r.shown.rows[i]
	has := func(n int32) bool { return n >= 0 && holds(r.fields[x.field].hunks[x.hunk].Lines[n].Text) }
	switch x.kind {
	case brief:
		return has(0)
	case line:
		return has(x.a)
	case pair:
		return has(x.a) || has(x.b)
	case remark:
		return holds(string(r.notes[x.a].Sign) + " " + r.notes[x.a].Text)
	case file:
		return holds(r.files[x.a].Name())
	case head, gap, note, blank, title, count:
	}
	return false
}

func (r rows) head(x ref) pager.Row {
	f := r.fields[x.field]
	th := r.theme
	l := draw.Of(th.Field, " ◆ "+draw.Escape(diff.Label(f.path))).Add(th.Faint, "  "+draw.Safe(f.change))
	if !f.plain {
		l = append(l.Add("", "  "), draw.Changes(th, f.added, f.removed)...)
	}
	if f.note != "" {
		l = l.Add(th.Faint, "  "+draw.Escape(f.note))
	}
	if r.shown.noted[x] {
		l = l.Add(th.Accent, " *")
	}
	return pager.Row{Cells: []pager.Cell{{Gutter: l}}}
}

func (r rows) brief(x ref) pager.Row {
	f := r.fields[x.field]
	c := r.cell(x, 0, unified)
	c.Gutter = append(draw.Of(r.theme.Field, " ◆ "+draw.Pad(draw.Escape(f.path), r.names)), c.Gutter[1:]...)
	c.Hang = append(draw.Of("", draw.Safe(draw.Blank(r.names+3))), c.Hang[1:]...)
	return pager.Row{Cells: []pager.Cell{c}}
}

// side is the side of a diff on which a cell is drawn.
type side int

const (
	unified side = iota
	left
	right
)

// cell draws line n of the hunk that row x belongs to. If n is negative, the cell is empty.
func (r rows) cell(x ref, n int32, at side) pager.Cell {
	th := r.theme
	if n < 0 {
		return pager.Cell{Gutter: draw.Of(th.Rule, draw.Safe(draw.Blank(r.digits+4)))}
	}
	f := r.fields[x.field]
	l := f.hunks[x.hunk].Lines[n]
	base, word, sign, mark := th.Text, theme.Style(""), th.Faint, draw.Safe(" ")
	switch l.Kind {
	case diff.Insert:
		base, word, sign, mark = th.Added, th.AddedWord, th.AddedSign, "+"
	case diff.Delete:
		base, word, sign, mark = th.Removed, th.RemovedWord, th.RemovedSign, "-"
	case diff.Context:
	}
	continued := mark
	if l.Rewrapped && l.Kind != diff.Context && len(l.Spans) == 0 {
		mark = "≈" // only the line breaks of the text changed
	}
	gutter := r.numbers(l, at, f.plain).Add(sign, " "+mark+" ")
	if at != left && r.shown.noted[x] {
		gutter[len(gutter)-1].Text = " " + mark
		gutter = gutter.Add(th.Accent, "*")
	}
	hang := draw.Of("", draw.Safe(draw.Blank(gutter.Width()-3))).Add(sign, " "+continued+" ")
	c := pager.Cell{
		Gutter: gutter, Hang: hang,
		Text: draw.Text{Raw: l.Text, Base: base, Hidden: th.Hidden, Faint: th.Faint},
	}
	if l.Kind == diff.Context {
		return c
	}
	c.Fill = base
	c.Track = track(x.field, l)
	for _, s := range l.Spans {
		c.Text.Marks = append(c.Text.Marks, draw.Mark{Start: s.Start, End: s.End, Style: word})
	}
	return c
}

// numbers draws the line numbers of l, or blanks if plain is set.
func (r rows) numbers(l diff.Line, at side, plain bool) draw.Line {
	number := func(n int) draw.Safe {
		if n == 0 || plain {
			return draw.Safe(draw.Blank(r.digits))
		}
		s := strconv.Itoa(n)
		return draw.Safe(draw.Blank(r.digits-len(s)) + s)
	}
	th := r.theme
	switch at {
	case left:
		return draw.Of(th.Faint, " "+number(l.Old))
	case right:
		return draw.Of(th.Faint, " "+number(l.New))
	case unified:
	}
	return draw.Of(th.Faint, " "+number(l.Old)+" "+number(l.New))
}

// track returns an ID for a changed line. The ID is the same in both arrangements.
func track(field int32, l diff.Line) pager.TextID {
	t := pager.TextID(field+1)<<33 | pager.TextID(l.Old+l.New)
	if l.Kind == diff.Insert {
		t |= 1 << 32
	}
	return t
}

// String returns the list as a unified diff in which each field is a file. The text is not escaped, so it must
// not be written to a terminal.
func (l *List) String() string {
	var b strings.Builder
	for _, f := range l.fields {
		fmt.Fprintf(&b, "--- %s\n+++ %s\n", f.path, f.path)
		for _, h := range f.hunks {
			fmt.Fprintf(&b, "@@ -%d,%d +%d,%d @@\n", h.OldStart, h.OldLines, h.NewStart, h.NewLines)
			for _, x := range h.Lines {
				sign := byte(' ')
				switch x.Kind {
				case diff.Insert:
					sign = '+'
				case diff.Delete:
					sign = '-'
				case diff.Context:
				}
				b.WriteByte(sign)
				b.WriteString(x.Text)
				b.WriteByte('\n')
			}
		}
	}
	return b.String()
}

// CurrentRow returns the row of the current line of p: the picked row, the current stop if it is visible, or
// the first visible row. If that row has no position in the new text, CurrentRow returns the next visible row
// with a position.
func (l *List) CurrentRow(p *pager.Pager) int {
	at, last := p.Window()
	if s := p.StopRow(); s >= at && s < last {
		at = s
	}
	if row, picking := p.Picked(); picking {
		at = row
	}
	for ; at < last-1; at++ {
		if _, _, ok := l.NewPosition(at); ok {
			break
		}
	}
	return at
}

// NewPosition returns the path of the field to which a row belongs, and the line number in the new text. For a
// removed line, this is the number of the next line. For headings and removed fields, it is 0. ok is false if
// the row belongs to no field.
func (l *List) NewPosition(row int) (path string, number int, ok bool) {
	a := l.shown
	if row < 0 || row >= len(a.rows) {
		return "", 0, false
	}
	r := a.rows[row]
	switch r.kind {
	case blank, gap, note, title, count, file:
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

// contains reports whether path is the path of the field or of a value inside it.
func (f field) contains(path string) bool { return f.path == path || isPartOf(path, f.path) }

// isPartOf reports whether path is the path of a value inside the given field.
func isPartOf(path, field string) bool {
	return strings.HasPrefix(path, field+".") || strings.HasPrefix(path, field+"[")
}

// Find returns the row that shows a line in the new text of the field at path, given the number of the line.
// If the list does not show this line, Find returns the nearest preceding row of the field, or the first
// changed field inside path. It returns false if nothing at path has changed.
func (l *List) Find(path string, number int) (row int, ok bool) {
	a := l.shown
	for i, r := range a.rows {
		if r.kind == blank || r.kind == title || !l.fields[r.field].contains(path) {
			continue
		}
		if n := l.newNumber(r); r.kind == head || r.kind == brief || n > 0 && n <= number {
			row, ok = i, true
		}
	}
	for i := 0; i < len(a.rows) && !ok; i++ {
		if r := a.rows[i]; r.kind == head || r.kind == brief {
			row, ok = i, isPartOf(l.fields[r.field].path, path)
		}
	}
	return row, ok
}

// newNumber returns the line number of row r in the new text, or 0 if r shows no line of the new text.
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
	case blank, head, gap, note, title, remark, count, file:
	}
	return 0
}

// OldPosition returns the path of the field to which a row belongs, and the number of the nearest line in the
// old text. The number is 0 for headings and added fields. ok is false if the row belongs to no field of the
// definition.
func (l *List) OldPosition(row int) (path string, number int, ok bool) {
	a := l.shown
	if row < 0 || row >= len(a.rows) {
		return "", 0, false
	}
	r := a.rows[row]
	switch r.kind {
	case blank, gap, note, title, count, file:
		return "", 0, false
	case head, remark, line, pair, brief:
	}
	f := l.fields[r.field]
	if f.outside || r.kind == head || r.kind == brief {
		return f.path, 0, !f.outside
	}
	for _, step := range []int{-1, 1} {
		for i := row; i >= 0 && i < len(a.rows) && a.rows[i].field == r.field && a.rows[i].hunk == r.hunk; i += step {
			if x := a.rows[i]; x.kind == line || x.kind == pair {
				if n := f.hunks[x.hunk].Lines[max(0, x.a)].Old; x.a >= 0 && n > 0 {
					return f.path, n, true
				}
			}
		}
	}
	return f.path, 0, true
}
