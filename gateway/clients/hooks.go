// This file adds and removes hooks, which are commands that a client runs before each prompt.

package clients

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"toolcrib/gateway/clients/spanedit"
	"toolcrib/internal/lazyregexp"
)

// hookStyle describes how the files of a client represent hooks that run before each prompt. Hooks that run at the
// start of a session are not used, because Claude Code and Codex ignore the results of such hooks.
type hookStyle struct {
	event   string
	grouped bool   // the event contains groups, and each group contains commands
	more    string // additional members of the command object, as JSON
	version string // member at the beginning of a new file, as JSON
	places  []location
}

// hookPlaces returns locations of files that can contain hooks but list no servers.
func hookPlaces(paths ...string) []location {
	all := files(paths...)
	for i := range all {
		all[i].keys = [][]string{}
	}
	return all
}

// HasHooks reports whether the client supports hooks that can stop a prompt.
func (c Client) HasHooks() bool { return c.hooks.event != "" }

// Hooks returns the files that can contain hooks of the clients with the given ids, or of all clients if there are no
// ids. A missing file is included if ids are given or if its folder exists.
func (m Machine) Hooks(ids ...string) []File {
	var found []File
	for _, c := range All() {
		if !c.HasHooks() || len(ids) > 0 && !slices.Contains(ids, c.ID) {
			continue
		}
		var seen []string
		for _, l := range c.hooks.places {
			for _, name := range m.paths(l) {
				if slices.Contains(seen, name) {
					continue // the project folder is the home folder
				}
				seen = append(seen, name)
				f, there := m.read(c, l, name)
				if !there {
					if info, err := os.Stat(filepath.Dir(name)); len(ids) == 0 && (err != nil || !info.IsDir()) {
						continue
					}
					f = m.absent(c, l, name)
				}
				found = append(found, f)
			}
		}
	}
	return found
}

// absent returns a File for a path at which no file exists.
func (m Machine) absent(c Client, l location, name string) File {
	f := m.newFile(c, l, name, nil)
	f.real, f.missing = name, true
	if _, err := os.Lstat(name); err == nil {
		f.doc.Root, f.Problems = nil, []Problem{{Path: name, Text: "broken symbolic link"}}
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(name)); err == nil {
		f.real = filepath.Join(dir, filepath.Base(name))
		if m.linkEscapes(l, name, f.real) {
			f.Target = f.real
		}
	}
	return f
}

// hookCommand matches the command of a hook that the wrap command has added to a file. The groups contain the program
// and the value of --was. This value is the innermost part of the file that existed before the hook was added: "hooks",
// "event", or "" for the file itself.
var hookCommand = lazyregexp.New(`^(?:"([^"]*)"|'([^']*)'|(\S+)) check --files --hook [a-z-]+(?: .*?)??(?: --was (hooks|event))? \|\| exit 2$`)

// hookEnd makes the shell exit with status 2 if the command fails in any way, for example because of a missing program
// or a crash. Clients stop the prompt only for this status.
const hookEnd = " || exit 2"

// parseHookCommand parses the command of a hook. The result existing contains the value of --was, and ours reports
// whether the command is a hook of toolcrib.
func parseHookCommand(command string) (existing string, ours bool) {
	parts := hookCommand().FindStringSubmatch(command)
	if parts == nil || !isToolcrib(parts[1]+parts[2]+parts[3]) {
		return "", false
	}
	return parts[4], true
}

// element is a member of an object or an item of a list, identified by its parent and its index.
type element struct {
	in *spanedit.Node
	at int
}

// hook returns the path from the root of the file to the first hook of toolcrib, and the value of --was in this hook.
// The path consists of the member "hooks", the event, the group if the client has groups, and the command. It is nil if
// the file has no hook of toolcrib.
func (f *File) hook() (path []element, existing string) {
	member := func(in *spanedit.Node, name string) element {
		return element{in, slices.IndexFunc(in.Fields, func(fd spanedit.Field) bool { return fd.Name == name })}
	}
	hooks := f.doc.Root.Get("hooks")
	event := hooks.Get(f.hooks.event)
	if event == nil {
		return nil, ""
	}
	path = []element{member(f.doc.Root, "hooks"), member(hooks, f.hooks.event)}
	for i, item := range event.Items {
		if !f.hooks.grouped {
			if existing, ours := parseHookCommand(item.Get("command").Str()); ours {
				return append(path, element{event, i}), existing
			}
			continue
		}
		list := item.Get("hooks")
		if list == nil {
			continue
		}
		for j, command := range list.Items {
			if existing, ours := parseHookCommand(command.Get("command").Str()); ours {
				return append(path, element{event, i}, element{list, j}), existing
			}
		}
	}
	return nil, ""
}

// Hooked reports whether the file has a hook of toolcrib.
func (f *File) Hooked() bool {
	path, _ := f.hook()
	return path != nil
}

// HookCommand returns the command of toolcrib's hook, in the form that File.Hook accepts. It returns "" if there is no
// such hook.
func (f *File) HookCommand() string {
	path, existing := f.hook()
	if path == nil {
		return ""
	}
	last := path[len(path)-1]
	command := strings.TrimSuffix(last.in.Items[last.at].Get("command").Str(), hookEnd)
	return strings.TrimSuffix(command, " --was "+existing)
}

