// Package unsent stores unsent texts in files, so that they survive the dialog, the program, and a crash.
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

// Folder stores the texts; without a path it stores nothing. It orders changes by request, because commands run
// concurrently, and an older change must not overwrite a newer one.
type Folder struct {
	path    string
	mu      sync.Mutex
	newest  map[string]int // by file: number of the last requested change
	writing sync.Mutex
}

// New returns the folder at a path; "" stores nothing.
func New(path string) *Folder { return &Folder{path: path, newest: map[string]int{}} }

// File returns the path of a text, or "" if it is not stored.
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

// Read returns a command that passes a stored text to found, or nil if nothing is stored.
func (f *Folder) Read(name string, found func(text string) tea.Cmd) tea.Cmd {
	file := f.File(name)
	if file == "" {
		return nil
	}
	return func() tea.Msg {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil // no stored text
		}
		return screen.Then{Do: func() tea.Cmd { return found(string(text)) }}
	}
}

// Save returns a command that stores a text, or deletes the file if text is empty.
func (f *Folder) Save(name, text string) tea.Cmd {
	if text == "" {
		return f.Drop(name)
	}
	return f.change(name, func(file string) error { return Write(file, []byte(text)) })
}

// Drop returns a command that deletes a text.
func (f *Folder) Drop(name string) tea.Cmd {
	return f.change(name, func(file string) error {
		if err := os.Remove(file); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	})
}

// change returns a command that changes a file, unless a newer change of the file has been requested in the meantime.
func (f *Folder) change(name string, do func(file string) error) tea.Cmd {
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
		return screen.Done{Err: do(file)}
	}
}

// Then returns a command that runs first and, unless that fails, second.
func Then(first, second tea.Cmd) tea.Cmd {
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

// Write writes a file atomically and creates its folder.
func Write(file string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return atomicfile.Write(file, text, atomicfile.Options{Mode: 0o600})
}
