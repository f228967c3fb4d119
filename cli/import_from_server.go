package cli

import (
	"cmp"
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"toolcrib/gateway/upstream"
	"toolcrib/registry"
	"toolcrib/registry/wire"
)

// fromServer are the flags that name a live MCP server.
type fromServer struct {
	command, url, tokenEnv string
	env                    []string
	timeout                time.Duration
}

func (f *fromServer) register(set *pflag.FlagSet) {
	set.StringVar(&f.command, "mcp", "", "start the MCP server `COMMAND` (run without a shell)")
	set.StringVar(&f.url, "mcp-url", "", "connect to the MCP server at `URL` (streamable HTTP)")
	set.StringSliceVar(&f.env, "env", nil, "with --mcp: pass on the variable `NAME`")
	set.StringVar(&f.tokenEnv, "token-env", "", "with --mcp-url: send the token in the variable `NAME`")
	set.DurationVar(&f.timeout, "timeout", 0, "give an answer at most `TIME` (default: 1m0s)")
}

// given reports whether the flags name a server.
func (f *fromServer) given() bool { return f.command != "" || f.url != "" }

// config returns what the flags say as the configuration would, for a command
// that was typed in dir.
func (f *fromServer) config(dir string) (serverConfig, error) {
	s := serverConfig{URL: f.url, TokenEnv: f.tokenEnv, Env: f.env}
	if f.timeout != 0 {
		s.Timeout = f.timeout.String()
	}
	if f.command != "" {
		var err error
		if s.Command, err = commandLine(f.command); err != nil {
			return s, err
		}
	}
	check := s
	if len(check.Command) > 0 {
		check.Command = []string{filepath.Base(check.Command[0])} // the path of a command that is typed may begin here
	}
	if err := check.check("given"); err != nil {
		return s, usagef("the server %v", err)
	}
	if f.command != "" && s.Dir == "" {
		s.Dir = dir // it was typed here
	}
	return s, nil
}

// place is where a document comes from that a live server gives.
type place struct {
	name   string // of the server; "" when it is to say itself
	shown  string // for messages: the command, the URL or the name
	server serverConfig
}

// place returns the server that the flags or the configuration name.
func (f *fromServer) place(a *app, name string) (place, error) {
	if f.given() {
		s, err := f.config(a.env.Dir)
		return place{name: name, shown: cmp.Or(f.url, strings.Join(s.Command, " ")), server: s}, err
	}
	c, err := a.settings()
	if err != nil {
		return place{}, err
	}
	s, ok := c.Servers[name]
	if !ok {
		return place{}, notFoundf("server %s: the configuration has no [servers.%s]; %s", name, name, knownServers(c))
	}
	if f.timeout != 0 {
		s.Timeout = f.timeout.String()
	}
	return place{name: name, shown: "server " + name, server: s}, nil
}

func knownServers(c config) string {
	if len(c.Servers) == 0 {
		return "it has none"
	}
	return "it has " + strings.Join(slices.Sorted(maps.Keys(c.Servers)), ", ")
}

// upstream returns the server as the gateway reaches it.
func (p place) upstream(env Env) upstream.Server {
	return p.server.upstream(env, cmp.Or(p.name, p.shown))
}

// ask reads the list of the server's tools.
func (p place) ask(ctx context.Context, a *app) ([]byte, error) {
	return upstream.List(ctx, p.upstream(a.env))
}

// noteStderr shows what a server printed before it failed, behind the sentence about it.
func (a *app) noteStderr(err error) {
	if text := strings.TrimSpace(upstream.Stderr(err)); text != "" {
		for line := range strings.Lines(text) {
			a.note("the server: %s", strings.TrimRight(line, "\n"))
		}
	}
}

// claims returns why a server may not go by the name that it gives itself: tools
// of that name are live, and anybody can call himself so.
func (p place) claims(a *app, doc wire.Document, live []registry.Live) error {
	if p.name != "" {
		return nil
	}
	label := registry.ServerName(doc.Server)
	if label == "" {
		return usagef("name the server with --server; it reports no name")
	}
	_, taken := a.config.Servers[label]
	for _, l := range live {
		if t := l.Definition.Tool; t != nil && t.Source != nil && t.Source.Type == registry.SourceMCP && strings.HasPrefix(t.Source.Ref, label+"#") {
			taken = true
		}
	}
	if !taken {
		return nil
	}
	return usagef("the server calls itself %s, and a server of that name is known; if it is the same one, say --server %s", label, label)
}
