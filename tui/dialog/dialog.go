// Package dialog implements dialogs. A dialog is a question in a sheet, which covers the lower part of the page.
package dialog

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/tui/edit"
	"toolcrib/tui/editor"
	"toolcrib/tui/pager"
	"toolcrib/tui/screen"
	"toolcrib/tui/unsent"
)

// Needs contains the parts of the workbench that a dialog uses.
type Needs struct {
	Status interface {
		Say(tone screen.Tone, format string, args ...any) tea.Cmd
		Fail(err error) tea.Cmd
	}
	After  func(time.Duration, tea.Msg) tea.Cmd
	Unsent *unsent.Folder
	Editor *editor.Editor
}

// Dialog is an open or closed dialog.
type Dialog struct {
	screen.Dialog
	Needs
	Pager     *pager.Pager // shows the content
	frame     screen.Frame
	typed     string    // typed digits of the number that the user must type
	savedAt   time.Time // time of the last save of the text
	text      edit.Text // text field; nil if the dialog has none
	ready     bool
	closed    bool
	changed   string    // how the subject has changed since the dialog was opened, or ""
	details   bool      // show the details below the facts
	ignoredAt time.Time // time of the last letter that had no effect
}

// Open opens a dialog for the given question. The command that it returns ends the grace period and restores the
// unsent text.
func Open(question screen.Dialog, needs Needs, f screen.Frame) (*Dialog, tea.Cmd) {
	d := &Dialog{Dialog: question, Needs: needs, Pager: pager.New(f.Theme)}
	if d.Form.Reason || d.NoteOptional {
		d.text = edit.New("")
	}
	if d.Locked == nil {
		d.Locked = func() []string { return nil }
	}
	d.Pager.SetWrap(true)
	d.Fit(f)
	ready := screen.Then{Do: func() tea.Cmd {
		d.ready = true
		return nil
	}}
	restored := d.Unsent.Read(d.Draft, func(text string) tea.Cmd {
		if d.closed || d.text == nil || d.text.String() != "" { // the dialog is closed, or the user has already typed a text
			return nil
		}
		d.text = edit.New(text)
		return d.Status.Say(screen.Remark, "Restored your draft for %s", d.About)
	})
	return d, tea.Batch(d.After(gracePeriod, ready), restored)
}

// Close closes the dialog.
func (d *Dialog) Close() { d.closed = true }

// Closed reports whether the dialog is closed. It returns true if d is nil.
func (d *Dialog) Closed() bool { return d == nil || d.closed }

// Expire disables the confirmation, because the subject has changed as described by why. It also closes the dialog,
// unless the user is typing a text: the page would take the next keys.
func (d *Dialog) Expire(why string) tea.Cmd {
	d.changed, d.closed = why+"; read it again", !d.Typing()
	return tea.Batch(d.Save(), d.Status.Say(screen.Warning, "%s", d.changed))
}

// Reopen reopens a dialog that was closed by an answer.
func (d *Dialog) Reopen() { d.closed = false }

// Decline calls the OnDecline function of the dialog.
func (d *Dialog) Decline() tea.Cmd { return screen.Run(d.OnDecline) }

// Typing reports whether the text field has the focus.
func (d *Dialog) Typing() bool { return d.Writing && d.text != nil }

func (d *Dialog) Text() string { return d.text.String() }

// SetText replaces the text. From then on, the text field preserves hidden characters.
func (d *Dialog) SetText(text string) {
	d.text = edit.NewLossless(text)
	d.layOut()
}

// Paste inserts pasted text at the cursor and moves the focus to the text field. It returns false if the dialog has no
// text field.
func (d *Dialog) Paste(text string) (cmd tea.Cmd, ok bool) {
	if d.text == nil {
		return nil, false
	}
	d.Writing = true
	d.text.Insert(text)
	return d.scheduleSave(), true
}

// Save returns a command that stores the current text. It returns nil if the dialog has no text to store.
func (d *Dialog) Save() tea.Cmd {
	if d.text == nil || d.Unsent.File(d.Draft) == "" {
		return nil
	}
	d.savedAt = d.frame.Now()
	return d.Unsent.Save(d.Draft, d.text.String())
}

