// Package dialog asks the user before something is done: in a box over the page, or in a
// sheet below it.
package dialog

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"toolcrib/tui/draw"
	"toolcrib/tui/edit"
	"toolcrib/tui/editor"
	"toolcrib/tui/pager"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
	"toolcrib/tui/unsent"
)

// Needs are the parts of the workbench that a dialog uses.
type Needs struct {
	Status interface {
		Say(tone screen.Tone, format string, args ...any) tea.Cmd
		Fail(err error) tea.Cmd
	}
	After  func(time.Duration, tea.Msg) tea.Cmd
	Unsent *unsent.Folder
	Editor *editor.Editor
}

// Dialog is a question that is open, until it is closed.
type Dialog struct {
	screen.Dialog
	Needs
	Pager   *pager.Pager // of its content
	frame   screen.Frame
	typed   string    // of the tally
	savedAt time.Time // when the text was last saved
	text    edit.Text // nil for none
	ready   bool
	closed  bool
	details bool      // of a sheet: all there is to know
	strayed time.Time // when the last letter came that is no key
}

// Open opens a dialog.
func Open(question screen.Dialog, needs Needs, f screen.Frame) (*Dialog, tea.Cmd) {
	d := &Dialog{Dialog: question, Needs: needs, Pager: pager.New(f.Theme)}
	if d.Form.Reason || d.NoteOptional {
		d.text = edit.New("")
	}
	d.Pager.SetWrap(true)
	d.Fit(f)
	ready := screen.Then{Do: func() tea.Cmd {
		d.ready = true
		return nil
	}}
	restored := d.Unsent.Read(d.Draft, func(text string) tea.Cmd {
		if d.closed || d.text == nil || d.text.String() != "" { // something was typed meanwhile
			return nil
		}
		d.text = edit.New(text)
		return d.Status.Say(screen.Remark, "Restored your draft for %s", d.About)
	})
	return d, tea.Batch(d.After(grace, ready), restored)
}

// Close ends the dialog.
func (d *Dialog) Close() { d.closed = true }

// Closed reports whether the dialog has ended; nil has.
func (d *Dialog) Closed() bool { return d == nil || d.closed }

// Reopen goes on with a dialog that was just answered.
func (d *Dialog) Reopen() { d.closed = false }

// Decline answers with no what waits for the dialog.
func (d *Dialog) Decline() tea.Cmd {
	if d.Declined == nil {
		return nil
	}
	return d.Declined()
}

// Types reports whether keys write its text.
func (d *Dialog) Types() bool { return d.Writing && d.text != nil }

// Text returns the text.
func (d *Dialog) Text() string { return d.text.String() }

// SetText replaces the text by one that keeps every character.
func (d *Dialog) SetText(text string) {
	d.text = edit.NewLossless(text)
	d.layOut()
}

// Paste puts pasted text where the cursor is; false where there is no text.
func (d *Dialog) Paste(text string) (cmd tea.Cmd, ok bool) {
	if d.text == nil {
		return nil, false
	}
	d.Writing = true
	d.text.Insert(text)
	return d.keep(), true
}

// Save returns a command that keeps the text as it is.
func (d *Dialog) Save() tea.Cmd {
	if d.text == nil || d.Unsent.File(d.Draft) == "" {
		return nil
	}
	d.savedAt = d.frame.Now()
	return d.Unsent.Save(d.Draft, d.text.String())
}

// edit opens the text in the editor.
func (d *Dialog) edit() tea.Cmd {
	file := d.Unsent.File(d.Draft)
	if why := d.Editor.Cannot(file); why != "" {
		return d.Status.Say(screen.Warning, "%s: %s", editorKey, why)
	}
	if err := unsent.Write(file, []byte(d.text.String())); err != nil {
		return d.Status.Fail(err)
	}
	return d.Editor.Run(editor.Manuscript{File: file, Name: d.About}, func(text []byte, err error) tea.Cmd {
		switch {
		case err != nil:
			return d.Status.Fail(err)
		case !d.closed:
			d.text, d.Writing = edit.New(strings.TrimSuffix(string(text), "\n")), true
		}
		return d.Save()
	})
}

// Fit lays the dialog out.
func (d *Dialog) Fit(f screen.Frame) {
	d.frame = f
	d.layOut()
}

// grace is how long it takes until a dialog is on the screen, in frames of the
// renderer, and takes an answer. All other keys act at once.
const grace = 50 * time.Millisecond

// pause is how long nothing is typed before a text is saved.
const pause = 400 * time.Millisecond

