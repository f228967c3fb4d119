// This file defines the flags that specify an MCP server for a command to start or connect to.

package command

import (
	"cmp"
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"toolcrib/cli/process"
	"toolcrib/cli/settings"
	"toolcrib/gateway/clients"
	"toolcrib/gateway/upstream"
)

// ServerFlags contains the flags that specify an MCP server: a command to start, or a URL to connect to.
type ServerFlags struct {
	command, url, tokenEnv string
	env                    []string
	timeout                time.Duration
}

func (f *ServerFlags) Register(set *pflag.FlagSet) {
	set.StringVar(&f.command, "mcp", "", "start the MCP server `COMMAND` (run without a shell)")
	set.StringVar(&f.url, "mcp-url", "", "connect to the MCP server at `URL` (streamable HTTP)")
	set.StringSliceVar(&f.env, "env", nil, "with --mcp: pass the environment variable `NAME` to the server")
	set.StringVar(&f.tokenEnv, "token-env", "", "with --mcp-url: send the token in the environment variable `NAME`")
	set.DurationVar(&f.timeout, "timeout", 0, "wait at most `TIME` for a response (default: 1m0s)")
}

// Given reports whether the flags specify a server.
func (f *ServerFlags) Given() bool { return f.command != "" || f.url != "" }

// config converts the flags to the configuration of a server. If the flags specify a command, it runs in the folder
// dir.
func (f *ServerFlags) config(dir string) (settings.ServerConfig, error) {
	s := settings.ServerConfig{URL: f.url, TokenEnv: f.tokenEnv, Env: f.env}
	if f.timeout != 0 {
		s.Timeout = f.timeout.String()
	}
	if f.command != "" {
		var err error
		switch s.Command, err = process.Words(f.command); {
		case err != nil:
			return s, process.Usagef("missing closing quotation mark in the command %q", f.command)
		case len(s.Command) == 0 || s.Command[0] == "":
			return s, process.Usagef("the command is empty; specify a program and its arguments, such as 'npx -y some-server'")
		}
	}
	check := s
	if len(check.Command) > 0 {
		check.Command = []string{filepath.Base(check.Command[0])} // Check would reject a relative path, which is permitted in a flag
	}
	if err := check.Check("given"); err != nil {
		return s, process.Usagef("the server %v", err)
	}
	if f.command != "" {
		s.Dir = dir // relative paths in the command refer to this folder
	}
	return s, nil
}

// LiveServer identifies a server to import tools from.
type LiveServer struct {
	Name   string // name of the server, or "" to use the name that it reports
	Shown  string // command, URL, or name, for messages
	Server settings.ServerConfig
	// Start is the result of StartOf for the server.
	Start []string
}

// LiveList is the result of requesting the tool list of a server: the list, or an error.
type LiveList struct {
	From LiveServer
	Data []byte
	Err  error
}

// StartOf returns a description of how a server is reached, for comparisons and for display: its URL, or its command
// line, with secrets masked (see clients.Server.Runs). address is the URL of the server. If address is "", command
// contains the program and its arguments, and dir is the folder in which the program runs. If command is empty, too,
// the result is nil.
func StartOf(command []string, address, dir string) []string {
	s := clients.Server{URL: address, Dir: dir}
	if address == "" && len(command) == 0 {
		return nil
	}
	if address == "" {
		s.Command, s.Args = command[0], command[1:]
	}
	return s.Runs()
}

// StartedBy converts start, a result of StartOf, back to a server.
func StartedBy(start []string) clients.Server {
	if len(start) == 1 && strings.Contains(start[0], "://") {
		return clients.Server{URL: start[0]}
	}
	return clients.Server{Command: start[0], Args: start[1:]}
}

// LiveServer returns the server that the flags specify. If they do not specify a server, LiveServer returns the
// configured server with the given name.
func (f *ServerFlags) LiveServer(a *App, name string) (LiveServer, error) {
	if f.Given() {
		s, err := f.config(a.Env.Dir)
		return LiveServer{Name: name, Shown: cmp.Or(f.url, strings.Join(s.Command, " ")), Server: s, Start: StartOf(s.Command, s.URL, s.Dir)}, err
	}
	c, err := a.Settings()
	if err != nil {
		return LiveServer{}, err
	}
	s, ok := c.Servers[name]
	if !ok {
		known := "no servers are configured"
		if len(c.Servers) > 0 {
			known = "the configured servers are " + strings.Join(slices.Sorted(maps.Keys(c.Servers)), ", ")
		}
		return LiveServer{}, NotFoundf("server %s: the configuration contains no [servers.%s]; %s", name, name, known)
	}
	if f.timeout != 0 {
		s.Timeout = f.timeout.String()
	}
	return LiveServer{Name: name, Shown: "server " + name, Server: s, Start: StartOf(s.Command, s.URL, cmp.Or(s.Dir, settings.HomeFolder(a.Env)))}, nil
}

// Upstream returns the configuration that the gateway uses to connect to the server.
func (p LiveServer) Upstream(a *App) upstream.Server {
	u := p.Server.Upstream(a.Env, cmp.Or(p.Name, p.Shown))
	if c, err := a.Settings(); err == nil { // other code reports errors in the settings
		u.Texts = c.ReviewsTexts(p.Name)
	}
	return u
}

// Ask requests the server's list of tools.
func (p LiveServer) Ask(ctx context.Context, a *App) ([]byte, error) {
	if a.Flags.DryRun {
		return nil, process.ErrNoDryRun("requesting the tools of " + p.Shown)
	}
	return upstream.List(ctx, p.Upstream(a))
}

// NoteStderr prints the output to standard error of the server that caused err, if there is any. It is called after err
// was printed.
func NoteStderr(a *App, err error) {
	if text := strings.TrimSpace(upstream.Stderr(err)); text != "" {
		for line := range strings.Lines(text) {
			a.Note("the server: %s", strings.TrimRight(line, "\n"))
		}
	}
}
