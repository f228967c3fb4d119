package tui

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"

	"toolcrib/internal/atomicfile"
	"toolcrib/tui/screen"
)

// memory is where the workbench was left, for the database that it was opened on. It
// stands in the folder of the unsent drafts of that database, so that nothing of it
// appears in the workbench of another.
type memory struct {
	Page  string                 `json:"page,omitempty"`  // as the bar names it
	Theme string                 `json:"theme,omitempty"` // that was chosen with a key
	Pages map[string]screen.Left `json:"pages,omitempty"` // by their names in the bar
}

// memoryFile is its name: the page of the drafts does not list what begins with a dot.
const memoryFile = ".screen.json"

// maxMemory is how long the file is at most, in bytes; more is not of the workbench.
const maxMemory = 64 << 10

// recall reads where the workbench was left, and takes up its theme. What cannot be read
// is forgotten.
func recall(m *shell) memory {
	var left memory
	if m.cfg.Drafts == "" {
		return left
	}
	file := filepath.Join(m.cfg.Drafts, memoryFile)
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() || info.Size() > maxMemory {
		return left
	}
	text, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(text, &left) != nil {
		return memory{}
	}
	if slices.Contains(looks(m), left.Theme) {
		m.look, m.picked = left.Theme, true
	}
	return left
}

// resume goes to the page that was left, and has each list begin where it was left.
func (m *pages) resume(left memory) {
	for _, r := range m.roots() {
		if p, ok := r.page.Page.(screen.Resumed); ok {
			p.Resume(left.Pages[string(r.name)])
		}
		if string(r.name) == left.Page {
			m.open(r.page)
		}
	}
}

// remember writes down where the workbench is left. It is a convenience: where nothing
// can be written, nothing is remembered.
func (m *Model) remember() {
	if m.cfg.Drafts == "" {
		return
	}
	left := memory{Pages: map[string]screen.Left{}}
	if m.picked {
		left.Theme = m.look
	}
	root := m.root()
	for _, r := range m.roots() {
		if r.page == root {
			left.Page = string(r.name)
		}
		if p, ok := r.page.Page.(screen.Resumed); ok {
			left.Pages[string(r.name)] = p.Left()
		}
	}
	text, err := json.Marshal(left)
	if err != nil || os.MkdirAll(m.cfg.Drafts, 0o700) != nil {
		return
	}
	_ = atomicfile.Write(filepath.Join(m.cfg.Drafts, memoryFile), text, atomicfile.Options{Mode: 0o600})
}
