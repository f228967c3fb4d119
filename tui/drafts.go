package tui

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"toolcrib/internal/atomicfile"
	"toolcrib/tui/edit"
	"toolcrib/tui/screen"
)

// Texts that are not sent yet are kept as files, so that they outlive the
// dialog, the program and the machine's bad days.

// draftFile returns the path of a draft, "" without a drafts folder.
func (m *Model) draftFile(name string) string {
	if m.cfg.Drafts == "" || name == "" {
		return ""
	}
	switch filepath.Ext(name) {
	case ".md", ".json", ".txt":
	default:
		name += ".txt"
	}
	return filepath.Join(m.cfg.Drafts, filepath.Base(name))
}

// readDraft puts the draft of a dialog into it, unless the user has typed something
// meanwhile.
func (m *Model) readDraft(d *dialog) tea.Cmd {
	file := m.draftFile(d.Draft)
	if file == "" {
		return nil
	}
	return func() tea.Msg {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil // there is none
		}
		return result(func(m *Model) tea.Cmd {
			if m.dialog == d && d.text != nil && d.text.String() == "" {
				d.text = edit.New(string(text))
				m.say(remark, "Restored your draft for %s", d.About)
			}
			return nil
		})
	}
}

// saveDraft saves the text of a dialog as it is.
func (m *Model) saveDraft(d *dialog) tea.Cmd {
	file := m.draftFile(d.Draft)
	if file == "" || d.text == nil {
		return nil
	}
	text := d.text.String()
	d.savedAt = m.now()
	if text == "" {
		return m.dropDraft(d.Draft)
	}
	return func() tea.Msg { return screen.Done{Err: writeWhole(file, []byte(text))} }
}

func (m *Model) dropDraft(name string) tea.Cmd {
	file := m.draftFile(name)
	if file == "" {
		return nil
	}
	return func() tea.Msg {
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return screen.Done{Err: err}
		}
		return nil
	}
}

// then runs a command after another that answers nothing, or an error.
func then(first, second tea.Cmd) tea.Cmd {
	if first == nil || second == nil {
		return tea.Batch(first, second)
	}
	return func() tea.Msg {
		if msg, failed := first().(screen.Done); failed && msg.Err != nil {
			return msg
		}
		return second()
	}
}

// writeWhole writes a file in one step, in a folder that it makes.
func writeWhole(file string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return atomicfile.Write(file, text, atomicfile.Options{Mode: 0o600})
}
