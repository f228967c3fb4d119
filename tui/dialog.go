package tui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/draw"
	"toolcrib/tui/edit"
	"toolcrib/tui/pager"
	"toolcrib/tui/prose"
)

// grace is how long a dialog has been on the screen before it takes an answer,
// so that a key meant for the page before does not answer it.
const grace = 400 * time.Millisecond

// dialog asks before something is done. It is answered by y, never by enter.
type dialog struct {
	number       int
	title        string
	verb         string // what y does
	content      func(*Model, *prose.Page)
	locked       func(*Model) []string // what has to be on the screen first
	wantsText    bool                  // a reason is required
	noteOptional bool                  // a note can be given
	focusText    bool                  // the keys write
	direct       bool                  // ctrl+s does it at once
	draft        string                // under which name the text is kept, "" for not at all
	run          func(m *Model, text string) tea.Cmd
	other        map[string]func(*Model) tea.Cmd // further answers, by key
	otherHelp    [][2]string

	keptAt time.Time // when the text was last saved

	text  *edit.Text
	pager *pager.Pager
	ready bool
}

// ask opens a dialog.
func (m *Model) ask(d *dialog) tea.Cmd {
	m.dialogs++
	d.number = m.dialogs
	if d.wantsText || d.noteOptional {
		d.text = edit.New("")
	}
	d.pager = pager.New(m.theme.Match, m.theme.Rule)
	d.pager.SetWrap(true)
	m.dialog = d
	d.resize(m)
	return tea.Batch(m.after(grace, graceMsg{d.number}), m.readDraft(d.draft))
}

// textHeight is how many lines the editor of a dialog has.
func (d *dialog) textHeight(m *Model) int {
	switch {
	case d.text == nil:
		return 0
	case m.layout.body < 14:
		return 2
	}
	return 4
}

func (d *dialog) resize(m *Model) {
	page := prose.New(m.theme)
	if missing := d.missing(m); len(missing) > 0 {
		page.Line(draw.Of(m.theme.Warn, "Not on the screen yet"))
		for _, name := range missing {
			page.Item(draw.Of(m.theme.Warn, "! "), name)
		}
		page.Blank()
	}
	d.content(m, page)
	w, h := m.layout.dialog(92, m.layout.body)
	around := 3 // the frame and the answer
	if d.text != nil {
		around += 1 + d.textHeight(m)
	}
	d.pager.Replace(page.Rows())
	d.pager.SetSize(w-4, 1)
	d.pager.SetSize(w-4, min(d.pager.Lines(h)+1, max(1, h-around)))
}

// key gives a key to the dialog.
func (d *dialog) key(m *Model, msg tea.KeyPressMsg) tea.Cmd {
	name := msg.String()
	switch {
	case name == "esc":
		m.dialog = nil
		if d.text != nil && d.text.String() != "" {
			m.say(remark, "The text is kept")
		}
		return m.keepDraft(d)
	case name == "ctrl+s" && d.direct:
		return d.answer(m)
	case (name == "tab" || name == "ctrl+s") && d.text != nil && !d.direct:
		d.focusText = !d.focusText
		return m.keepDraft(d)
	case d.focusText:
		if d.text.Key(msg) {
			return d.keep(m)
		}
		return nil
	}
	switch name {
	case "j", "down":
		d.pager.Scroll(1)
	case "k", "up":
		d.pager.Scroll(-1)
	case "space", "pgdown":
		d.pager.Page(1)
	case "pgup":
		d.pager.Page(-1)
	case "y":
		return d.answer(m)
	case "n":
		m.dialog = nil
		return m.keepDraft(d)
	default:
		if do := d.other[name]; do != nil && d.ready {
			return do(m)
		}
	}
	return nil
}

// keepEvery is how long somebody can type without a pause and have nothing of
// it saved.
const keepEvery = 2 * time.Second

// keep saves the text when nothing more is typed for a moment.
func (d *dialog) keep(m *Model) tea.Cmd {
	if m.now().Sub(d.keptAt) >= keepEvery {
		return m.keepDraft(d)
	}
	return m.after(grace, keepMsg{d.number, len(d.text.String())})
}

