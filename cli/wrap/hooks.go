// This file plans changes to the hooks that check skills and instruction files in clients.

package wrap

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"toolcrib/cli/command"
	"toolcrib/cli/output"
	"toolcrib/cli/settings"
	"toolcrib/gateway/clients"
	"toolcrib/internal/lists"
	"toolcrib/store"
)

// machine returns the locations of the files of clients: the home folder of the user and the working directory.
func machine(a *command.App) (clients.Machine, error) {
	home, err := a.Env.Home()
	return clients.Machine{OS: runtime.GOOS, Home: home, Project: a.Env.Dir, Getenv: a.Env.Getenv}, err
}

// planHooks returns the changes to the files in which clients configure hooks. Each change adds or removes the hook
// that checks skills and instruction files. If ids is not empty, only the files of these clients change.
func (f wrapFlags) planHooks(a *command.App, doc *docWrap, ids []string) ([]*wrapping, error) {
	m, err := machine(a)
	if err != nil {
		return nil, err
	}
	for _, c := range clients.All() {
		if f.hooks && !c.HasHooks() && slices.Contains(ids, c.ID) {
			doc.Left = append(doc.Left, docWrapLeft{Client: c.ID, Reason: "the client has no hook that can stop a session"})
		}
	}
	var plans []*wrapping
	found := m.Hooks(ids...)
	if f.hooks && !f.undo && len(ids) == 0 && !slices.ContainsFunc(found, func(file clients.File) bool { return f.here || file.Scope != clients.Project }) {
		for _, c := range clients.All() { // tell the user that sessions of these clients will not stop
			if c.HasHooks() {
				doc.Left = append(doc.Left, docWrapLeft{Client: c.ID, Reason: "the client has no folder in your home folder; if you use this client: toolcrib wrap --hooks " + c.ID})
			}
		}
	}
	for _, file := range found {
		if f.undo && !file.Hooked() || !f.here && file.Scope == clients.Project {
			continue
		}
		w := &wrapping{before: file, servers: []string{}, hook: true}
		why := ""
		if file.Target != "" && !f.links {
			why = fmt.Sprintf("%v, to %s; to write to that file, add --follow-links", clients.ErrLink, file.Target)
		} else if f.undo {
			w.after, why = file.Unhook()
		} else {
			p, err := hookPrefix(a, file.Scope)
			if err != nil {
				return nil, err
			}
			command := []string{p.Program, "check", "--files", "--hook", file.Client}
			if now := file.HookCommand(); now != "" { // an existing hook without --db may use another database
				if len(p.Flags) == 0 || strings.Contains(now, " --db") {
					continue
				}
				w.after, why = file.Hook(now + " " + hookWords(p.Flags))
			} else {
				w.after, why = file.Hook(hookWords(append(command, p.Flags...)))
			}
		}
		if why != "" {
			doc.Left = append(doc.Left, docWrapLeft{Client: file.Client, File: file.Path, Reason: why})
			continue
		}
		plans = append(plans, w)
	}
	return plans, nil
}

// hookPrefix returns the program and the flags for the command line of a hook. Hooks ignore environment variables, and
// read only the configuration in the account's home folder. If a hook would use another database for this reason, the
// flags include --db.
func hookPrefix(a *command.App, scope clients.Scope) (clients.Prefix, error) {
	p, err := guardPrefix(a, scope)
	if err != nil || scope != clients.User || len(p.Flags) > 0 {
		return p, err
	}
	c := a.Config
	hook, err := settings.LoadConfig(a.Env.OfAccount(), settings.Overrides{UserOnly: true}, false)
	if err == nil && hook.DB == c.DB {
		return p, nil
	}
	if store.DisplayName(c.DB) != c.DB {
		return p, fmt.Errorf("the address of the database contains a password, and hooks do not read %s; set db in the toolcrib.toml of the account's home folder", c.UserFile)
	}
	p.Flags = []string{"--db", c.DB}
	return p, nil
}

// hookWords formats words as a command line for the shell in which clients run hooks.
func hookWords(words []string) string {
	return strings.Join(lists.Map(words, func(w string) string {
		if runtime.GOOS == "windows" && strings.ContainsAny(w, `\ `) {
			return `"` + w + `"`
		}
		return output.ShellWord(w)
	}), " ")
}

// docStatusHook describes a file for the hooks of a client. The file may not exist.
type docStatusHook struct {
	Client string `json:"client"`
	File   string `json:"file"`
	Hooked bool   `json:"hooked"` // whether the file contains the hook that checks skills and instruction files
	// OffIn lists the settings files that disable the hooks of the client.
	OffIn []string `json:"off_in,omitempty"`
}

// hooksOff returns the settings files that disable all hooks of Claude Code (code.claude.com/docs/en/hooks). It
// searches the folder user, and the .claude folders in dir and its parents.
func hooksOff(dir, user string) []string {
	folders := []string{user}
	for at := dir; ; at = filepath.Dir(at) {
		folders = append(folders, filepath.Join(at, ".claude"))
		if at == filepath.Dir(at) {
			break
		}
	}
	var off []string
	for _, folder := range folders {
		for _, name := range []string{"settings.json", "settings.local.json"} {
			file := filepath.Join(folder, name)
			var keys struct {
				Off bool `json:"disableAllHooks"`
			}
			info, err := os.Stat(file)
			if err != nil || !info.Mode().IsRegular() {
				continue
			}
			text, err := os.ReadFile(file)
			if err == nil && json.Unmarshal(text, &keys) == nil && keys.Off && !slices.Contains(off, file) {
				off = append(off, file)
			}
		}
	}
	return off
}