// pace is how soon a letter of a typed text follows on the one before, at most.
const pace = time.Second

// stray takes in a letter that is no key of the dialog. Who types a text here has not
// opened its field, and means no answer by a y in it.
func (d *Dialog) stray() {
	d.strayed = d.frame.Now()
	if d.note() {
		d.Status.Say(screen.Remark, "n adds a note; y %s", d.Form.Verb)
	}
}

// textHeight is how many lines the editor of a dialog has.
func (d *Dialog) textHeight() int {
	switch {
	case d.text == nil:
		return 0
	case d.Tall:
		return max(2, d.frame.Body-6) // the frame, the content, the label and the answer
	case d.frame.Body < 14:
		return 2
	case d.Facts != nil && d.frame.Height < 36:
		return 2
	}
	return 4
}

// hasField reports whether the field of the text is shown: always, except for a note in
// a sheet that nobody has begun.
func (d *Dialog) hasField() bool {
	return d.text != nil && (!d.note() || d.Writing || d.text.String() != "")
}

// note reports whether the text is one that is added to a decision on request.
func (d *Dialog) note() bool { return d.Facts != nil && d.NoteOptional }

func (d *Dialog) layOut() {
	if d.Facts != nil {
		d.resizeSheet()
		return
	}
	page := prose.New(d.frame.Theme)
	if missing := d.missing(); len(missing) > 0 {
		page.Line(draw.Of(d.frame.Theme.Warn, "Not read yet"))
		for _, name := range missing {
			page.Item(draw.Of(d.frame.Theme.Warn, "! "), name)
		}
		page.Blank()
	}
	d.Content(page)
	w, h := d.frame.Dialog(d.frame.Body)
	around := 3 // the frame and the answer
	if d.text != nil {
		around += 1 + d.textHeight()
	}
	d.Pager.Replace(page.Rows())
	d.Pager.SetSize(w-4, 1)
	d.Pager.SetSize(w-4, min(d.Pager.Lines(h)+1, max(1, h-around)))
}

