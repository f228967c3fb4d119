package dialog

import (
	"strings"

	"toolcrib/tui/draw"
	"toolcrib/tui/edit"
	"toolcrib/tui/prose"
)

// A sheet is a dialog below the page, which stays in sight: what the question is about is
// read above it.

// leastSheet is how many lines a sheet has where a third of the screen is less.
const leastSheet = 5

// resizeSheet lays the sheet out: facts, what was not shown yet, and on demand all there
// is to know.
func (d *Dialog) resizeSheet() {
	w, page := d.frame.Width-1, prose.New(d.frame.Theme)
	for _, l := range joinFacts(d.Facts(), w-2) {
		page.Line(l)
	}
	if missing := d.missing(); len(missing) > 0 {
		page.Item(draw.Of(d.frame.Theme.Warn, "! not shown yet: "), strings.Join(missing, ", "))
	}
	if what := d.meanwhile(); what != "" {
		page.Item(draw.Of(d.frame.Theme.Warn, "! "), what)
	}
	if d.details {
		d.Content(page)
	}
	most := max(leastSheet, d.frame.Height/3) - 2 // the title and the keys
	if d.hasField() {
		most -= d.textHeight()
	}
	d.Pager.Replace(page.Rows())
	d.Pager.SetSize(w, 1)
	d.Pager.SetSize(w, min(d.Pager.Lines(most+1), max(1, most)))
}

// joinFacts puts facts beside each other, as many as a line has room for.
func joinFacts(facts []draw.Line, width int) []draw.Line {
	var lines []draw.Line
	var l draw.Line
	for _, fact := range facts {
		switch {
		case len(fact) == 0:
			continue
		case len(l) == 0:
		case l.Width()+2+fact.Width() <= width:
			l = l.Add("", "  ")
		default:
			lines, l = append(lines, l), nil
		}
		l = append(l, fact...)
	}
	return append(lines, l)
}

// sheet draws the page with the sheet over its end.
func (d *Dialog) sheet(body []string, status int) []string {
	d.resizeSheet()
	w, rows := d.frame.Width, d.frame.Body
	if status == 0 {
		rows++
	} else {
		rows -= status - 1
	}
	box := d.sheetBox(w)
	out := make([]string, 0, rows)
	for i := range max(0, rows-len(box)) {
		line := draw.Blank(w)
		if i < len(body) {
			line = body[i]
		}
		out = append(out, line)
	}
	return append(out, box[max(0, len(box)-rows):]...)
}

// sheetBox draws the sheet alone.
func (d *Dialog) sheetBox(w int) []string {
	th := d.frame.Theme
	title := draw.Of(th.Dialog, "━━ ").Add(th.Strong, draw.Show(d.Form.Title)).Add(th.Dialog, " ━━ ").
		Add(th.Text, draw.Cut(d.Subject, max(0, w-draw.Width(d.Form.Title)-12))).Add("", " ")
	more := d.more()
	title = title.Add(th.Dialog, draw.Safe(strings.Repeat("━", max(0, w-title.Width()-more.Width()))))
	out := []string{append(title, more...).String(w)}
	for _, line := range d.Pager.View() {
		out = append(out, " "+line)
	}
	if !d.hasField() {
		return out
	}
	label, style := draw.Safe(" Reason"), th.Faint
	if d.NoteOptional {
		label = " Note"
	}
	if d.Label != "" {
		label = " " + d.Label
	}
	if d.Writing {
		style = th.Accent
	}
	edge := draw.Of(style, label+" ▎ ")
	for _, line := range edit.View(d.text, th, w-edge.Width(), d.textHeight(), d.Writing) {
		out = append(out, edge.String(edge.Width())+line)
		edge = draw.Of(style, draw.Pad("", draw.Width(label))+" ▎ ")
	}
	return out
}
