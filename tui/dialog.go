package tui

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"toolcrib/tui/draw"
	"toolcrib/tui/edit"
	"toolcrib/tui/pager"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
)

// grace is how long it takes until a dialog is on the screen, in frames of the
// renderer, and takes an answer. All other keys act at once.
const grace = 50 * time.Millisecond

// pause is how long nothing is typed before a text is saved.
const pause = 400 * time.Millisecond

// initial is the last key where it was one of a sheet's and a letter too: n or d. Who types
// a note without a key before it means the letter.
type initial struct {
	letter string
	at     time.Time
}

// How soon the next letter follows on the one before. Nobody presses n, and then begins a
// note, as fast as the keys of one read follow each other; but who presses d to read on, and
// goes on with a letter at the pace of a word, has not read.
const (
	burst = 80 * time.Millisecond
	pace  = 500 * time.Millisecond
)

// regain gives a note that is typed at once the letter that was taken for a key. It returns
// false where the last key was meant as one.
func (d *dialog) regain(m *shell, msg tea.KeyPressMsg) bool {
	last := d.last
	d.last = initial{}
	next, _ := utf8.DecodeRuneInString(msg.Text)
	within := map[string]time.Duration{"n": burst, "d": pace}[last.letter]
	if d.text == nil || !unicode.IsLetter(next) || m.now().Sub(last.at) >= within || last.letter == "d" && msg.Text == "d" {
		return false
	}
	if last.letter == "d" {
		d.details = !d.details
	}
	d.Writing = true
	d.text.Insert(last.letter)
	return true
}

// Ask opens a dialog.
func (m *shell) Ask(question screen.Dialog) tea.Cmd {
	d := &dialog{Dialog: question}
	if d.Form.Reason || d.NoteOptional {
		d.text = edit.New("")
	}
	d.pager = pager.New(m.theme)
	d.pager.SetWrap(true)
	m.dialog = d
	d.resize(m)
	ready := screen.Then{Do: func() tea.Cmd {
		d.ready = true
		return nil
	}}
	return tea.Batch(m.after(grace, ready), m.readDraft(d))
}

// textHeight is how many lines the editor of a dialog has.
func (d *dialog) textHeight(m *shell) int {
	switch {
	case d.text == nil:
		return 0
	case d.Tall:
		return max(2, m.layout.Body-6) // the frame, the content, the label and the answer
	case m.layout.Body < 14:
		return 2
	case d.Facts != nil && m.layout.Height < 36:
		return 2
	}
	return 4
}

// hasField reports whether the field of the text is shown: always, except for a note in
// a sheet that nobody has begun.
func (d *dialog) hasField() bool {
	return d.text != nil && (d.Facts == nil || !d.NoteOptional || d.Writing || d.text.String() != "")
}

func (d *dialog) resize(m *shell) {
	if d.Facts != nil {
		d.resizeSheet(m)
		return
	}
	page := prose.New(m.theme)
	if missing := d.missing(); len(missing) > 0 {
		page.Line(draw.Of(m.theme.Warn, "Not read yet"))
		for _, name := range missing {
			page.Item(draw.Of(m.theme.Warn, "! "), name)
		}
		page.Blank()
	}
	d.Content(page)
	w, h := m.layout.Dialog(m.layout.Body)
	around := 3 // the frame and the answer
	if d.text != nil {
		around += 1 + d.textHeight(m)
	}
	d.pager.Replace(page.Rows())
	d.pager.SetSize(w-4, 1)
	d.pager.SetSize(w-4, min(d.pager.Lines(h)+1, max(1, h-around)))
}

// key gives a key to the dialog.
func (d *dialog) key(m *shell, msg tea.KeyPressMsg) tea.Cmd {
	name := msg.String()
	if d.regain(m, msg) {
		return d.write(m, msg)
	}
	switch {
	case name == "esc":
		m.dialog = nil
		if d.Leave != nil {
			d.Leave()
		}
		if d.text != nil && d.text.String() != "" {
			m.Say(remark, "Draft saved")
		}
		return tea.Batch(m.saveDraft(d), d.decline())
	case (name == "tab" || name == "ctrl+s") && d.text != nil:
		d.Writing = !d.Writing
		d.resize(m)
		return m.saveDraft(d)
	case name == editorKey && d.text != nil:
		return m.editText(d)
	case d.Writing:
		if d.text.Key(msg) {
			return d.keep(m)
		}
		return nil
	}
	if d.count(name) {
		return nil
	}
	if name != "y" { // which counts right after the tally, and not in "3 years"
		d.typed = ""
	}
	switch name {
	case "down":
		d.pager.Move(1)
	case "up":
		d.pager.Move(-1)
	case "space", "pgdown":
		d.pager.Page(1)
	case "pgup":
		d.pager.Page(-1)
	case "y":
		return d.answer(m)
	default:
		return d.letter(m, msg)
	}
	return nil
}

// editorKey opens the text of a dialog in the user's editor.
const editorKey = "ctrl+o"

// letter gives a key that neither scrolls nor confirms to the dialog. What no answer
// is begins the note or the reason, or goes on with it.
func (d *dialog) letter(m *shell, msg tea.KeyPressMsg) tea.Cmd {
	name := msg.String()
	if name == "u" && d.Unread != nil && len(d.missing()) > 0 {
		m.dialog = nil
		return then(m.saveDraft(d), d.Unread())
	}
	for _, k := range d.Keys {
		if k.Matches(msg) {
			return k.Do()
		}
	}
	switch {
	case d.Facts != nil && name == "d":
		d.details, d.last = !d.details, initial{name, m.now()}
		d.resize(m)
		d.pager.Home()
		return nil
	case d.Facts != nil && name == "n" && d.NoteOptional:
		d.Writing, d.last = true, initial{name, m.now()}
		d.resize(m)
		return nil
	case d.text != nil && msg.Text != "":
		return d.write(m, msg)
	case d.text != nil:
	case name == "j":
		d.pager.Move(1)
	case name == "k":
		d.pager.Move(-1)
	case name == "n":
		m.dialog = nil
		return d.decline()
	}
	return nil
}

