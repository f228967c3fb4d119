// This file checks whether the guards in the files of clients run this program with the settings of the user.

package wrap

import (
	"cmp"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"toolcrib/cli/command"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/cli/settings"
	"toolcrib/gateway/clients"
	"toolcrib/registry"
	"toolcrib/store"
)

// inspector examines entries of clients that start toolcrib. It evaluates the command line and the settings of an entry
// in the same way as toolcrib, and compares the result with the settings of the user.
type inspector struct{ app *command.App }

// preloads lists environment variables that make the loader run additional code in a program.
var preloads = []string{"LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES"}

// inspect implements clients.Inspect.
func (i inspector) inspect(s clients.Start) clients.Use {
	env, differs := i.environment(s)
	use := clients.Use{}
	probe := &command.App{Program: i.app.Program, Printer: &output.Printer{Env: i.app.Env, Stdout: io.Discard}}
	probe.Env.Args, probe.Env.Dir, probe.Env.Out, probe.Env.Err = s.Args, cmp.Or(s.Dir, i.app.Env.Dir), io.Discard, io.Discard
	probe.Env.Getenv = env
	var why string
	if use.Program, why = i.program(s, env); why != "" {
		differs = cmp.Or(differs, why)
	}
	line, server, err := i.parse(probe, s.Args)
	switch {
	case err != nil: // wrap needs the command of the server to replace the guard
		if at, dash := slices.Index(s.Args, "guard"), slices.Index(s.Args, "--"); at >= 0 && at+1 < dash && dash+1 < len(s.Args) {
			line = clients.Line{Name: registry.ServerName(s.Args[at+1]), Server: dash + 1}
		}
		differs = cmp.Or(differs, "has unknown arguments: "+strings.TrimSuffix(output.Sentence(err), "."))
	case !server:
		use.Differs = differs // not a guard, so its database does not matter
		return use
	}
	use.Line = line
	c, err := probe.Settings()
	if err != nil {
		use.Differs = cmp.Or(differs, "has unreadable settings: "+strings.TrimSuffix(output.Sentence(err), "."))
		return use
	}
	use.Database = cmp.Or(c.Follow.Source, store.DisplayName(c.DB))
	use.Differs = cmp.Or(differs, i.compare(s, probe, c))
	return use
}

// environment returns a function that looks up an environment variable in the environment in which the client starts
// toolcrib. Unless the entry clears the environment, it includes the variables of this process. differs describes a
// variable that prevents the comparison or loads additional code, or is "" if there is no such variable.
func (i inspector) environment(s clients.Start) (getenv func(string) string, differs string) {
	values := map[string]string{}
	all := s.Env
	if s.EnvFile != "" {
		name := strings.ReplaceAll(s.EnvFile, "${workspaceFolder}", s.Dir)
		if s.Dir != "" {
			name = settings.Absolute(s.Dir, name)
		}
		more, err := clients.VariablesIn(name)
		if err != nil {
			differs = "has variables in " + s.EnvFile + ", which cannot be read"
		}
		all = slices.Concat(more, all)
	}
	for _, v := range all {
		value, ok := clients.Expand(v.Value, i.app.Env.Getenv)
		switch {
		case v.Name == "PATH" || v.Name == "HOME" || strings.HasPrefix(v.Name, "XDG_") || strings.HasPrefix(v.Name, "TOOLCRIB_") && !strings.HasPrefix(v.Name, "TOOLCRIB_HEADER_"):
			if !ok {
				differs = "has a placeholder for " + v.Name + ", which only its client can fill in"
			}
		case slices.Contains(preloads, v.Name) && value != "":
			differs = "loads other code into toolcrib (" + v.Name + ")"
		}
		values[v.Name] = value
	}
	return func(name string) string {
		if value, set := values[name]; set || s.Cleared {
			return value
		}
		return i.app.Env.Getenv(name)
	}, differs
}

