// This file finds, reads, and writes the configuration files of clients.

package clients

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"toolcrib/gateway/clients/spanedit"
	"toolcrib/internal/atomicfile"
	"toolcrib/internal/lists"
)

// Machine describes the machine on which to look for clients. Because it does not use the environment of the process,
// tests can describe any system.
type Machine struct {
	OS      string // like runtime.GOOS
	Home    string // absolute; "" omits the files below the home folder
	Project string // absolute; "" omits the files of a project
	Getenv  func(string) string
	// Inspect interprets an entry that starts toolcrib. If it is nil, no entry is recognized as a guard.
	Inspect Inspect
}

// folders contains candidates for the folders at the beginning of locations. Machine.folder uses the first candidate
// that has the requested name, applies to the system, and has a path. A candidate has a path if its variable is set or
// its path field is not empty. The path field is relative to the home folder. An entry with an empty system applies to
// all systems, and an entry with "unix" applies to all systems except Windows.
var folders = []struct{ name, system, variable, path string }{
	{"home", "", "", "."},
	{"xdg", "", "XDG_CONFIG_HOME", ".config"}, // the XDG specification defines this for every system
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

// folder returns the path of the named folder, or "" if the machine has no such folder. It ignores a variable with a
// relative path, as the XDG specification requires.
func (m Machine) folder(name string) string {
	if name == "project" {
		return m.Project
	}
	for _, f := range folders {
		if f.name != name || f.system != "" && f.system != m.OS && (f.system != "unix" || m.OS == "windows") {
			continue
		}
		if f.variable != "" && m.Getenv != nil {
			if value := m.Getenv(f.variable); filepath.IsAbs(value) {
				return value
			}
		}
		if f.path != "" && m.Home != "" {
			return filepath.Join(m.Home, filepath.FromSlash(f.path))
		}
	}
	return ""
}

// paths returns the paths that l describes, whether or not the files exist. It reads folders only to expand "*" and the
// folders of plugins and marketplaces.
func (m Machine) paths(l location) []string {
	name, rest, _ := strings.Cut(strings.TrimPrefix(l.path, "{"), "}")
	found := []string{m.folder(name)}
	if strings.HasPrefix(l.path, localPlugin) {
		found = lists.Map(m.LocalPlugins(), func(p Plugin) string { return p.Folder })
	}
	if strings.HasPrefix(l.path, marketplaceFolder) {
		for _, market := range m.marketplaces() {
			found = append(found, market.Location)
		}
		slices.Sort(found)
	}
	found = lists.Filter(found, filepath.IsAbs)
	for _, segment := range strings.FieldsFunc(rest, func(r rune) bool { return r == '/' }) {
		var next []string
		for _, dir := range found {
			if !strings.Contains(segment, "*") {
				next = append(next, filepath.Join(dir, segment))
				continue
			}
			entries, _ := os.ReadDir(dir) // a folder that cannot be read contributes no files
			for _, entry := range entries {
				if ok, _ := path.Match(segment, entry.Name()); ok && len(next) < 200 {
					next = append(next, filepath.Join(dir, entry.Name()))
				}
			}
		}
		found = next
	}
	return found
}

// Find reads the files of the clients with the given ids, or of all clients if there are no ids. It omits missing
// files. A file that cannot be read is included in the result, with the error in File.Problems.
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
					continue // the project folder is the home folder
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
		if at, ok := errors.AsType[*fs.PathError](err); ok {
			err = at.Err // Problem.Path already contains the path in the error
		}
		f.Problems = []Problem{{Path: name, Text: err.Error()}}
		f.doc.Root = nil
	}
	if m.linkEscapes(l, name, target) {
		f.Target = target
	}
	return f, true
}

// linkEscapes reports whether path leads out of the home folder or the project through a symbolic link. target is path
// with all symbolic links resolved.
func (m Machine) linkEscapes(l location, path, target string) bool {
	base := m.Home
	if l.scope() == Project {
		base = m.Project
	}
	if real, err := filepath.EvalSymlinks(base); err == nil {
		if rel, err := filepath.Rel(base, path); err == nil && filepath.IsLocal(rel) {
			return target != "" && target != filepath.Join(real, rel)
		}
	}
	return target != "" && target != filepath.Clean(path)
}

