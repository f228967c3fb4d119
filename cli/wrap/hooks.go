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
	"toolcrib/store"
)

// machine is where the clients of the user and of the working directory keep their files.
func machine(a *command.App) (clients.Machine, error) {
	home, err := a.Env.Home()
	return clients.Machine{OS: runtime.GOOS, Home: home, Project: a.Env.Dir, Getenv: a.Env.Getenv}, err
}

// planHooks works out what the files with the hooks of clients become: with the hook that
// compares skills and instruction files, or without it.
func (f wrapFlags) planHooks(a *command.App, doc *docWrap, ids []string) ([]*wrapping, error) {
	m, err := machine(a)
	if err != nil {
		return nil, err
	}
	for _, c := range clients.All() {
		if f.hooks && !c.HasHooks() && slices.Contains(ids, c.ID) {
			doc.Left = append(doc.Left, docWrapLeft{Client: c.ID, Reason: "it has no hook that can stop a session"})
		}
	}
	var plans []*wrapping
	found := m.Hooks(ids...)
	if f.hooks && !f.undo && !slices.ContainsFunc(found, func(file clients.File) bool { return f.here || file.Scope != clients.Project }) {
		doc.Left = append(doc.Left, withoutFolder(ids)...)
	}
	for _, file := range found {
		if f.undo && !file.Hooked() || !f.here && file.Scope == clients.Project {
			continue
		}
		w := &wrapping{before: file, servers: []string{}, hook: true}
		why := ""
		if file.Target != "" && !f.links {
			why = fmt.Sprintf("%v, to %s; --follow-links writes there", clients.ErrLink, file.Target)
		} else if f.undo {
			w.after, why = file.Unhook()
		} else {
			p, err := hookPrefix(a, file.Scope)
			if err != nil {
				return nil, err
			}
			command := []string{p.Program, "check", "--files", "--hook", file.Client}
			if now := file.HookCommand(); now != "" { // an older one may leave the database to a variable
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

// hookPrefix returns what starts a hook in files of a scope, with the database where the
// hook would find another: it reads the user's configuration in the home of the account, and
// no variables.
func hookPrefix(a *command.App, scope clients.Scope) (clients.Prefix, error) {
	p, err := guardPrefix(a, scope)
	if err != nil || scope != clients.User || len(p.Flags) > 0 {
		return p, err
	}
	c, err := a.Settings()
	if err != nil {
		return p, err
	}
	hook, err := settings.LoadConfig(a.Env.OfAccount(), settings.Overrides{UserOnly: true}, false)
	if err == nil && hook.DB == c.DB {
		return p, nil
	}
	if store.DisplayName(c.DB) != c.DB {
		return p, fmt.Errorf("the address of the database has a password, and hooks do not read %s; write it into the toolcrib.toml of the account's home", c.UserFile)
	}
	p.Flags = []string{"--db", c.DB}
	return p, nil
}

// withoutFolder names the clients that could have the hook, where none of them has a folder
// in the home: nobody is to believe that sessions stop.
func withoutFolder(ids []string) []docWrapLeft {
	var left []docWrapLeft
	for _, c := range clients.All() {
		if c.HasHooks() && len(ids) == 0 {
			left = append(left, docWrapLeft{Client: c.ID, Reason: "it has no folder in your home; if you use it: toolcrib wrap --hooks " + c.ID})
		}
	}
	return left
}

// hookWords returns a command line for the shell in which clients run hooks.
func hookWords(words []string) string {
	return strings.Join(output.Mapped(words, hookWord), " ")
}

// hookWord quotes a word for the shell in which clients run hooks.
func hookWord(w string) string {
	if runtime.GOOS == "windows" && strings.ContainsAny(w, `\ `) {
		return `"` + w + `"`
	}
	return output.ShellWord(w)
}

// hooksWritten lists the steps that are left to the user for the hooks to work.
func hooksWritten(p *output.Page, plans []*wrapping) {
	p.Linef("A session stops now while skills or instruction files are not as they were approved. To approve them: toolcrib import --files, then toolcrib")
	if slices.ContainsFunc(plans, func(w *wrapping) bool { return w.before.Client == "codex" }) {
		p.Linef("Codex runs a hook only after you trusted it: start codex, and say so when it asks (/hooks).")
	}
}

// docStatusHook is a file with the hooks of a client that can have one.
type docStatusHook struct {
	Client string `json:"client"`
	File   string `json:"file"`
	Hooked bool   `json:"hooked"` // sessions stop while files are not as they were approved
	// OffIn has the settings that switch the hooks of the client off.
	OffIn []string `json:"off_in,omitempty"`
}

// statusHooks returns the files with hooks that are there, or could be.
func statusHooks(a *command.App) ([]docStatusHook, error) {
	m, err := machine(a)
	if err != nil {
		return nil, err
	}
	return output.Mapped(m.Hooks(), func(f clients.File) docStatusHook {
		doc := docStatusHook{Client: f.Client, File: f.Path, Hooked: f.Hooked()}
		if f.Client == "claude-code" {
			doc.OffIn = hooksOff(a.Env.Dir, filepath.Dir(f.Path))
		}
		return doc
	}), nil
}

// hooksOff returns the settings of Claude Code that switch all hooks off, those of the user
// and of the folders above dir (code.claude.com/docs/en/hooks).
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

// writeStatusHooks says which clients check skills and instruction files.
func writeStatusHooks(p *output.Page, hooks []docStatusHook) {
	for _, h := range hooks {
		switch {
		case h.Hooked && len(h.OffIn) > 0:
			p.Remark("Sessions of %s do not stop: disableAllHooks switches its hooks off in %s.", h.Client, strings.Join(h.OffIn, ", "))
		case h.Hooked:
			p.Remark("Sessions of %s stop while skills or instruction files are not as they were approved (%s).", h.Client, h.File)
		}
	}
}