// hookProblem returns the reason why hooks cannot be added to or removed from the file. It returns "" if the file can
// be edited.
func (f *File) hookProblem() string {
	hooks := f.doc.Root.Get("hooks")
	event := hooks.Get(f.hooks.event)
	switch {
	case f.missing && f.doc.Root != nil:
		return ""
	case f.doc.Root == nil && len(f.Problems) > 0:
		return strings.Trim(strings.TrimPrefix(f.Problems[0].Error(), f.Path), ": ")
	case !json.Valid(f.doc.Data):
		return "the file is not plain JSON (comments are not allowed), so the client reads no hooks from it"
	case f.doc.Root.Kind != spanedit.Object || hooks != nil && hooks.Kind != spanedit.Object || event != nil && event.Kind != spanedit.List:
		return "the hooks do not have the form that the client expects"
	case f.doc.Root.Count("hooks") > 1 || hooks != nil && hooks.Count(f.hooks.event) > 1:
		return "the file has duplicate keys for hooks, and clients differ in which key they read"
	}
	return ""
}

// Hook returns a copy of the file with a hook that runs command before each prompt. The hook replaces an existing hook of
// toolcrib. If the file cannot be edited, Hook returns it unchanged, with the reason.
func (f *File) Hook(command string) (File, string) {
	if why := f.hookProblem(); why != "" {
		return *f, why
	}
	if path, existing := f.hook(); path != nil {
		last := path[len(path)-1]
		if existing != "" {
			command += " --was " + existing
		}
		data, ok := spanedit.Splice(f.doc.Data, []spanedit.Edit{last.in.Items[last.at].Get("command").Replace(spanedit.Quote(command + hookEnd))})
		if !ok || !json.Valid(data) {
			return *f, "the file cannot be edited without changing other parts"
		}
		return f.With(data), ""
	}
	if f.missing {
		return f.With(f.created(command + hookEnd)), ""
	}
	hooks := f.doc.Root.Get("hooks")
	event := hooks.Get(f.hooks.event)
	entry := func(was string) string {
		if was != "" {
			was = " --was " + was
		}
		return f.hooks.entry(command + was + hookEnd)
	}
	var add spanedit.Edit
	switch {
	case hooks == nil:
		add = f.doc.Add(f.doc.Root, "hooks", "{"+spanedit.Quote(f.hooks.event)+":["+entry("")+"]}")
	case event == nil && len(hooks.Fields) == 0:
		add = f.doc.Add(hooks, f.hooks.event, "["+entry("hooks")+"]")
	case event == nil:
		add = f.doc.Add(hooks, f.hooks.event, "["+entry("")+"]")
	case len(event.Items) == 0:
		add = f.doc.Add(event, "", entry("event"))
	default:
		add = f.doc.Add(event, "", entry(""))
	}
	data, ok := spanedit.Splice(f.doc.Data, []spanedit.Edit{add})
	after := f.With(data)
	if back, _ := after.Unhook(); !ok || !bytes.Equal(back.doc.Data, f.doc.Data) {
		return *f, "the file cannot be edited without changing other parts"
	}
	return after, ""
}

// Unhook returns a copy of the file without the hooks of toolcrib. It also removes surrounding objects that the wrap
// command added, if they are empty. If the wrap command created the file, the copy has nil data. If the file cannot be
// edited, Unhook returns it unchanged, with the reason.
func (f *File) Unhook() (File, string) {
	if why := f.hookProblem(); why != "" {
		return *f, why
	}
	path, existing := f.hook()
	if path == nil {
		return *f, ""
	}
	last := path[len(path)-1]
	if command := last.in.Items[last.at].Get("command").Str(); bytes.Equal(f.doc.Data, f.created(command)) {
		after := f.With(nil)
		after.doc.Data = nil
		return after, ""
	}
	n := len(path) - 1
	for n > 0 && len(path[n].in.Fields)+len(path[n].in.Items) == 1 {
		if existing == "event" && n == 2 || existing == "hooks" && n == 1 {
			break
		}
		n--
	}
	data, ok := spanedit.Splice(f.doc.Data, f.doc.Remove(path[n].in, path[n].at))
	if !ok || !json.Valid(data) {
		return *f, "the file cannot be edited without changing other parts"
	}
	after := f.With(data)
	return after.Unhook() // the file may contain further hooks
}

// entry returns the JSON of an item of the event: the command, or a group that contains only the command.
func (s hookStyle) entry(command string) string {
	entry := `{"type":"command","command":` + spanedit.Quote(command) + s.more + `}`
	if !s.grouped {
		return `{"command":` + spanedit.Quote(command) + s.more + `}`
	}
	return `{"hooks":[` + entry + `]}`
}

// created returns the content of a new file that contains only the hook.
func (f *File) created(command string) []byte {
	s := f.hooks
	return []byte(spanedit.Indented(`{`+s.version+`"hooks":{`+spanedit.Quote(s.event)+`:[`+s.entry(command)+`]}}`, "", "  ", "\n") + "\n")
}