// readFile reads the regular file at path. It also returns the path with all symbolic links resolved. It returns an
// error if the file is not a regular file; opening a named pipe would block.
func readFile(path string) (data []byte, target string, err error) {
	target, err = filepath.EvalSymlinks(path)
	if err != nil {
		return nil, "", err
	}
	f, err := os.OpenFile(target, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, target, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, target, err
	}
	if !info.Mode().IsRegular() {
		return nil, target, errors.New("not a regular file")
	}
	data, err = io.ReadAll(io.LimitReader(f, MaxBytes+1))
	if err == nil && len(data) > MaxBytes {
		err = fmt.Errorf("larger than %d MB", MaxBytes>>20)
	}
	return data, target, err
}

// Errors of File.Write.
var (
	// ErrChanged indicates that the file has changed since it was read.
	ErrChanged = errors.New("the file has changed since it was read; try again")
	// ErrReadOnly indicates that the file is read-only. It is returned even if the permissions of the folder would
	// allow replacing the file.
	ErrReadOnly = errors.New("the file is read-only; make it writable first")
	// ErrLink indicates that a symbolic link leads out of the home folder or the project.
	ErrLink = errors.New("a symbolic link leads out of the folder")
)

// Write atomically replaces the content of the file with data. It returns ErrChanged if the file has changed since it
// was read. Write preserves the mode and the owner of the file. If the file has a Target and follow is false, Write
// returns ErrLink. If the file does not exist, Write creates the file and its folder. If data is nil, Write deletes the
// file.
func (f *File) Write(data []byte, follow bool) error {
	if f.Target != "" && !follow {
		return fmt.Errorf("%s: %w to %s; to write to that file, use --follow-links", f.Path, ErrLink, f.Target)
	}
	if info, err := os.Stat(f.real); err == nil && info.Mode().Perm()&0o222 == 0 {
		return fmt.Errorf("%s: %w", f.Path, ErrReadOnly)
	}
	unchanged := func() error {
		now, target, err := readFile(f.Path)
		if f.missing && errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if f.missing || err == nil && (target != f.real || !bytes.Equal(now, f.doc.Data)) {
			err = fmt.Errorf("%s: %w", f.Path, ErrChanged)
		}
		return err
	}
	switch {
	case data == nil:
		if err := unchanged(); err != nil {
			return err
		}
		return os.Remove(f.real)
	case f.missing:
		if err := os.MkdirAll(filepath.Dir(f.real), 0o755); err != nil {
			return err
		}
	}
	return atomicfile.Write(f.real, data, atomicfile.Options{Mode: 0o644, Keep: true, Check: unchanged})
}

// File is a configuration file.
type File struct {
	Client   string // id of the client
	Scope    Scope
	Path     string
	Target   string // path with links resolved, if a symbolic link leads out of the home folder or the project
	Servers  []Server
	Problems []Problem
	// Variables contains the values of the placeholders that the client replaces in files of a plugin, keyed by
	// placeholder.
	Variables map[string]string

	machine Machine
	real    string // path with all links resolved
	dialect dialect
	hooks   hookStyle
	at      location
	doc     spanedit.Document // Root is nil if the file could not be read
	unused  bool              // the client does not use the file
	missing bool              // the file does not exist yet
	held    []holder
	unclear bool // a key on the path to the servers occurs more than once
}

// holder is a value of the file that contains the entries of servers.
type holder struct {
	path   []string
	value  *spanedit.Node
	parent *spanedit.Node
}

func (m Machine) newFile(c Client, l location, path string, data []byte) File {
	f := File{Client: c.ID, Scope: l.scope(), Path: path, machine: m, dialect: c.dialect, hooks: c.hooks, at: l}
	var err error
	formats := map[string]spanedit.Format{".toml": spanedit.TOML, ".yaml": spanedit.YAML, ".yml": spanedit.YAML}
	if f.doc, err = spanedit.Parse(data, cmp.Or(formats[filepath.Ext(path)], spanedit.JSON)); err != nil {
		p, _ := errors.AsType[Problem](err)
		f.problem(p)
		return f
	}
	keys := l.keys
	if keys == nil {
		keys = c.dialect.keys
	}
	for _, keys := range keys {
		f.descend(holder{value: f.doc.Root}, keys)
	}
	for _, h := range f.held {
		f.read(h)
	}
	f.unused = (l.plugin > 0 || l.editor) && !f.plugin()
	return f
}

