// Package unsent stores the user's unsent texts in files. An unsent text is a comment, a reason, or a
// proposal that the user has begun to write. It survives when its dialog is closed, when the program ends,
// and when the program crashes.
package unsent

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	tea "charm.land/bubbletea/v2"

	"toolcrib/internal/atomicfile"
	"toolcrib/tui/screen"
)

// Folder stores unsent texts. If its path is "", it stores nothing. Commands run concurrently, so Folder
// numbers the changes of each file. An older change never overwrites a newer one.
type Folder struct {
	path    string
	mu      sync.Mutex
	newest  map[string]int // for each file, the number of the last requested change
	writing sync.Mutex
}

// New returns a Folder that stores texts in the folder at path. If path is "", it stores nothing.
func New(path string) *Folder { return &Folder{path: path, newest: map[string]int{}} }

// File returns the path of the file for the text named name, or "" if the text is not stored.
func (f *Folder) File(name string) string {
	if f.path == "" || name == "" {
		return ""
	}
	switch filepath.Ext(name) {
	case ".md", ".json", ".txt":
	default:
		name += ".txt"
	}
	return filepath.Join(f.path, filepath.Base(name))
}

// Read returns a command that passes the stored text, if any, to fn.
func (f *Folder) Read(name string, fn func(text string) tea.Cmd) tea.Cmd {
	file := f.File(name)
	if file == "" {
		return nil
	}
	return func() tea.Msg {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil // no text is stored
		}
		return screen.Then{Do: func() tea.Cmd { return fn(string(text)) }}
	}
}

// Save returns a command that stores text. If text is empty, the command deletes the stored text instead.
func (f *Folder) Save(name, text string) tea.Cmd {
	if text == "" {
		return f.Drop(name)
	}
	return f.change(name, func(file string) error { return Write(file, []byte(text)) })
}

// Drop returns a command that deletes the text named name.
func (f *Folder) Drop(name string) tea.Cmd {
	return f.change(name, func(file string) error {
		if err := os.Remove(file); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	})
}

// change returns a command that calls fn to change a file. The command does nothing if a newer change of the
// file has been requested in the meantime.
func (f *Folder) change(name string, fn func(file string) error) tea.Cmd {
	file := f.File(name)
	if file == "" {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.newest[file]++
	order := f.newest[file]
	return func() tea.Msg {
		f.writing.Lock()
		defer f.writing.Unlock()
		f.mu.Lock()
		stale := order < f.newest[file]
		f.mu.Unlock()
		if stale {
			return nil
		}
		return screen.Done{Err: fn(file)}
	}
}

// Then returns a command that runs cmd and, if it does not fail, next.
func Then(cmd, next tea.Cmd) tea.Cmd {
	if cmd == nil || next == nil {
		return tea.Batch(cmd, next)
	}
	return func() tea.Msg {
		if msg, failed := cmd().(screen.Done); failed && msg.Err != nil {
			return msg
		}
		return next()
	}
}

// Write writes text to a file atomically. It creates the folder of the file if necessary.
func Write(file string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return atomicfile.Write(file, text, atomicfile.Options{Mode: 0o600})
}
