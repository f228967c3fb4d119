package tui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"toolcrib/tui/draw"
)

// minBehind is how many cells of the page on each side of a dialog are worth
// showing; above and below it, the page is always there.
const minBehind = 6

// view draws the dialog over the body of the page, which stays to be seen
// around it, dimmed.
func (d *dialog) view(m *Model, body []string) []string {
	w := d.width(m)
	left := (m.layout.Width - w) / 2
	box := d.box(m, w)
	above := max(0, (m.layout.Body-len(box))/3)
	out := make([]string, m.layout.Body)
	var b strings.Builder
	for i := range out {
		behind := draw.Safe("")
		n := i - above
		if over := n < 0 || n >= len(box); i < len(body) && (over || left >= minBehind) {
			behind = draw.Safe(ansi.Strip(body[i])) // drawn by us: its texts passed the gate
		}
		b.Reset()
		if n >= 0 && n < len(box) {
			m.theme.Off.Write(&b, string(draw.Slice(behind, 0, left)))
			b.WriteString(box[n])
			m.theme.Off.Write(&b, string(draw.Slice(behind, left+w, m.layout.Width)))
		} else {
			m.theme.Off.Write(&b, string(draw.Slice(behind, 0, m.layout.Width)))
		}
		out[i] = b.String()
	}
	return out
}

// box draws the dialog itself, w cells wide.
func (d *dialog) box(m *Model, w int) []string {
	th := m.theme
	var out []string
	var b strings.Builder
	add := func(inner func()) {
		b.Reset()
		inner()
		out = append(out, b.String())
	}
	frame := func(start, end string, title draw.Safe) {
		add(func() {
			th.Dialog.Write(&b, start)
			n := w - 2
			if title != "" {
				t := draw.Cut(" "+title+" ", n-2)
				th.Dialog.Write(&b, "─")
				th.Strong.Write(&b, string(t))
				n -= 1 + draw.Width(t)
			}
			th.Dialog.Write(&b, strings.Repeat("─", max(0, n))+end)
		})
	}
	inside := func(line string) {
		add(func() {
			th.Dialog.Write(&b, "│ ")
			b.WriteString(line)
			th.Dialog.Write(&b, " │")
		})
	}
	frame("╭", "╮", draw.Show(d.Form.Title))
	for _, line := range d.pager.View() {
		inside(line)
	}
	if d.text != nil {
		label := draw.Safe("Reason")
		if d.NoteOptional {
			label = "Note (optional)"
			if !d.Writing && d.text.String() == "" && d.Run != nil {
				label = "Note (optional): type it, or tab"
			}
		}
		if d.Label != "" {
			label = d.Label
		}
		style := th.Faint
		if d.Writing {
			style = th.Accent
		}
		inside(draw.Of(style, " "+label).String(w - 4))
		edge := draw.Of(style, " ▎ ")
		for _, line := range d.text.View(th, w-4-edge.Width(), d.textHeight(m), d.Writing) {
			inside(edge.String(edge.Width()) + line)
		}
	}
	if answers := draw.Ends(d.answerLine(m), d.more(m), w-4); answers.Width() > 0 {
		inside(answers.String(w - 4))
	}
	frame("╰", "╯", "")
	return out
}

func (d *dialog) width(m *Model) int {
	w, _ := m.layout.Dialog(1)
	return w
}

// answerLine returns the possible answers, or what is missing.
func (d *dialog) answerLine(m *Model) draw.Line {
	th := m.theme
	if what := d.meanwhile(); what != "" {
		return draw.Of(th.Warn, " ! "+draw.Show(what)+"; ").Add(th.Key, "esc").Add(th.Text, " goes back")
	}
	if missing := d.missing(); len(missing) > 0 {
		l := draw.Of(th.Warn, " Read these first: ")
		if d.Writing {
			l = l.Add(th.Key, "tab").Add(th.Text, ", then ")
		}
		return l.Add(th.Key, "u").Add(th.Text, " jumps to the next")
	}
	if d.Run == nil {
		return nil
	}
	if d.Writing {
		return draw.Of("", " ").Add(th.Key, "ctrl+s").Add(th.Faint, " when done, then ").Add(th.Key, draw.Show(d.answers())).Add(th.Faint, " to "+draw.Show(d.Form.Verb))
	}
	if !d.ready {
		return draw.Of(th.Faint, " "+draw.Show(d.answers())+" "+draw.Show(d.Form.Verb)+", in a moment")
	}
	l := draw.Of("", " ").Add(th.Key, draw.Show(d.answers())).Add(th.Text, " "+draw.Show(d.Form.Verb))
	if d.Tally != "" {
		l = l.Add(th.Faint, "   typed: ").Add(th.Accent, draw.Show(d.typed)+"▏")
	}
	return l
}

// answers are the keys that decide, one after the other.
func (d *dialog) answers() string { return d.Tally + "y" }

// more shows that the window does not have everything, and where the rest is.
func (d *dialog) more(m *Model) draw.Line {
	percent := d.pager.Percent()
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
		return draw.Of(m.theme.Faint, sign)
	}
	return draw.Of(m.theme.Key, key).Add(m.theme.Faint, " "+sign)
}

// footer shows the keys of the dialog.
func (d *dialog) footer(m *Model) draw.Line {
	th := m.theme
	l := draw.Of("", " ")
	hint := func(k, text string) { l = append(l, keyHint(th.Key, th.Faint, k, text)...) }
	switch {
	case d.meanwhile() != "":
	case d.Writing:
		hint("ctrl+s", "done writing")
	case d.Run != nil:
		switch {
		case !d.ready: // no key does anything yet
		case len(d.missing()) == 0:
			hint(d.answers(), d.Form.Verb)
		case d.Unread != nil:
			hint("u", "unseen")
		}
		if d.text != nil {
			hint("tab", "write")
		}
	}
	if !d.Writing {
		for _, h := range d.OtherHelp {
			hint(h[0], h[1])
		}
	}
	hint("esc", "back")
	return l
}