// With returns a copy of the file with the content data. It does not write to the disk.
func (f *File) With(data []byte) File {
	g := f.machine.newFile(Client{ID: f.Client, dialect: f.dialect, hooks: f.hooks}, f.at, f.Path, data)
	g.Target, g.real = f.Target, f.real
	return g
}

// Data returns the content of the file.
func (f *File) Data() []byte { return f.doc.Data }

func (f *File) problem(p Problem) {
	p.Path = f.Path
	f.Problems = append(f.Problems, p)
}

// descend looks for servers at the path keys below start.value. If the value there contains servers, descend adds it to
// f.held. Callers must pass longer paths first, because longer paths have precedence: if "mcp.servers" in a file of
// opencode contains servers, then "mcp" is not an object of servers.
func (f *File) descend(start holder, keys []string) {
	if len(keys) == 0 {
		longer := slices.ContainsFunc(f.held, func(h holder) bool { return slices.Equal(h.path[:min(len(start.path), len(h.path))], start.path) })
		if !longer && (start.value.Kind == spanedit.Object || start.value.Kind == spanedit.List) && !isServer(start.value) {
			f.held = append(f.held, start)
		}
		return
	}
	seen := map[string]bool{}
	for _, fd := range start.value.Fields {
		if keys[0] != "*" && fd.Name != keys[0] || seen[fd.Name] {
			continue
		}
		seen[fd.Name] = true
		if start.value.Field(fd.Name).Value != fd.Value {
			f.unclear = true
			f.problem(spanedit.ProblemAt(f.doc.Data, fd.Keys[0].From, "duplicate key %q; clients differ in which value they read", fd.Name))
		}
		next := holder{append(slices.Clone(start.path), fd.Name), start.value.Get(fd.Name), start.value}
		f.descend(next, keys[1:])
	}
}

// isServer reports whether n is the entry of a server rather than an object that contains entries. In a file of
// opencode, the value of "mcp.servers" may be either, because a server may be named "servers".
func isServer(n *spanedit.Node) bool {
	return n.Get("command") != nil && n.Get("command").Kind != spanedit.Object || n.Get("url").Str() != ""
}

func (f *File) read(h holder) {
	var off []string
	if f.dialect.off != nil {
		off = f.dialect.off(f.doc.Root, h.parent)
	}
	add := func(name string, n *spanedit.Node) {
		s := Server{Name: name, node: n, twice: len(h.value.Items) == 0 && h.value.Count(name) > 1}
		if len(h.path) == 3 && h.path[0] == "projects" {
			s.Project = h.path[1]
		}
		s.folder = f.folder(&s)
		s.read(f.dialect, f.machine.Inspect)
		s.Disabled = s.Disabled || slices.Contains(off, name)
		s.Refused = f.guardProblem(&s, h)
		f.Servers = append(f.Servers, s)
	}
	for _, fd := range h.value.Fields {
		add(fd.Name, fd.Value)
	}
	for _, item := range h.value.Items {
		add(item.Get("name").Str(), item)
	}
}

// Problem is a problem with a file, and its position in the file.
type Problem = spanedit.Problem

// MaxBytes is the maximum size of a client's file. Most files have a few kilobytes. ~/.claude.json, which also contains
// a history, can grow to several megabytes.
const MaxBytes = 5 << 20

