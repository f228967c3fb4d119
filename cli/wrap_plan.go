package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"toolcrib/gateway/clients"
	"toolcrib/registry"
)

// clientFiles returns the files of the clients with ids, of all without any.
func (a *app) clientFiles(ids []string, here bool) ([]clients.File, error) {
	if err := knownClients(ids); err != nil {
		return nil, err
	}
	home, err := a.env.home()
	if err != nil {
		return nil, err
	}
	m := clients.Machine{OS: runtime.GOOS, Home: home, Getenv: a.env.Getenv}
	if here {
		m.Project = a.env.Dir
	}
	return m.Find(ids...), nil
}

// allClientServers returns the servers of all clients: --client and --here give
// none of them another name.
func (a *app) allClientServers() ([]clientServer, error) {
	files, err := a.clientFiles(nil, true)
	return clientServers(files, a.env, true), err
}

// approvedServers returns the servers that the agent has an approved tool of.
func (f wrapFlags) approvedServers(ctx context.Context, a *app) (map[string]bool, error) {
	run, err := a.gateway(ctx)
	if err != nil {
		return nil, err
	}
	caller, err := callerFlags{agent: f.agent, where: whereFlags{local: true}}.caller(a)
	if err != nil {
		return nil, err
	}
	profile, tools, err := run.Tools(ctx, caller)
	if err = errors.Join(err, run.Close()); err != nil {
		return nil, err
	}
	if profile.Version == 0 && !f.anyway {
		return nil, notFoundf("the agent %s, whose tools the clients would get: propose it with toolcrib init, and approve it", f.agent)
	}
	has := map[string]bool{}
	for _, e := range tools {
		if p := e.Definition.Tool.Provider; p != nil && p.Type == registry.ProviderMCP {
			has[p.Server] = true
		}
	}
	return has, nil
}

// plan works out the wrapped file.
func (f wrapFlags) plan(a *app, c config, file clients.File, all []clientServer, has map[string]bool) (wrapping, error) {
	var w wrapping
	if len(file.Servers) == 0 && len(file.Problems) > 0 {
		return w, file.Problems[0]
	}
	e := clients.Entry{Name: wrapEntry, Command: cmp.Or(a.env.Program, "toolcrib"), Args: []string{"mcp", "--expose", "tools", "--local", "--agent", f.agent}}
	if !c.defaultDB {
		e.Args = append(e.Args, "--db", c.DB)
	}
	for _, s := range all {
		if s.listed.Disabled || !slices.ContainsFunc(s.files, func(o clients.File) bool { return o.Path == file.Path }) {
			continue
		}
		s.known(c.Servers)
		switch {
		case s.excluded == "" && len(s.filled) > 0:
			return w, fmt.Errorf("%s cannot run behind toolcrib: its entry has %s, which the client fills in and a configuration of toolcrib does not; write the value, or disable the server, and wrap again",
				s.label, strings.Join(s.filled, ", "))
		case s.excluded != "":
			return w, fmt.Errorf("%s cannot run behind toolcrib: %s; disable it or take it out of the file, and wrap again", cmp.Or(s.label, s.listed.Name), s.excluded)
		case !has[s.label] && !f.anyway:
			return w, fmt.Errorf("no tool of %s is approved for the agent %s; approve set:%s, or say --anyway", s.label, f.agent, s.label)
		}
		w.servers = append(w.servers, s)
	}
	if len(w.servers) == 0 && !slices.ContainsFunc(file.Servers, isSelf) {
		return w, clients.ErrNoServers
	}
	for _, s := range w.servers { // the client gets no more servers than it had
		e.Args = append(e.Args, "--server", s.label)
	}
	if len(w.servers) == 0 { // wrapped, and nothing was added
		return w, nil
	}
	var err error
	w.change, err = f.keeper(a).Wrap(file, e)
	return w, err
}

// addToConfig adds servers to the user's own file, which must read well then.
func (a *app) addToConfig(lines []string) error {
	if len(lines) == 0 {
		return nil
	}
	file := a.config.userFile
	text, err := readConfig(file)
	switch {
	case missing(err):
		err = os.MkdirAll(filepath.Dir(file), 0o700)
	case err == nil:
		if file, err = filepath.EvalSymlinks(file); err == nil { // a link stays one
			err = keptPrivate(file, lines)
		}
	}
	if err != nil {
		return fmt.Errorf("configuration %s: %w", file, err)
	}
	before := text
	if len(text) > 0 {
		text = append(slices.Clone(text), '\n')
		if !strings.HasSuffix(string(before), "\n") {
			text = append(text, '\n')
		}
	}
	text = append(text, strings.Join(lines, "\n")...)
	if _, err := (&config{}).decode(file, text); err != nil {
		return err
	}
	return clients.ReplaceFile(file, text, before)
}

// keptPrivate refuses to write secrets where others read them.
func keptPrivate(file string, lines []string) error {
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" && strings.Contains(strings.Join(lines, ""), "\nset = ") {
		return fmt.Errorf("it would hold values of variables, and others can read it (mode %s); chmod 600 it", info.Mode().Perm())
	}
	return nil
}
