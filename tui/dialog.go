package tui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/tui/draw"
	"toolcrib/tui/edit"
	"toolcrib/tui/pager"
	"toolcrib/tui/prose"
)

// grace is how long a dialog has been on the screen before it takes an answer,
// so that a key meant for the page before does not answer it.
const grace = 400 * time.Millisecond

// dialogWidth is how wide a dialog is where there is room, in cells.
const dialogWidth = 92

// dialog asks before something is done. It is answered by y, never by enter.
type dialog struct {
	number       int
	form         proposals.Form // its title, what y does, and whether it needs a reason
	content      func(*Model, *prose.Page)
	locked       func(*Model) []string // what has to be on the screen first
	noteOptional bool                  // a note can be given
	focusText    bool                  // the keys write
	tall         bool                  // the text takes all the room that there is
	label        draw.Safe             // of the text, "" for a reason
	draft        string                // under which name the text is kept, "" for not at all
	run          func(m *Model, text string) tea.Cmd
	other        map[string]func(*Model) tea.Cmd // further answers, by key
	otherHelp    [][2]string
	leave        func(*Model)         // on esc
	declined     func() tea.Cmd       // on esc and on n
	unread       func(*Model) tea.Cmd // on u while it is locked: goes to what was not on the screen
	changed      func(*Model) string  // what happened meanwhile to what it is about, "" for nothing
	tally        string               // what is typed before y, so that many are not decided by one key; "" for nothing

	typed string // of the tally

	savedAt time.Time // when the text was last saved

	text  *edit.Text
	pager *pager.Pager
	ready bool
}

// ask opens a dialog.
func (m *Model) ask(d *dialog) tea.Cmd {
	m.dialogs++
	d.number = m.dialogs
	if d.form.Reason || d.noteOptional {
		d.text = edit.New("")
	}
	d.pager = pager.New(m.theme)
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
	case d.tall:
		return max(2, m.layout.Body-6) // the frame, the content, the label and the answer
	case m.layout.Body < 14:
		return 2
	}
	return 4
}

func (d *dialog) resize(m *Model) {
	page := prose.New(m.theme)
	if missing := d.missing(m); len(missing) > 0 {
		page.Line(draw.Of(m.theme.Warn, "Not read yet"))
		for _, name := range missing {
			page.Item(draw.Of(m.theme.Warn, "! "), name)
		}
		page.Blank()
	}
	d.content(m, page)
	w, h := m.layout.Dialog(dialogWidth, m.layout.Body)
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
		if d.leave != nil {
			d.leave(m)
		}
		if d.text != nil && d.text.String() != "" {
			m.say(remark, "Draft saved")
		}
		return tea.Batch(m.saveDraft(d), d.decline())
	case (name == "tab" || name == "ctrl+s") && d.text != nil:
		d.focusText = !d.focusText
		return m.saveDraft(d)
	case d.focusText:
		if d.text.Key(msg) {
			return d.keep(m)
		}
		return nil
	}
	switch name {
	case "j", "down":
		d.pager.Move(1)
	case "k", "up":
		d.pager.Move(-1)
	case "space", "pgdown":
		d.pager.Page(1)
	case "pgup":
		d.pager.Page(-1)
	case "y":
		return d.answer(m)
	case "u":
		if d.unread != nil && d.ready && len(d.missing(m)) > 0 {
			m.dialog = nil
			return then(m.saveDraft(d), d.unread(m))
		}
	case "n":
		m.dialog = nil
		return tea.Batch(m.saveDraft(d), d.decline())
	case "backspace":
		d.typed = d.typed[:max(0, len(d.typed)-1)]
	default:
		if do := d.other[name]; do != nil && d.ready {
			return do(m)
		}
		d.count(name)
	}
	return nil
}

// count takes in a digit of the tally.
func (d *dialog) count(name string) {
	if len(name) == 1 && name[0] >= '0' && name[0] <= '9' && len(d.typed) < len(d.tally) {
		d.typed += name
	}
}

// saveEvery is how long somebody can type without a pause and have nothing of
// it saved.
const saveEvery = 2 * time.Second

// keep saves the text when nothing more is typed for a moment.
func (d *dialog) keep(m *Model) tea.Cmd {
	if m.now().Sub(d.savedAt) >= saveEvery {
		return m.saveDraft(d)
	}
	return m.after(grace, saveDraftMsg{d.number, len(d.text.String())})
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
		m.say(warning, "Read the dialog before confirming")
		return nil
	case d.meanwhile(m) != "":
		m.say(warning, "Nothing changed: %s", d.meanwhile(m))
		return nil
	case len(d.missing(m)) > 0:
		m.say(warning, "Read these first: u jumps to the next")
		return nil
	case d.form.Reason && text == "":
		m.say(warning, "Give a reason first")
		d.focusText = true
		return nil
	case d.typed != d.tally:
		d.typed = ""
		m.say(warning, "Type %s, then y, to confirm", d.tally)
		return nil
	}
	m.dialog = nil
	return d.run(m, text)
}

// meanwhile returns what happened to what the dialog is about since it was opened.
func (d *dialog) meanwhile(m *Model) string {
	if d.changed == nil {
		return ""
	}
	return d.changed(m)
}

func (d *dialog) missing(m *Model) []string {
	if d.locked == nil {
		return nil
	}
	return d.locked(m)
}