// plugin completes a file that belongs to a plugin or an extension. It sets Variables, and marks the servers of a
// disabled plugin as disabled. For an extension or a marketplace, it creates the servers. It reports whether the client
// uses the file.
func (f *File) plugin() (used bool) {
	if f.at.editor {
		return f.extension()
	}
	root := f.Path
	for range f.at.plugin {
		root = filepath.Dir(root)
	}
	f.Variables = map[string]string{ // code.claude.com/docs/en/plugins-reference, geminicli.com/docs/extensions/reference
		"${CLAUDE_PLUGIN_ROOT}": root, "${extensionPath}": root, "${/}": string(filepath.Separator), "${pathSeparator}": string(filepath.Separator),
	}
	if strings.HasPrefix(f.at.path, localPlugin) {
		f.disable(!slices.ContainsFunc(f.machine.LocalPlugins(), func(p Plugin) bool { return p.Folder == root && !p.Disabled }))
		return true
	}
	if strings.HasPrefix(f.at.path, marketplaceFolder) {
		return f.marketplace(root)
	}
	_, below, _ := strings.Cut(filepath.ToSlash(root), "/plugins/cache/")
	names := strings.Split(below, "/")
	if len(names) != 3 { // the file belongs to a client other than Claude Code
		return true
	}
	id := names[1] + "@" + names[0]
	if installed := f.machine.installedPlugins()[id]; len(installed) > 0 {
		for _, p := range installed {
			used = used || p == "" || strings.HasSuffix(filepath.ToSlash(filepath.Clean(p)), "/"+below)
		}
		if !used {
			return false // an older version that is still in Claude Code's cache
		}
	}
	if slices.ContainsFunc(f.machine.LocalPlugins(), func(p Plugin) bool { return p.ID == id }) {
		return false // a copy of files that Claude Code reads elsewhere
	}
	enabled, decided := f.machine.enabledPlugins()[id]
	f.disable(decided && !enabled)
	return true
}

// disable marks all servers of the file as disabled if off is set.
func (f *File) disable(off bool) {
	for i := range f.Servers {
		f.Servers[i].Disabled = f.Servers[i].Disabled || off
	}
}

// readJSON decodes the JSON file at path. It returns the zero value if path is relative, or if the file is missing or
// invalid.
func readJSON[T any](path string) (v T) {
	if data, _, err := readFile(path); err != nil || !filepath.IsAbs(path) || json.Unmarshal(data, &v) != nil {
		var zero T
		return zero
	}
	return v
}

// installedPlugins returns the folders of the plugins that Claude Code has installed, keyed by plugin id.
func (m Machine) installedPlugins() map[string][]string {
	file := readJSON[struct {
		Plugins map[string][]struct {
			Path string `json:"installPath"`
		} `json:"plugins"`
	}](filepath.Join(m.folder("claude-home"), "plugins", "installed_plugins.json"))
	installed := map[string][]string{}
	for id, versions := range file.Plugins {
		for _, p := range versions {
			installed[id] = append(installed[id], p.Path)
		}
	}
	return installed
}

// enabledPlugins returns, for each plugin id in the settings of Claude Code, whether the plugin is enabled. The most
// specific settings file has precedence.
func (m Machine) enabledPlugins() map[string]bool {
	all := map[string]bool{}
	for _, name := range []string{filepath.Join(m.folder("claude-home"), "settings.json"), filepath.Join(m.Project, ".claude", "settings.json"), filepath.Join(m.Project, ".claude", "settings.local.json")} {
		for id, value := range readJSON[struct {
			Enabled map[string]any `json:"enabledPlugins"` // a boolean, or a list of versions
		}](name).Enabled {
			if value != nil {
				all[id] = value != false
			}
		}
	}
	return all
}

// Plugin is a plugin of Claude Code.
type Plugin struct {
	ID       string // name@marketplace
	Folder   string // absolute
	Disabled bool
}

// localPlugin is the prefix of a location's path that represents the folder of a local plugin.
const localPlugin = "{claude-plugin}"

// marketplaceFolder is the prefix of a location's path that represents the folder of a marketplace.
const marketplaceFolder = "{claude-marketplace}"

// marketplace is an entry of Claude Code's list of plugin marketplaces.
type marketplace struct {
	Source   struct{ Source string }
	Location string `json:"installLocation"`
}

// marketplaces returns the marketplaces that are known to Claude Code, keyed by name.
func (m Machine) marketplaces() map[string]marketplace {
	return readJSON[map[string]marketplace](filepath.Join(m.folder("claude-home"), "plugins", "known_marketplaces.json"))
}