// answer does what was asked for.
func (d *dialog) answer(m *Model) tea.Cmd {
	text := ""
	if d.text != nil {
		text = strings.TrimSpace(d.text.String())
	}
	switch {
	case d.run == nil:
		return nil
	case !d.ready:
		m.say(warning, "Too quick: read it first")
		return nil
	case len(d.missing(m)) > 0:
		m.say(warning, "Locked: not everything was on the screen. esc, then u goes there")
		return nil
	case d.wantsText && text == "":
		m.say(warning, "A reason is needed")
		d.focusText = true
		return nil
	}
	m.dialog = nil
	return d.run(m, text)
}

func (d *dialog) missing(m *Model) []string {
	if d.locked == nil {
		return nil
	}
	return d.locked(m)
}

// view draws the dialog into the body.
func (d *dialog) view(m *Model) []string {
	w := d.width(m)
	th := m.theme
	left := (m.layout.width - w) / 2
	var out []string
	var b strings.Builder
	add := func(inner func()) {
		b.Reset()
		b.WriteString(draw.Blank(left))
		inner()
		b.WriteString(draw.Blank(m.layout.width - left - w))
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
	frame("╭", "╮", draw.Show(d.title))
	for _, line := range d.pager.View() {
		inside(line)
	}
	if d.text != nil {
		label := draw.Safe("Reason")
		if d.noteOptional {
			label = "Note, if you like"
		}
		if d.direct {
			label = "Comment"
		}
		style := th.Faint
		if d.focusText {
			style = th.Accent
		}
		inside(draw.Of(style, " "+label).String(w - 4))
		for _, line := range d.text.View(th, w-4, d.textHeight(m)) {
			inside(line)
		}
	}
	inside(d.answerLine(m).String(w - 4))
	frame("╰", "╯", "")
	return center(out, m.layout.body, m.layout.width)
}

func (d *dialog) width(m *Model) int {
	w, _ := m.layout.dialog(92, 1)
	return w
}

// answerLine says what can be answered, or what is missing.
func (d *dialog) answerLine(m *Model) draw.Line {
	th := m.theme
	if missing := d.missing(m); len(missing) > 0 {
		return draw.Of(th.Warn, " Locked ").Add(th.Text, "until everything was on the screen: ").Add(th.Key, "esc").Add(th.Text, ", then ").Add(th.Key, "u").Add(th.Text, " goes there")
	}
	if d.run == nil {
		return nil
	}
	if d.direct {
		return draw.Of("", " ").Add(th.Key, "ctrl+s").Add(th.Text, " "+draw.Show(d.verb))
	}
	if !d.ready {
		return draw.Of(th.Faint, " y "+draw.Show(d.verb)+", in a moment")
	}
	return draw.Of("", " ").Add(th.Key, "y").Add(th.Text, " "+draw.Show(d.verb))
}

// footer shows the keys of the dialog.
func (d *dialog) footer(m *Model) draw.Line {
	th := m.theme
	l := draw.Of("", " ")
	hint := func(k, text string) { l = append(l, keyHint(th.Key, th.Faint, k, text)...) }
	switch {
	case d.direct:
		hint("ctrl+s", d.verb)
	case d.focusText:
		hint("tab", "done writing")
	case d.run != nil:
		if len(d.missing(m)) == 0 {
			hint("y", d.verb)
		}
		if d.text != nil {
			hint("tab", "write")
		}
	}
	if !d.focusText {
		for _, h := range d.otherHelp {
			hint(h[0], h[1])
		}
	}
	hint("esc", "back")
	return l
}

// center puts lines into the middle of height lines.
func center(lines []string, height, width int) []string {
	above := max(0, (height-len(lines))/3)
	out := make([]string, 0, height)
	for range above {
		out = append(out, draw.Blank(width))
	}
	return append(out, lines[:min(len(lines), height)]...)
}
