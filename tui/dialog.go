package tui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/draw"
	"toolcrib/tui/edit"
	"toolcrib/tui/pager"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
)

// grace is how long a dialog has been on the screen before it takes an answer,
// so that a key meant for the page before does not answer it.
const grace = 400 * time.Millisecond

// dialog is a question that is open.
type dialog struct {
	screen.Dialog
	typed   string    // of the tally
	savedAt time.Time // when the text was last saved
	text    *edit.Text
	pager   *pager.Pager
	ready   bool
}

// ask opens a dialog.
func (m *Model) ask(question screen.Dialog) tea.Cmd {
	d := &dialog{Dialog: question}
	if d.Form.Reason || d.NoteOptional {
		d.text = edit.New("")
	}
	d.pager = pager.New(m.theme)
	d.pager.SetWrap(true)
	m.dialog = d
	d.resize(m)
	ready := result(func(*Model) tea.Cmd {
		d.ready = true
		return nil
	})
	return tea.Batch(m.after(grace, ready), m.readDraft(d))
}

// textHeight is how many lines the editor of a dialog has.
func (d *dialog) textHeight(m *Model) int {
	switch {
	case d.text == nil:
		return 0
	case d.Tall:
		return max(2, m.layout.Body-6) // the frame, the content, the label and the answer
	case m.layout.Body < 14:
		return 2
	}
	return 4
}

func (d *dialog) resize(m *Model) {
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
func (d *dialog) key(m *Model, msg tea.KeyPressMsg) tea.Cmd {
	name := msg.String()
	switch {
	case name == "esc":
		m.dialog = nil
		if d.Leave != nil {
			d.Leave()
		}
		if d.text != nil && d.text.String() != "" {
			m.say(remark, "Draft saved")
		}
		return tea.Batch(m.saveDraft(d), d.decline())
	case (name == "tab" || name == "ctrl+s") && d.text != nil:
		d.Writing = !d.Writing
		return m.saveDraft(d)
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

// letter gives a key that neither scrolls nor confirms to the dialog. What no answer
// is begins the note or the reason, or goes on with it.
func (d *dialog) letter(m *Model, msg tea.KeyPressMsg) tea.Cmd {
	name := msg.String()
	if name == "u" && d.Unread != nil && len(d.missing()) > 0 {
		if !d.ready {
			return nil
		}
		m.dialog = nil
		return then(m.saveDraft(d), m.carry(d.Unread()))
	}
	if do := d.Other[name]; do != nil {
		if !d.ready {
			return nil
		}
		return m.carry(do())
	}
	switch {
	case d.text != nil && msg.Text != "":
		d.Writing = true
		d.text.Key(msg)
		return d.keep(m)
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
func (d *dialog) keep(m *Model) tea.Cmd {
	if m.now().Sub(d.savedAt) >= saveEvery {
		return m.saveDraft(d)
	}
	length := len(d.text.String())
	return m.after(grace, result(func(m *Model) tea.Cmd {
		if m.dialog == d && len(d.text.String()) == length {
			return m.saveDraft(d)
		}
		return nil
	}))
}

// answer carries out the answer of the user.
func (d *dialog) answer(m *Model) tea.Cmd {
	text := ""
	if d.text != nil {
		text = strings.TrimSpace(d.text.String())
	}
	switch {
	case d.Run == nil:
		return nil
	case !d.ready:
		m.say(warning, "Read the dialog before confirming")
		return nil
	case d.meanwhile() != "":
		m.say(warning, "Nothing changed: %s", d.meanwhile())
		return nil
	case len(d.missing()) > 0:
		m.say(warning, "Read these first: u jumps to the next")
		return nil
	case d.Form.Reason && text == "":
		m.say(warning, "Give a reason first")
		d.Writing = true
		return nil
	case d.typed != d.Tally:
		d.typed = ""
		m.say(warning, "Type %s, then y, to confirm", d.Tally)
		return nil
	}
	m.dialog = nil
	return m.carry(d.Run(text))
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
