// This file draws a dialog as a sheet below the page. The subject of the dialog stays visible above it.

package dialog

import (
	"strings"
	"unicode/utf8"

	"toolcrib/proposals"
	"toolcrib/tui/draw"
	"toolcrib/tui/edit"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
)

// minSheetHeight is the minimum height, in lines, of a sheet with facts. The usual height of the sheet is a
// third of the screen.
const minSheetHeight = 5

// minTextHeight is the minimum height of the text field, in lines.
const minTextHeight = 2

// textHeight returns the height of the text field.
func (d *Dialog) textHeight() int {
	switch {
	case !d.hasField():
		return 0
	case d.Tall:
		return max(minTextHeight, d.frame.Body-4) // minus the title, the content, and a message
	}
	return max(minTextHeight, edit.Height(d.text, d.textWidth(), d.frame.Height/4))
}

// layOut lays out the facts, the list of unread parts, warnings, and the details. If the dialog has facts, it
// shows the details only after the user has pressed d.
func (d *Dialog) layOut() {
	w, th, page := d.frame.Width-1, d.frame.Theme, prose.New(d.frame.Theme)
	most := d.frame.Body - 1 - d.textHeight() // minus the title
	if d.Facts != nil {
		for _, l := range joinFacts(d.Facts(), w-2) {
			if n := len(l) - 1; l.Width() > w-2 { // the last fact does not fit on one line
				page.Item(l[:n], string(l[n].Text))
				continue
			}
			page.Line(l)
		}
		most = max(minSheetHeight, d.frame.Height/3) - 2
		if d.hasField() {
			most -= minTextHeight
		}
	}
	if missing := d.Locked(); len(missing) > 0 {
		page.Item(draw.Of(th.Warn, "! unread: "), strings.Join(missing, ", "))
	}
	if what := d.changed; what != "" {
		page.Item(draw.Of(th.Warn, "! "), what)
	}
	if why := d.invalidText(); why != "" {
		page.Item(draw.Of(th.Warn, "! "), "the text "+why)
	} else if n := utf8.RuneCountInString(d.trimmed()); n > proposals.MaxComment*3/4 && !d.Tall {
		page.Line(draw.Of(th.Faint, draw.Escapef("%d of at most %d characters", n, proposals.MaxComment)))
	}
	if d.details || d.Facts == nil {
		d.Content(page)
	}
	d.Pager.Replace(page.Rows())
	d.Pager.SetSize(w, 1)
	d.Pager.SetSize(w, min(d.Pager.Lines(max(1, most)+1), max(1, most)))
}

// joinFacts joins as many facts as possible on each line without exceeding the given width.
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

// View draws the sheet over the last lines of body. status is the number of lines of the status line.
func (d *Dialog) View(f screen.Frame, body []string, status int) []string {
	d.frame = f
	d.layOut()
	w, rows := f.Width, f.Body+1-status
	box := d.box(w)
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

// box draws the sheet.
func (d *Dialog) box(w int) []string {
	th := d.frame.Theme
	more := d.more()
	title := draw.Of(th.Dialog, "━━ ").Add(th.Strong, draw.Cut(draw.Escape(d.Form.Title), w-8-more.Width())).Add(th.Dialog, " ━━")
	if room := w - title.Width() - more.Width() - 3; d.Subject != "" && room > 0 {
		title = title.Add(th.Text, " "+draw.Cut(d.Subject, room)).Add("", " ")
	}
	title = title.Add(th.Dialog, draw.Safe(strings.Repeat("━", max(0, w-title.Width()-more.Width()))))
	out := []string{append(title, more...).String(w)}
	for _, line := range d.Pager.View() {
		out = append(out, " "+line)
	}
	if !d.hasField() {
		return out
	}
	style := th.Faint
	if d.Writing {
		style = th.Accent
	}
	edge := draw.Of(style, d.label()+" ▎ ")
	for _, line := range edit.View(d.text, th, d.textWidth(), d.textHeight(), d.Writing) {
		out = append(out, edge.String(edge.Width())+line)
		edge = draw.Of(style, draw.Pad("", draw.Width(d.label()))+" ▎ ")
	}
	return out
}

// label returns the label of the text field.
func (d *Dialog) label() draw.Safe {
	switch {
	case d.Label != "":
		return " " + d.Label
	case d.NoteOptional:
		return " Note"
	}
	return " Reason"
}

// textWidth returns the width of the text field.
func (d *Dialog) textWidth() int { return d.frame.Width - draw.Width(d.label()+" ▎ ") }

// confirmKeys returns the keys that confirm the dialog: y, or the required number followed by y.
func (d *Dialog) confirmKeys() string { return d.TypedCount + "y" }

// more draws a hint with the key that scrolls. It returns nil if all of the content is visible.
func (d *Dialog) more() draw.Line {
	percent := d.Pager.Percent()
	if percent < 0 {
		return nil
	}
	key, sign := draw.Safe("j"), draw.Safe("↓ more ")
	if percent == 100 {
		key, sign = "k", "↑ more "
	}
	if d.text != nil { // the text field would receive letters
		key = map[draw.Safe]draw.Safe{"j": "pgdn", "k": "pgup"}[key]
	}
	if d.Writing {
		return draw.Of(d.frame.Theme.Faint, " "+sign)
	}
	return draw.Of(d.frame.Theme.Key, " "+key).Add(d.frame.Theme.Faint, " "+sign)
}

// Footer draws the footer for the keys of the dialog, as many as fit. The keys that confirm come first, and esc is
// always shown.
func (d *Dialog) Footer() draw.Line {
	th := d.frame.Theme
	var hints []draw.Line
	hint := func(k, text string) { hints = append(hints, screen.Hint(th.Key, th.Faint, k, text)) }
	switch {
	case d.changed != "" || d.Run == nil || d.Writing:
	case len(d.Locked()) == 0 && !d.ready: // reserve the cells of the key during the grace period
		hints = append(hints, draw.Of("", draw.Pad("", draw.Width(d.confirmKeys()+" "+d.Form.Verb+"  "))))
	case len(d.Locked()) == 0:
		hint(d.confirmKeys(), d.Form.Verb)
		if d.TypedCount != "" {
			hints = append(hints, draw.Of(th.Faint, "typed: ").Add(th.Accent, draw.Escape(d.typed)+"▏  "))
		}
	case d.OpenUnread != nil:
		hint("u", "next unread")
	}
	if !d.Writing {
		for _, k := range d.Keys {
			if k.Label != "" {
				hint(k.Keys[0], k.Label)
			}
		}
	}
	switch {
	case d.changed != "":
	case d.Writing:
		hint("ctrl+s", "done writing")
		if d.Editor.CannotOpen(d.Unsent.File(d.Draft)) == "" {
			hint(editorKey, "editor")
		}
	case d.Run == nil:
	case d.isNote():
		hint("n", "add a note")
	case d.text != nil:
		hint("tab", "write")
	}
	if d.Facts != nil && !d.Writing {
		label := "details"
		if d.NoteOptional {
			label = "digest and policy"
		}
		hint("d", label)
	}
	return d.frame.FitHints(hints, screen.Hint(th.Key, th.Faint, "esc", "back"))
}
