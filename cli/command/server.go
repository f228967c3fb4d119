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

// ServerFlags are the flags that name a live MCP server.
type ServerFlags struct {
	command, url, tokenEnv string
	env                    []string
	timeout                time.Duration
}

func (f *ServerFlags) Register(set *pflag.FlagSet) {
	set.StringVar(&f.command, "mcp", "", "start the MCP server `COMMAND` (run without a shell)")
	set.StringVar(&f.url, "mcp-url", "", "connect to the MCP server at `URL` (streamable HTTP)")
	set.StringSliceVar(&f.env, "env", nil, "with --mcp: pass on the variable `NAME`")
	set.StringVar(&f.tokenEnv, "token-env", "", "with --mcp-url: send the token in the variable `NAME`")
	set.DurationVar(&f.timeout, "timeout", 0, "wait at most `TIME` for an answer (default: 1m0s)")
}

// Given reports whether the flags name a server.
func (f *ServerFlags) Given() bool { return f.command != "" || f.url != "" }

// config converts the flags to the configuration of a server. Relative paths are relative to dir.
func (f *ServerFlags) config(dir string) (settings.ServerConfig, error) {
	s := settings.ServerConfig{URL: f.url, TokenEnv: f.tokenEnv, Env: f.env}
	if f.timeout != 0 {
		s.Timeout = f.timeout.String()
	}
	if f.command != "" {
		var err error
		if s.Command, err = settings.CommandLine(f.command); err != nil {
			return s, err
		}
	}
	check := s
	if len(check.Command) > 0 {
		check.Command = []string{filepath.Base(check.Command[0])} // the path of a command that is typed may begin here
	}
	if err := check.Check("given"); err != nil {
		return s, process.Usagef("the server %v", err)
	}
	if f.command != "" && s.Dir == "" {
		s.Dir = dir // it was typed here
	}
	return s, nil
}

// LiveServer identifies a server from which tools are imported.
type LiveServer struct {
	Name   string // name of the server, or "" to use the name that it reports
	Shown  string // for messages: the command, the URL or the name
	Server settings.ServerConfig
	// Start identifies the server without secrets: its command with the paths of its
	// files, or its URL (clients.Server.Runs); nil if unknown.
	Start []string
}

// StartOf returns the value of LiveServer.Start for a server that runs in dir.
func StartOf(words []string, address, dir string) []string {
	s := clients.Server{URL: address, Dir: dir}
	if address == "" && len(words) == 0 {
		return nil
	}
	if address == "" {
		s.Command, s.Args = words[0], words[1:]
	}
	return s.Runs()
}

// StartedBy is the reverse of StartOf.
func StartedBy(words []string) clients.Server {
	if len(words) == 1 && strings.Contains(words[0], "://") {
		return clients.Server{URL: words[0]}
	}
	return clients.Server{Command: words[0], Args: words[1:]}
}

// LiveServer returns the server that the flags or the configuration name.
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
		known := "it has none"
		if len(c.Servers) > 0 {
			known = "it has " + strings.Join(slices.Sorted(maps.Keys(c.Servers)), ", ")
		}
		return LiveServer{}, NotFoundf("server %s: the configuration has no [servers.%s]; %s", name, name, known)
	}
	if f.timeout != 0 {
		s.Timeout = f.timeout.String()
	}
	return LiveServer{Name: name, Shown: "server " + name, Server: s, Start: StartOf(s.Command, s.URL, cmp.Or(s.Dir, settings.HomeFolder(a.Env)))}, nil
}

// Upstream returns the server as the gateway reaches it.
func (p LiveServer) Upstream(a *App) upstream.Server {
	u := p.Server.Upstream(a.Env, cmp.Or(p.Name, p.Shown))
	if c, err := a.Settings(); err == nil { // others report unreadable settings
		u.Texts = c.ReviewsTexts(p.Name)
	}
	return u
}

// Ask reads the list of the server's tools.
func (p LiveServer) Ask(ctx context.Context, a *App) ([]byte, error) {
	if a.Flags.DryRun {
		return nil, process.ErrNoDryRun("asking " + p.Shown)
	}
	return upstream.List(ctx, p.Upstream(a))
}

// NoteStderr prints the standard error of a failed server, after the error message.
func NoteStderr(a *App, err error) {
	if text := strings.TrimSpace(upstream.Stderr(err)); text != "" {
		for line := range strings.Lines(text) {
			a.Note("the server: %s", strings.TrimRight(line, "\n"))
		}
	}
}