// Key gives a key to the dialog.
func (d *Dialog) Key(msg tea.KeyPressMsg) tea.Cmd {
	name := msg.String()
	switch {
	case name == "esc":
		d.closed = true
		if d.Leave != nil {
			d.Leave()
		}
		if d.text != nil && d.text.String() != "" {
			d.Status.Say(screen.Remark, "Draft saved")
		}
		return tea.Batch(d.Save(), d.Decline())
	case (name == "tab" || name == "ctrl+s") && d.text != nil:
		d.Writing = !d.Writing
		d.layOut()
		return d.Save()
	case name == editorKey && d.text != nil:
		return d.edit()
	case d.Writing:
		if d.text.Key(msg) {
			return d.keep()
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
		d.Pager.Move(1)
	case "up":
		d.Pager.Move(-1)
	case "space", "pgdown":
		d.Pager.Page(1)
	case "pgup":
		d.Pager.Page(-1)
	case "y":
		return d.answer()
	default:
		return d.letter(msg)
	}
	return nil
}

// editorKey opens the text of a dialog in the user's editor.
const editorKey = "ctrl+o"

// letter gives a key that neither scrolls nor confirms to the dialog. What no answer
// is goes on with a reason. A note is begun by its key alone.
func (d *Dialog) letter(msg tea.KeyPressMsg) tea.Cmd {
	name := msg.String()
	if name == "u" && d.Unread != nil && len(d.missing()) > 0 {
		d.closed = true
		return unsent.Then(d.Save(), d.Unread())
	}
	for _, k := range d.Keys {
		if k.Matches(msg) {
			return k.Do()
		}
	}
	switch {
	case d.Facts != nil && name == "d":
		d.details = !d.details
		d.layOut()
		d.Pager.Home()
		return nil
	case name == "n" && d.note():
		d.Writing = true
		d.layOut()
		return nil
	case d.text != nil && msg.Text != "" && !d.note():
		return d.write(msg)
	case d.text != nil && msg.Text != "":
		d.stray()
	case name == "j":
		d.Pager.Move(1)
	case name == "k":
		d.Pager.Move(-1)
	case name == "n":
		d.closed = true
		return d.Decline()
	}
	return nil
}

// write begins a note or a reason with a key, or goes on with it.
func (d *Dialog) write(msg tea.KeyPressMsg) tea.Cmd {
	d.Writing = true
	d.text.Key(msg)
	d.layOut()
	return d.keep()
}

// count takes in a digit of the tally, or takes the last one back.
func (d *Dialog) count(name string) bool {
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
func (d *Dialog) keep() tea.Cmd {
	if d.frame.Now().Sub(d.savedAt) >= saveEvery {
		return d.Save()
	}
	length := len(d.text.String())
	return d.After(pause, screen.Then{Do: func() tea.Cmd {
		if !d.closed && len(d.text.String()) == length {
			return d.Save()
		}
		return nil
	}})
}

// answer carries out the answer of the user.
func (d *Dialog) answer() tea.Cmd {
	text := ""
	if d.text != nil {
		text = strings.TrimSpace(d.text.String())
	}
	switch {
	case d.Run == nil:
		return nil
	case !d.ready:
		d.Status.Say(screen.Warning, "Read the dialog before confirming")
		return nil
	case d.frame.Now().Sub(d.strayed) < pace:
		d.stray()
		d.Status.Say(screen.Warning, "Nothing changed: letters before y; n begins a note, and y after a pause confirms")
		return nil
	case d.meanwhile() != "":
		d.Status.Say(screen.Warning, "Nothing changed: %s", d.meanwhile())
		return nil
	case len(d.missing()) > 0:
		d.Status.Say(screen.Warning, "Not shown yet: %s; u goes there", strings.Join(d.missing(), ", "))
		return nil
	case d.Form.Reason && text == "":
		d.Status.Say(screen.Warning, "Give a reason first")
		d.Writing = true
		return nil
	case d.typed != d.Tally:
		d.typed = ""
		d.Status.Say(screen.Warning, "Type %s, then y, to confirm", d.Tally)
		return nil
	}
	d.closed = true
	return d.Run(text)
}

// meanwhile returns what happened to what the dialog is about since it was opened.
func (d *Dialog) meanwhile() string {
	if d.Changed == nil {
		return ""
	}
	return d.Changed()
}

func (d *Dialog) missing() []string {
	if d.Locked == nil {
		return nil
	}
	return d.Locked()
}

// minBehind is how many cells of the page on each side of a dialog are worth
// showing; above and below it, the page is always there.
const minBehind = 6

// View draws the dialog over the body of the page, which stays to be seen around it,
// dimmed. status is how many lines the message at the bottom has.
func (d *Dialog) View(f screen.Frame, body []string, status int) []string {
	d.frame = f
	if d.Facts != nil {
		return d.sheet(body, status)
	}
	w, _ := d.frame.Dialog(1)
	left := (d.frame.Width - w) / 2
	box := d.box(w)
	above := max(0, (d.frame.Body-len(box))/3)
	out := make([]string, d.frame.Body)
	var b strings.Builder
	for i := range out {
		behind := draw.Safe("")
		n := i - above
		if over := n < 0 || n >= len(box); i < len(body) && (over || left >= minBehind) {
			behind = draw.Safe(ansi.Strip(body[i])) // drawn by us: its texts passed the gate
		}
		b.Reset()
		if n >= 0 && n < len(box) {
			d.frame.Theme.Off.Write(&b, string(draw.Slice(behind, 0, left)))
			b.WriteString(box[n])
			d.frame.Theme.Off.Write(&b, string(draw.Slice(behind, left+w, d.frame.Width)))
		} else {
			d.frame.Theme.Off.Write(&b, string(draw.Slice(behind, 0, d.frame.Width)))
		}
		out[i] = b.String()
	}
	return out
}

// box draws the dialog itself, w cells wide.
func (d *Dialog) box(w int) []string {
	th := d.frame.Theme
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
	for _, line := range d.Pager.View() {
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
		for _, line := range edit.View(d.text, th, w-4-edge.Width(), d.textHeight(), d.Writing) {
			inside(edge.String(edge.Width()) + line)
		}
	}
	if answers := draw.Ends(d.answerLine(), d.more(), w-4); answers.Width() > 0 {
		inside(answers.String(w - 4))
	}
	frame("╰", "╯", "")
	return out
}

// answerLine returns the possible answers, or what is missing.
func (d *Dialog) answerLine() draw.Line {
	th := d.frame.Theme
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
func (d *Dialog) answers() string { return d.Tally + "y" }

// more shows that the window does not have everything, and where the rest is.
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
		return draw.Of(d.frame.Theme.Faint, sign)
	}
	return draw.Of(d.frame.Theme.Key, key).Add(d.frame.Theme.Faint, " "+sign)
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
			if d.Facts != nil && d.Tally != "" {
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
