package tui

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
func (d *dialog) resizeSheet(m *shell) {
	w, page := m.layout.Width-1, prose.New(m.theme)
	for _, l := range joinFacts(d.Facts(), w-2) {
		page.Line(l)
	}
	if missing := d.missing(); len(missing) > 0 {
		page.Item(draw.Of(m.theme.Warn, "! not shown yet: "), strings.Join(missing, ", "))
	}
	if what := d.meanwhile(); what != "" {
		page.Item(draw.Of(m.theme.Warn, "! "), what)
	}
	if d.details {
		d.Content(page)
	}
	most := max(leastSheet, m.layout.Height/3) - 2 // the title and the keys
	if d.hasField() {
		most -= d.textHeight(m)
	}
	d.pager.Replace(page.Rows())
	d.pager.SetSize(w, 1)
	d.pager.SetSize(w, min(d.pager.Lines(most+1), max(1, most)))
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
func (d *dialog) sheet(m *shell, body []string) []string {
	d.resizeSheet(m)
	w, rows := m.layout.Width, m.layout.Body
	if m.status.Text == "" {
		rows++
	} else {
		rows -= len(m.statusLines()) - 1
	}
	box := d.sheetBox(m, w)
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
func (d *dialog) sheetBox(m *shell, w int) []string {
	th := m.theme
	title := draw.Of(th.Dialog, "━━ ").Add(th.Strong, draw.Show(d.Form.Title)).Add(th.Dialog, " ━━ ").
		Add(th.Text, draw.Cut(d.Subject, max(0, w-draw.Width(d.Form.Title)-12))).Add("", " ")
	more := d.more(m)
	title = title.Add(th.Dialog, draw.Safe(strings.Repeat("━", max(0, w-title.Width()-more.Width()))))
	out := []string{append(title, more...).String(w)}
	for _, line := range d.pager.View() {
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
	for _, line := range edit.View(d.text, th, w-edge.Width(), d.textHeight(m), d.Writing) {
		out = append(out, edge.String(edge.Width())+line)
		edge = draw.Of(style, draw.Pad("", draw.Width(label))+" ▎ ")
	}
	return out
}