// marketplace adds the servers that the marketplace file in root declares for installed plugins
// (code.claude.com/docs/en/plugin-marketplaces). It returns false if there are no such servers. The servers cannot be
// guarded, because their commands refer to the folders of their plugins, which differ within a marketplace file.
func (f *File) marketplace(root string) bool {
	f.Servers, f.Problems = nil, nil
	plugins := f.doc.Root.Get("plugins")
	if plugins == nil {
		return false
	}
	installed, enabled := f.machine.installedPlugins(), f.machine.enabledPlugins()
	for market, at := range f.machine.marketplaces() {
		if filepath.Clean(at.Location) != root {
			continue
		}
		for _, p := range plugins.Items {
			plugin, declared := p.Get("name").Str(), p.Get("mcpServers")
			id := plugin + "@" + market
			on, decided := enabled[id]
			if declared == nil || !decided && len(installed[id]) == 0 {
				continue
			}
			names := lists.Map(declared.Fields, func(fd spanedit.Field) string { return fd.Name })
			if len(names) == 0 {
				names = []string{plugin} // mcpServers contains the names of files instead of servers
			}
			for _, name := range names {
				f.Servers = append(f.Servers, Server{
					Name: name, node: &spanedit.Node{}, Disabled: decided && !on,
					Refused: "the marketplace declares the server for the plugin " + plugin + ", so toolcrib can neither guard nor compare it; move the entry to .mcp.json in the folder of the plugin",
				})
			}
		}
	}
	return len(f.Servers) > 0
}

// LocalPlugins returns the installed plugins that Claude Code loads from the folder of a local marketplace, ordered by
// marketplace. Several plugins may have the same folder. Claude Code 2.1.332 uses this folder even though it also copies
// the plugin to its cache.
func (m Machine) LocalPlugins() (plugins []Plugin) {
	known := m.marketplaces()
	if len(known) == 0 {
		return nil
	}
	installed, enabled := m.installedPlugins(), m.enabledPlugins()
	for _, market := range slices.Sorted(maps.Keys(known)) {
		at := known[market]
		if at.Source.Source != "directory" && at.Source.Source != "file" || !filepath.IsAbs(at.Location) {
			continue
		}
		list := readJSON[struct {
			Metadata struct {
				PluginRoot string `json:"pluginRoot"`
			}
			Plugins []struct {
				Name   string
				Source any // a path in the folder, or an object for an external source
			}
		}](filepath.Join(at.Location, ".claude-plugin", "marketplace.json"))
		for _, p := range list.Plugins {
			id := p.Name + "@" + market
			on, decided := enabled[id]
			dir, local := p.Source.(string)
			if !strings.HasPrefix(dir, ".") { // code.claude.com/docs/en/plugin-marketplaces: pluginRoot is prepended to bare names
				dir = filepath.Join(list.Metadata.PluginRoot, dir)
			}
			if !local || !decided && len(installed[id]) == 0 || !filepath.IsLocal(filepath.FromSlash(dir)) {
				continue
			}
			folder := filepath.Join(at.Location, filepath.FromSlash(dir))
			if info, err := os.Stat(folder); err == nil && info.IsDir() {
				plugins = append(plugins, Plugin{ID: id, Folder: folder, Disabled: decided && !on})
			}
		}
	}
	return plugins
}

// contributions contains the keys in an extension's package.json that declare features for agents, and the name of each
// feature for messages (code.visualstudio.com/api/references/contribution-points).
var contributions = []struct{ key, words string }{
	{"mcpServerDefinitionProviders", "MCP servers"},
	{"languageModelTools", "tools"},
	{"chatSkills", "skills"},
	{"chatInstructions", "instructions"},
	{"chatPromptFiles", "prompts"},
	{"chatAgents", "agents"},
}

// extension replaces the servers of the file by a single server that represents all agent features of an editor
// extension. It returns false if the extension has no such features.
func (f *File) extension() bool {
	f.Servers, f.Problems = nil, nil
	if f.doc.Root == nil {
		return false
	}
	var brings []string
	for _, c := range contributions {
		if n := f.doc.Root.Get("contributes").Get(c.key); n != nil && (len(n.Items) > 0 || len(n.Fields) > 0) {
			brings = append(brings, c.words)
		}
	}
	if len(brings) == 0 {
		return false
	}
	f.Servers = []Server{{
		Name: f.doc.Root.Get("name").Str(), node: &spanedit.Node{},
		Refused: "an extension provides " + strings.Join(slices.Compact(brings), ", ") + " that are not in a file of the client, so toolcrib can neither guard nor compare them",
	}}
	return true
}
