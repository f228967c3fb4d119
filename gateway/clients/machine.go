package clients

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Machine is where clients are looked for. Nothing is read from the process, so
// that every system can be looked at from any.
type Machine struct {
	OS      string // as runtime.GOOS
	Home    string // absolute; "" leaves out the files below it
	Project string // absolute; "" leaves out the files of a project
	Getenv  func(string) string
	// Inspect reads an entry that starts toolcrib; without one, no entry is a guard.
	Inspect Inspect
}

// folders are the folders that locations begin with: the first rule for the system
// counts whose variable is set, or that has a path below the home folder. "unix" is
// every system but Windows.
var folders = []struct{ name, system, variable, path string }{
	{"home", "", "", "."},
	{"xdg", "", "XDG_CONFIG_HOME", ".config"}, // what xdg-basedir gives on every system
	{"local", "windows", "LOCALAPPDATA", "AppData/Local"},
	{"local", "", "XDG_CONFIG_HOME", ".config"},
	{"appdata", "windows", "APPDATA", "AppData/Roaming"}, // app.getPath("appData") of Electron
	{"appdata", "darwin", "", "Library/Application Support"},
	{"appdata", "", "XDG_CONFIG_HOME", ".config"},
	{"roaming", "windows", "APPDATA", "AppData/Roaming"},
	{"unix", "unix", "XDG_CONFIG_HOME", ".config"},
	{"zed", "darwin", "", ".config"},
	{"zed", "unix", "FLATPAK_XDG_CONFIG_HOME", ""},
	{"zed", "unix", "XDG_CONFIG_HOME", ".config"},
	{"claude", "", "CLAUDE_CONFIG_DIR", "."},
	{"claude-home", "", "CLAUDE_CONFIG_DIR", ".claude"},
	{"codex", "", "CODEX_HOME", ".codex"},
	{"copilot", "", "COPILOT_HOME", ".copilot"},
	{"gemini", "", "GEMINI_CLI_HOME", "."},
	{"opencode", "", "OPENCODE_CONFIG", ""},
}

// folder returns the path for a name in braces, "" for none. A variable with a
// relative path counts as unset, as the XDG specification has it.
func (m Machine) folder(name string) string {
	if name == "project" {
		return m.Project
	}
	for _, f := range folders {
		if f.name != name || f.system != "" && f.system != m.OS && (f.system != "unix" || m.OS == "windows") {
			continue
		}
		if value := m.Getenv(f.variable); f.variable != "" && filepath.IsAbs(value) {
			return value
		}
		if f.path != "" && m.Home != "" {
			return filepath.Join(m.Home, filepath.FromSlash(f.path))
		}
	}
	return ""
}

// paths returns the files that a location names. Only a "*" is looked up.
func (m Machine) paths(l location) []string {
	name, rest, _ := strings.Cut(strings.TrimPrefix(l.path, "{"), "}")
	base := m.folder(name)
	if !filepath.IsAbs(base) {
		return nil
	}
	found := []string{base}
	for _, segment := range strings.FieldsFunc(rest, func(r rune) bool { return r == '/' }) {
		var next []string
		for _, dir := range found {
			if !strings.Contains(segment, "*") {
				next = append(next, filepath.Join(dir, segment))
				continue
			}
			entries, _ := os.ReadDir(dir) // a folder that cannot be read has no files
			for _, entry := range entries {
				if ok, _ := path.Match(segment, entry.Name()); ok && len(next) < maxFiles {
					next = append(next, filepath.Join(dir, entry.Name()))
				}
			}
		}
		found = next
	}
	return found
}

// maxFiles limits how many files one pattern finds.
const maxFiles = 200

// Find reads the files of the clients with the given ids, or of all clients. It
// leaves out missing files; the problems of a file are in its Problems.
func (m Machine) Find(ids ...string) []File {
	var files []File
	var seen []string
	for _, c := range All() {
		if len(ids) > 0 && !slices.Contains(ids, c.ID) {
			continue
		}
		for _, l := range c.places {
			for _, name := range m.paths(l) {
				if slices.Contains(seen, c.ID+name) {
					continue // the project is the home folder
				}
				seen = append(seen, c.ID+name)
				if f, there := m.read(c, l, name); there && !f.unused {
					files = append(files, f)
				}
			}
		}
	}
	return files
}

func (m Machine) read(c Client, l location, name string) (File, bool) {
	data, target, err := readFile(name)
	if os.IsNotExist(err) {
		return File{}, false
	}
	f := m.newFile(c, l, name, data)
	f.real = target
	if err != nil {
		f.Problems = []Problem{{Path: name, Text: reason(err)}}
		f.doc.Root = nil
	}
	if m.leadsOut(l, name, target) {
		f.Target = target
	}
	return f, true
}

// leadsOut reports whether a file lies elsewhere than its path below the home
// folder or the project says, because of a symbolic link on the way.
func (m Machine) leadsOut(l location, name, target string) bool {
	base := m.Home
	if l.scope() == Project {
		base = m.Project
	}
	if real, err := filepath.EvalSymlinks(base); err == nil {
		if rel, err := filepath.Rel(base, name); err == nil && filepath.IsLocal(rel) {
			return target != "" && target != filepath.Join(real, rel)
		}
	}
	return target != "" && target != filepath.Clean(name)
}
