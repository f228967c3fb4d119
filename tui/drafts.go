package tui

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/edit"
)

// Texts that are not sent yet are kept as files, so that they outlive the
// dialog, the program and the machine's bad days.

// keepMsg says that nothing was typed for a moment since a text had a length.
type keepMsg struct {
	dialog, length int
}

// draftMsg is a text that was kept.
type draftMsg struct {
	name, text string
}

// keptMsg says that a text could not be kept.
type keptMsg struct{ err error }

// draftFile returns the file of a kept text; "" when none are kept.
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

func (m *Model) readDraft(name string) tea.Cmd {
	file := m.draftFile(name)
	if file == "" {
		return nil
	}
	return func() tea.Msg {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil // there is none
		}
		return draftMsg{name, string(text)}
	}
}

// draftRead puts a kept text into its dialog, unless something else was typed
// meanwhile.
func (m *Model) draftRead(msg draftMsg) {
	if d := m.dialog; d != nil && d.draft == msg.name && d.text != nil && d.text.String() == "" {
		d.text = edit.New(msg.text)
		m.say(remark, "This is what you wrote before")
	}
}

// keepDraft saves the text of a dialog as it is.
func (m *Model) keepDraft(d *dialog) tea.Cmd {
	file := m.draftFile(d.draft)
	if file == "" || d.text == nil {
		return nil
	}
	text := d.text.String()
	d.keptAt = m.now()
	if text == "" {
		return m.dropDraft(d.draft)
	}
	return func() tea.Msg { return keptMsg{writeWhole(file, []byte(text))} }
}

func (m *Model) dropDraft(name string) tea.Cmd {
	file := m.draftFile(name)
	if file == "" {
		return nil
	}
	return func() tea.Msg {
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return keptMsg{err}
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
		if msg, failed := first().(keptMsg); failed && msg.err != nil {
			return msg
		}
		return second()
	}
}

// writeWhole writes a file beside its place and moves it there.
func writeWhole(file string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(file), ".draft-*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if syncErr := f.Sync(); err == nil {
		err = syncErr
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