// edit opens the text in the user's editor.
func (d *Dialog) edit() tea.Cmd {
	file := d.Unsent.File(d.Draft)
	if why := d.Editor.CannotOpen(file); why != "" {
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

// Fit lays out the dialog.
func (d *Dialog) Fit(f screen.Frame) {
	d.frame = f
	d.layOut()
}

// gracePeriod is the time after opening in which a dialog ignores y. A user who is typing when it opens cannot
// confirm it by accident. Other keys take effect at once.
const gracePeriod = 300 * time.Millisecond

// saveDelay is the pause in typing after which the dialog saves the text.
const saveDelay = 400 * time.Millisecond

// typingPause is the maximum time between two letters that belong to the same burst of typing.
const typingPause = time.Second

// ignoreLetter handles a letter that is not a key of the dialog. The user may be typing a note without having opened
// the text field, so a y that follows soon does not confirm the dialog.
func (d *Dialog) ignoreLetter() {
	d.ignoredAt = d.frame.Now()
	if d.isNote() {
		d.Status.Say(screen.Remark, "n adds a note; y %s", d.Form.Verb)
	}
}

// hasField reports whether the text field is shown. The field for an optional note is hidden until the user
// opens it.
func (d *Dialog) hasField() bool {
	return d.text != nil && (!d.isNote() || d.Writing || d.text.String() != "")
}

// isNote reports whether the text is an optional note.
func (d *Dialog) isNote() bool { return d.NoteOptional && !d.Tall }

// Key handles a key press.
func (d *Dialog) Key(msg tea.KeyPressMsg) tea.Cmd {
	name := msg.String()
	switch {
	case name == "esc":
		d.closed = true
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
			return d.scheduleSave()
		}
		return nil
	case name == "backspace" && d.typed != "":
		d.typed = d.typed[:len(d.typed)-1]
		return nil
	case d.TypedCount != "" && len(name) == 1 && name[0] >= '0' && name[0] <= '9':
		d.typed = (d.typed + name)[:min(len(d.typed)+1, len(d.TypedCount))]
		return nil
	}
	if name != "y" { // y counts directly after the typed count, but not in a text such as "3 years"
		d.typed = ""
	}
	switch name {
	case "down":
		d.Pager.Move(1)
	case "up":
		d.Pager.Move(-1)
	case "space", "pgdown":
		d.Pager.ScrollPages(1)
	case "pgup":
		d.Pager.ScrollPages(-1)
	case "y":
		return d.confirm()
	default:
		return d.otherKey(msg)
	}
	return nil
}

// editorKey is the key that opens the text in the user's editor.
const editorKey = "ctrl+o"

// otherKey handles the keys that neither scroll nor confirm. If the dialog requires a text, any unused letter begins
// the text.
func (d *Dialog) otherKey(msg tea.KeyPressMsg) tea.Cmd {
	name := msg.String()
	if name == "u" && d.OpenUnread != nil && len(d.Locked()) > 0 {
		d.closed = true
		return unsent.Then(d.Save(), d.OpenUnread())
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
	case name == "n" && d.isNote():
		d.Writing = true
		d.layOut()
		return nil
	case d.text != nil && msg.Text != "" && !d.isNote():
		d.Writing = true
		d.text.Key(msg)
		d.layOut()
		return d.scheduleSave()
	case d.text != nil && msg.Text != "":
		d.ignoreLetter()
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

// maxSaveDelay is the maximum time between two saves while the user types.
const maxSaveDelay = 2 * time.Second

// scheduleSave returns a command that saves the text after saveDelay, or at once if the last save is more than
// maxSaveDelay ago.
func (d *Dialog) scheduleSave() tea.Cmd {
	if d.frame.Now().Sub(d.savedAt) >= maxSaveDelay {
		return d.Save()
	}
	length := len(d.text.String())
	return d.After(saveDelay, screen.Then{Do: func() tea.Cmd {
		if !d.closed && len(d.text.String()) == length {
			return d.Save()
		}
		return nil
	}})
}

// confirm runs the action of the dialog, or shows the reason why it cannot run.
func (d *Dialog) confirm() tea.Cmd {
	text := d.trimmed()
	switch {
	case d.Run == nil:
		return nil
	case !d.ready:
		d.Status.Say(screen.Warning, "Read the dialog before confirming")
		return nil
	case d.frame.Now().Sub(d.ignoredAt) < typingPause:
		d.ignoreLetter()
		d.Status.Say(screen.Warning, "Not confirmed: y followed other letters; press n to write a note, or wait a second and press y")
		return nil
	case d.changed != "":
		d.Status.Say(screen.Warning, "Nothing changed: %s", d.changed)
		return nil
	case len(d.Locked()) > 0:
		d.Status.Say(screen.Warning, "Unread: %s; press u to go there", strings.Join(d.Locked(), ", "))
		return nil
	case d.invalidText() != "":
		d.Status.Say(screen.Warning, "Nothing changed: the text %s", d.invalidText())
		return nil
	case d.Form.Reason && text == "":
		d.Status.Say(screen.Warning, "Give a reason first")
		d.Writing = true
		return nil
	case d.typed != d.TypedCount:
		d.typed = ""
		d.Status.Say(screen.Warning, "Type %s, then y, to confirm", d.TypedCount)
		return nil
	}
	d.closed = true
	return d.Run(text)
}

// trimmed returns the text without surrounding white space.
func (d *Dialog) trimmed() string {
	if d.text == nil {
		return ""
	}
	return strings.TrimSpace(d.text.String())
}

// invalidText returns the reason why the text cannot be stored, or "". It accepts every manuscript, because
// manuscripts are parsed and checked later.
func (d *Dialog) invalidText() string {
	if d.Tall {
		return ""
	}
	return review.Unusable(d.trimmed(), proposals.MaxComment)
}
