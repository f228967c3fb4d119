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

// This file draws the dialog as a sheet below the page, so that its subject stays in sight.

// leastSheet is the least height of a sheet with facts, which else has a third of the screen.
const leastSheet = 5

// leastText is the least height of a text field.
const leastText = 2

// textHeight is how many lines the field has.
func (d *Dialog) textHeight() int {
	switch {
	case !d.hasField():
		return 0
	case d.Tall:
		return max(leastText, d.frame.Body-4) // the title, the content, and a message
	}
	return max(leastText, edit.Height(d.text, d.textWidth(), d.frame.Height/4))
}

// layOut lays the sheet out: facts, unread parts, and the details, which a dialog with facts
// shows on demand.
func (d *Dialog) layOut() {
	w, th, page := d.frame.Width-1, d.frame.Theme, prose.New(d.frame.Theme)
	most := d.frame.Body - 1 - d.textHeight() // the title
	if d.Facts != nil {
		for _, l := range joinFacts(d.Facts(), w-2) {
			if n := len(l) - 1; l.Width() > w-2 { // one fact, a sentence
				page.Item(l[:n], string(l[n].Text))
				continue
			}
			page.Line(l)
		}
		most = max(leastSheet, d.frame.Height/3) - 2
		if d.hasField() {
			most -= leastText
		}
	}
	if missing := d.missing(); len(missing) > 0 {
		page.Item(draw.Of(th.Warn, "! not shown yet: "), strings.Join(missing, ", "))
	}
	if what := d.meanwhile(); what != "" {
		page.Item(draw.Of(th.Warn, "! "), what)
	}
	if why := d.unusable(); why != "" {
		page.Item(draw.Of(th.Warn, "! "), "the text "+why)
	} else if n := utf8.RuneCountInString(d.trimmed()); n > proposals.MaxComment*3/4 && !d.Tall {
		page.Line(draw.Of(th.Faint, draw.Showf("%d of at most %d characters", n, proposals.MaxComment)))
	}
	if d.details || d.Facts == nil {
		d.Content(page)
	}
	d.Pager.Replace(page.Rows())
	d.Pager.SetSize(w, 1)
	d.Pager.SetSize(w, min(d.Pager.Lines(max(1, most)+1), max(1, most)))
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

// View draws the body of the page with the sheet over its end. status is how many lines
// the message at the bottom has.
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

// box draws the sheet alone.
func (d *Dialog) box(w int) []string {
	th := d.frame.Theme
	more := d.more()
	title := draw.Of(th.Dialog, "━━ ").Add(th.Strong, draw.Cut(draw.Show(d.Form.Title), w-8-more.Width())).Add(th.Dialog, " ━━")
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

// label names the field.
func (d *Dialog) label() draw.Safe {
	switch {
	case d.Label != "":
		return " " + d.Label
	case d.NoteOptional:
		return " Note"
	}
	return " Reason"
}

// textWidth is how wide the field is.
func (d *Dialog) textWidth() int { return d.frame.Width - draw.Width(d.label()+" ▎ ") }

// answers returns the keys that confirm, in order.
func (d *Dialog) answers() string { return d.Tally + "y" }

// more draws a hint to the rest of a text that does not fit.
func (d *Dialog) more() draw.Line {
	percent := d.Pager.Percent()
	if percent < 0 {
		return nil
	}
	key, sign := draw.Safe("j"), draw.Safe("↓ more ")
	if percent == 100 {
		key, sign = "k", "↑ more "
	}
	if d.text != nil { // where letters write
		key = map[draw.Safe]draw.Safe{"j": "pgdn", "k": "pgup"}[key]
	}
	if d.Writing {
		return draw.Of(d.frame.Theme.Faint, " "+sign)
	}
	return draw.Of(d.frame.Theme.Key, " "+key).Add(d.frame.Theme.Faint, " "+sign)
}

// Footer shows the keys of the dialog.
func (d *Dialog) Footer() draw.Line {
	th := d.frame.Theme
	l := draw.Of("", " ")
	hint := func(k, text string) { l = append(l, screen.Hint(th.Key, th.Faint, k, text)...) }
	switch {
	case d.meanwhile() != "":
	case d.Writing:
		hint("ctrl+s", "done writing")
		if d.Editor.Cannot(d.Unsent.File(d.Draft)) == "" {
			hint(editorKey, "editor")
		}
	case d.Run != nil:
		switch {
		case len(d.missing()) == 0 && !d.ready: // its answer is not taken yet, and keeps its place
			l = l.Add("", draw.Pad("", draw.Width(d.answers()+" "+d.Form.Verb+"  ")))
		case len(d.missing()) == 0:
			hint(d.answers(), d.Form.Verb)
			if d.Tally != "" {
				l = l.Add(th.Faint, "typed: ").Add(th.Accent, draw.Show(d.typed)+"▏  ")
			}
		case d.Unread != nil:
			hint("u", "go to it")
		}
		switch {
		case d.note():
			hint("n", "add a note")
		case d.text != nil:
			hint("tab", "write")
		}
	}
	if d.Facts != nil && !d.Writing {
		label := "details"
		if d.NoteOptional {
			label = "digest and policy"
		}
		hint("d", label)
	}
	if !d.Writing {
		for _, k := range d.Keys {
			if k.Label != "" {
				hint(k.Keys[0], k.Label)
			}
		}
	}
	hint("esc", "back")
	return l
}
