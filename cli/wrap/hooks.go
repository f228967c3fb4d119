package wrap

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"toolcrib/cli/command"
	"toolcrib/cli/output"
	"toolcrib/gateway/clients"
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
		if file.Hooked() != f.undo || !f.here && file.Scope == clients.Project {
			continue
		}
		w := &wrapping{before: file, servers: []string{}, hook: true}
		why := ""
		if file.Target != "" && !f.links {
			why = fmt.Sprintf("%v, to %s; --follow-links writes there", clients.ErrLink, file.Target)
		} else if f.undo {
			w.after, why = file.Unhook()
		} else {
			p, err := guardPrefix(a, file.Scope)
			if err != nil {
				return nil, err
			}
			words := append([]string{p.Program, "check", "--files", "--hook", file.Client}, p.Flags...)
			w.after, why = file.Hook(strings.Join(output.Mapped(words, hookWord), " "))
		}
		if why != "" {
			doc.Left = append(doc.Left, docWrapLeft{Client: file.Client, File: file.Path, Reason: why})
			continue
		}
		plans = append(plans, w)
	}
	return plans, nil
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
}

// statusHooks returns the files with hooks that are there, or could be.
func statusHooks(a *command.App) ([]docStatusHook, error) {
	m, err := machine(a)
	if err != nil {
		return nil, err
	}
	return output.Mapped(m.Hooks(), func(f clients.File) docStatusHook {
		return docStatusHook{Client: f.Client, File: f.Path, Hooked: f.Hooked()}
	}), nil
}

// writeStatusHooks says which clients check skills and instruction files.
func writeStatusHooks(p *output.Page, hooks []docStatusHook) {
	for _, h := range hooks {
		if h.Hooked {
			p.Remark("Sessions of %s stop while skills or instruction files are not as they were approved (%s).", h.Client, h.File)
		}
	}
}