// parse parses args in the same way as toolcrib. server reports whether args start a guard, and line describes the
// guard.
func (i inspector) parse(probe *command.App, args []string) (line clients.Line, server bool, err error) {
	root := i.app.Program.Root(probe)
	cmd, rest, err := root.Find(args)
	if err != nil {
		return line, false, err
	}
	cmd.InitDefaultHelpFlag()
	if err := cmd.ParseFlags(rest); err != nil {
		return line, false, err
	}
	if cmd.Name() != "guard" {
		return line, false, nil
	}
	set := cmd.Flags()
	words := set.Args()
	if err := cmd.ValidateArgs(words); err != nil {
		return line, false, err
	}
	if help, _ := set.GetBool("help"); help {
		return line, false, nil
	}
	value := func(name string) string { return set.Lookup(name).Value.String() }
	line = clients.Line{Name: registry.ServerName(words[0]), Was: value("was"), Token: value("token-env"), URL: value("url"), Server: len(args) - len(words) + 1}
	if line.URL != "" {
		line.Server = len(args) - 1
		if args[line.Server] != line.URL || args[line.Server-1] != "--url" {
			line.Server = -1
		}
	}
	return line, true, nil
}

// program returns the path of the program that an entry starts. differs states how this program differs from the user's
// program, or is "" if both programs are the same.
func (i inspector) program(s clients.Start, env func(string) string) (file, differs string) {
	own := i.app.Env.Program
	file = find(s.Program, s.Dir, env("PATH"))
	switch mine := find("toolcrib", "", i.app.Env.Getenv("PATH")); {
	case clients.Placeholder(s.Program):
		return s.Program, "starts " + s.Program + ", which only its client can fill in"
	case own == "" && filepath.Base(s.Program) == s.Program:
		return cmp.Or(file, s.Program), "" // the path of the running program is unknown
	case file == "" && filepath.Base(s.Program) == s.Program:
		return s.Program, "starts " + s.Program + ", which is not in its PATH"
	case file == "":
		return s.Program, "starts " + s.Program + " in the working directory of its client"
	case own != "" && settings.SameFile(file, own), mine != "" && settings.SameFile(file, mine):
		return file, ""
	}
	return file, "starts another program: " + s.Program
}

// find returns the path of the file that the system executes for program in the folder dir, with path as the value of
// PATH. It returns "" if the file cannot be determined.
func find(program, dir, path string) string {
	switch {
	case filepath.IsAbs(program):
		return program
	case strings.ContainsAny(program, `/\`):
		if dir == "" {
			return ""
		}
		return filepath.Join(dir, program)
	}
	for _, folder := range filepath.SplitList(path) {
		if !filepath.IsAbs(folder) {
			if dir == "" {
				return ""
			}
			folder = filepath.Join(dir, folder)
		}
		if found, err := exec.LookPath(filepath.Join(folder, program)); err == nil {
			return found
		}
	}
	return ""
}

// compare returns a description of the first difference between the settings c of a guard and the user's settings, or
// "" if there is no difference.
func (i inspector) compare(s clients.Start, probe *command.App, c settings.Config) string {
	source := c.Sources["db"]
	written := map[string]string{"--db": probe.Flags.DB, "TOOLCRIB_DB": probe.Env.Getenv("TOOLCRIB_DB")}[source]
	shown := store.DisplayName(cmp.Or(written, c.DB))
	switch {
	case clients.Placeholder(written):
		return "uses " + shown + ", which only its client can fill in"
	case written != "" && s.Dir == "" && !filepath.IsAbs(written) && !store.IsURL(written):
		return "uses " + shown + " in the working directory of its client"
	case c.DB != i.app.Config.DB && !settings.SameFile(c.DB, i.app.Config.DB):
		return "uses " + shown + " (" + cmp.Or(source, "in a folder from its variables") + "), and not your database " + store.DisplayName(i.app.Config.DB)
	case c.UserFile != i.app.Config.UserFile:
		return "reads its settings from " + c.UserFile
	case c.Project == "" && i.app.Config.Project != "":
		return "does not work in the project " + i.app.Config.Project
	case c.Project != i.app.Config.Project:
		return "works in the project " + c.Project + " (" + c.Sources["project"] + ")"
	case c.Follow.Source != "" && dataHome(probe.Env) != dataHome(i.app.Env):
		return "stores its copy of the followed registry in " + dataHome(probe.Env)
	case probe.Flags.DryRun:
		return "does not log its calls (--dry-run)"
	}
	return ""
}

// dataHome returns the data folder in the environment env, or "" if no data folder can be determined.
func dataHome(env process.Env) string {
	home, _ := process.DataHome(env)
	return home
}