// write begins a note or a reason with a key, or goes on with it.
func (d *dialog) write(m *shell, msg tea.KeyPressMsg) tea.Cmd {
	d.Writing = true
	d.text.Key(msg)
	d.resize(m)
	return d.keep(m)
}

// count takes in a digit of the tally, or takes the last one back.
func (d *dialog) count(name string) bool {
	switch {
	case name == "backspace" && d.typed != "":
		d.typed = d.typed[:len(d.typed)-1]
	case d.Tally != "" && len(name) == 1 && name[0] >= '0' && name[0] <= '9':
		d.typed = (d.typed + name)[:min(len(d.typed)+1, len(d.Tally))]
	default:
		return false
	}
	return true
}

// saveEvery is how long somebody can type without a pause and have nothing of
// it saved.
const saveEvery = 2 * time.Second

// keep saves the text when nothing more is typed for a moment.
func (d *dialog) keep(m *shell) tea.Cmd {
	if m.now().Sub(d.savedAt) >= saveEvery {
		return m.saveDraft(d)
	}
	length := len(d.text.String())
	return m.after(pause, screen.Then{Do: func() tea.Cmd {
		if m.dialog == d && len(d.text.String()) == length {
			return m.saveDraft(d)
		}
		return nil
	}})
}

// answer carries out the answer of the user.
func (d *dialog) answer(m *shell) tea.Cmd {
	text := ""
	if d.text != nil {
		text = strings.TrimSpace(d.text.String())
	}
	switch {
	case d.Run == nil:
		return nil
	case !d.ready:
		m.Say(warning, "Read the dialog before confirming")
		return nil
	case d.meanwhile() != "":
		m.Say(warning, "Nothing changed: %s", d.meanwhile())
		return nil
	case len(d.missing()) > 0:
		m.Say(warning, "Not shown yet: %s; u goes there", strings.Join(d.missing(), ", "))
		return nil
	case d.Form.Reason && text == "":
		m.Say(warning, "Give a reason first")
		d.Writing = true
		return nil
	case d.typed != d.Tally:
		d.typed = ""
		m.Say(warning, "Type %s, then y, to confirm", d.Tally)
		return nil
	}
	m.dialog = nil
	return d.Run(text)
}

// meanwhile returns what happened to what the dialog is about since it was opened.
func (d *dialog) meanwhile() string {
	if d.Changed == nil {
		return ""
	}
	return d.Changed()
}

func (d *dialog) missing() []string {
	if d.Locked == nil {
		return nil
	}
	return d.Locked()
}

// minBehind is how many cells of the page on each side of a dialog are worth
// showing; above and below it, the page is always there.
const minBehind = 6

// view draws the dialog over the body of the page, which stays to be seen
// around it, dimmed.
func (d *dialog) view(m *shell, body []string) []string {
	if d.Facts != nil {
		return d.sheet(m, body)
	}
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
func (d *dialog) box(m *shell, w int) []string {
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
		for _, line := range edit.View(d.text, th, w-4-edge.Width(), d.textHeight(m), d.Writing) {
			inside(edge.String(edge.Width()) + line)
		}
	}
	if answers := draw.Ends(d.answerLine(m), d.more(m), w-4); answers.Width() > 0 {
		inside(answers.String(w - 4))
	}
	frame("╰", "╯", "")
	return out
}

func (d *dialog) width(m *shell) int {
	w, _ := m.layout.Dialog(1)
	return w
}

// answerLine returns the possible answers, or what is missing.
func (d *dialog) answerLine(m *shell) draw.Line {
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
func (d *dialog) more(m *shell) draw.Line {
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
func (d *dialog) footer(m *shell) draw.Line {
	th := m.theme
	l := draw.Of("", " ")
	hint := func(k, text string) { l = append(l, keyHint(th.Key, th.Faint, k, text)...) }
	switch {
	case d.meanwhile() != "":
	case d.Writing:
		hint("ctrl+s", "done writing")
		if m.cannotEdit(d) == "" {
			hint(editorKey, "editor")
		}
	case d.Run != nil:
		switch {
		case len(d.missing()) == 0 && !d.ready: // its answer is not taken yet, and keeps its place
			l = l.Add("", draw.Pad("", draw.Width(d.answers()+" "+d.Form.Verb+"  ")))
		case len(d.missing()) == 0:
			hint(d.answers(), d.Form.Verb)
			if d.Facts != nil && d.Tally != "" {
				l = l.Add(th.Faint, "typed: ").Add(th.Accent, draw.Show(d.typed)+"▏  ")
			}
		case d.Unread != nil:
			hint("u", "go to it")
		}
		switch {
		case d.text != nil && d.Facts != nil && d.NoteOptional:
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

// dialog is a question that is open.
type dialog struct {
	screen.Dialog
	typed   string    // of the tally
	savedAt time.Time // when the text was last saved
	text    edit.Text
	pager   *pager.Pager
	ready   bool
	details bool // of a sheet: all there is to know
	last    initial
}

// decline answers the waiting write with no.
func (d *dialog) decline() tea.Cmd {
	if d == nil || d.Declined == nil {
		return nil
	}
	return d.Declined()
}
