package cli

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"toolcrib/cli/command"
	"toolcrib/cli/files"
	"toolcrib/cli/process"
	"toolcrib/cli/settings"
	"toolcrib/gateway/upstream"
	"toolcrib/registry"
	"toolcrib/registry/wire"
)

type watchFlags struct {
	importFlags
	every time.Duration
	once  bool
}

// shortestWatch sets how often a server may be looked at without being asked to.
const shortestWatch = time.Second

func newWatch(a *command.App) *cobra.Command {
	var f watchFlags
	f.watched = true
	cmd := &cobra.Command{
		Use:   "watch [SERVER…] | --files [FOLDER]",
		Short: "Watch MCP servers or files and propose changes",
		Long: `Check MCP servers repeatedly and propose new, changed, and vanished tools: the
servers named, all configured ones by default, or the one of --mcp or --mcp-url.

A server is checked when it reports a change, and at least every --every. What
is already proposed or was rejected is not proposed again, so a watch can be
restarted at any time. It ends when interrupted (exit status 130), or with
--once after one check. --json prints one document per line for each check that
finds something.

--files looks at skills and instruction files instead: those of a project's FOLDER,
else those in your home and in the current project.

A watch only proposes, as the user of the account or as --as names. As
agent:NAME, the limits for agents apply, and with four_eyes the user can still
approve the proposals.`,
		Example: `  toolcrib watch
  toolcrib watch tracker --every 1h
  toolcrib watch --once --json
  toolcrib watch --as agent:watch
  toolcrib watch --files . --once
  toolcrib watch --mcp 'npx -y @modelcontextprotocol/server-memory' --server memory`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return runWatch(cmd.Context(), a, args, f) },
	}
	set := cmd.Flags()
	set.DurationVar(&f.every, "every", 15*time.Minute, "check at least every `TIME`")
	set.BoolVar(&f.once, "once", false, "check once and exit")
	set.BoolVar(&f.files, "files", false, "watch skills and instruction files")
	set.StringVar(&f.server, "server", "", "the `NAME` of the server that --mcp or --mcp-url names")
	set.StringVar(&f.layer, "layer", "", "propose new tools in `LAYER`: global, user or project/NAME")
	f.from.register(set)
	return cmd
}

// pollResult is the outcome of one poll of a server.
type pollResult struct {
	from place
	data []byte
	err  error
}

func runWatch(ctx context.Context, a *command.App, names []string, f watchFlags) error {
	if f.files {
		return f.watchFiles(ctx, a, names)
	}
	places, err := f.places(a, names)
	if err != nil {
		return err
	}
	b, err := a.OpenSession(ctx)
	if err != nil {
		return err
	}
	if f.once {
		return f.lookOnce(ctx, a, places)
	}
	for _, p := range places {
		a.Note("watching %s, every %s; what changes is proposed by %s and waits for the user", p.shown, f.every, b.Actor)
	}
	a.RestoreGC()
	ctx, stop := context.WithCancel(ctx)
	results := make(chan pollResult)
	var watchers sync.WaitGroup
	for _, p := range places {
		watchers.Go(func() {
			upstream.Watch(ctx, p.upstream(a), f.every, func(data []byte, err error) {
				select {
				case results <- pollResult{p, data, err}:
				case <-ctx.Done():
				}
			})
		})
	}
	defer watchers.Wait() // no server outlives the watch
	defer stop()
	seen := map[string]string{}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case s := <-results:
			if err := f.see(ctx, a, s, seen); err != nil {
				return err
			}
		}
	}
}

// watchFiles looks at files instead of servers.
func (f watchFlags) watchFiles(ctx context.Context, a *command.App, args []string) error {
	switch {
	case f.from.given() || f.server != "" || f.layer != "":
		return process.Usagef("--files excludes --server, --mcp, --mcp-url and --layer; --project names the project of a folder")
	case len(args) > 1:
		return process.Usagef("--files takes one folder at most; got %d arguments", len(args))
	case f.every < shortestWatch:
		return process.Usagef("--every is %s; the shortest is %s", f.every, shortestWatch)
	}
	w := files.Import{Set: f.set, Watched: true}
	if f.once {
		return w.Run(ctx, a, args, moved)
	}
	a.RestoreGC()
	return w.Watch(ctx, a, args, f.every, moved)
}

// lookOnce polls every server and fails when one of them did; it still reports the
// results of the others.
func (f watchFlags) lookOnce(ctx context.Context, a *command.App, places []place) error {
	var errs []error
	var found []intaken
	for _, p := range places {
		data, err := p.ask(ctx, a)
		if err == nil {
			var taken intaken
			taken, err = f.propose(ctx, a, pollResult{from: p, data: data})
			found = append(found, taken)
		}
		errs = append(errs, err)
	}
	err := errors.Join(errs...)
	for _, taken := range found {
		if err != nil {
			noteTaken(a, taken)
			continue
		}
		if err := printTaken(a, taken); err != nil {
			return err
		}
	}
	return err
}

// places returns the servers to watch.
func (f watchFlags) places(a *command.App, names []string) ([]place, error) {
	if f.every < shortestWatch {
		return nil, process.Usagef("--every is %s; write %s or more", f.every, shortestWatch)
	}
	if f.from.given() {
		switch {
		case len(names) > 0:
			return nil, process.Usagef("--mcp and --mcp-url name one server; %s would be another", names[0])
		case f.server == "":
			return nil, process.Usagef("name the server with --server")
		}
		p, err := f.from.place(a, f.server)
		return []place{p}, err
	}
	c, err := a.Settings()
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		names = slices.Sorted(maps.Keys(c.Servers))
	}
	if len(names) == 0 {
		return nil, process.Usagef("the configuration has no servers; name one with --mcp or --mcp-url")
	}
	var places []place
	for _, name := range names {
		p, err := f.from.place(a, name)
		if err != nil {
			return nil, err
		}
		places = append(places, p)
	}
	return places, nil
}

// see proposes the changes of a poll. It reports an error once, and the watch goes
// on: the next poll may succeed.
func (f watchFlags) see(ctx context.Context, a *command.App, s pollResult, seen map[string]string) error {
	hash, name := registry.HashBytes(s.data), s.from.name
	if s.err == nil && seen[name] == hash {
		return nil
	}
	var taken intaken
	if s.err == nil {
		taken, s.err = f.propose(ctx, a, s)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case s.err == nil:
		seen[name] = hash
		return printTaken(a, taken)
	case seen[name] != s.err.Error():
		seen[name] = s.err.Error()
		command.Report(a.Env, a.Form.JSON, s.err)
		noteStderr(a, s.err)
	}
	return nil
}

// propose proposes what a look shows.
func (f watchFlags) propose(ctx context.Context, a *command.App, s pollResult) (intaken, error) {
	f.server = s.from.name
	return f.take(ctx, a, s.from.shown, s.data, &s.from)
}

// printTaken prints a poll that found changes.
func printTaken(a *command.App, t intaken) error {
	if len(t.made)+len(t.withdrawn) == 0 {
		return nil
	}
	return a.Print(t.document(a), t.lines)
}

// noteTaken is printTaken beside an error, for people.
func noteTaken(a *command.App, t intaken) {
	for _, p := range slices.Concat(t.made, t.withdrawn) {
		a.Note("%s", moved(p))
	}
}

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
func (f *fromServer) config(dir string) (settings.ServerConfig, error) {
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

// place is where a document comes from that a live server gives.
type place struct {
	name   string // of the server; "" when it is to say itself
	shown  string // for messages: the command, the URL or the name
	server settings.ServerConfig
}

// place returns the server that the flags or the configuration name.
func (f *fromServer) place(a *command.App, name string) (place, error) {
	if f.given() {
		s, err := f.config(a.Env.Dir)
		return place{name: name, shown: cmp.Or(f.url, strings.Join(s.Command, " ")), server: s}, err
	}
	c, err := a.Settings()
	if err != nil {
		return place{}, err
	}
	s, ok := c.Servers[name]
	if !ok {
		return place{}, command.NotFoundf("server %s: the configuration has no [servers.%s]; %s", name, name, knownServers(c))
	}
	if f.timeout != 0 {
		s.Timeout = f.timeout.String()
	}
	return place{name: name, shown: "server " + name, server: s}, nil
}

func knownServers(c settings.Config) string {
	if len(c.Servers) == 0 {
		return "it has none"
	}
	return "it has " + strings.Join(slices.Sorted(maps.Keys(c.Servers)), ", ")
}

// upstream returns the server as the gateway reaches it.
func (p place) upstream(a *command.App) upstream.Server {
	u := p.server.Upstream(a.Env, cmp.Or(p.name, p.shown))
	if c, err := a.Settings(); err == nil { // others report settings that nobody can read
		u.Texts = c.ReviewsTexts(p.name)
	}
	return u
}

// ask reads the list of the server's tools.
func (p place) ask(ctx context.Context, a *command.App) ([]byte, error) {
	return upstream.List(ctx, p.upstream(a))
}

// noteStderr shows what a server printed before it failed, behind the sentence about it.
func noteStderr(a *command.App, err error) {
	if text := strings.TrimSpace(upstream.Stderr(err)); text != "" {
		for line := range strings.Lines(text) {
			a.Note("the server: %s", strings.TrimRight(line, "\n"))
		}
	}
}

// claims returns why a server may not go by the name that it gives itself: tools
// of that name are live, and anybody can call himself so.
func (p place) claims(a *command.App, doc wire.Document, live []registry.Live) error {
	if p.name != "" {
		return nil
	}
	label := registry.ServerName(doc.Server)
	if label == "" {
		return process.Usagef("name the server with --server; it reports no name")
	}
	_, taken := a.Config.Servers[label]
	for _, l := range live {
		if t := l.Definition.Tool; t != nil && t.Source != nil && t.Source.Type == registry.SourceMCP && strings.HasPrefix(t.Source.Ref, label+"#") {
			taken = true
		}
	}
	if !taken {
		return nil
	}
	return process.Usagef("the server calls itself %s, and a server of that name is known; if it is the same one, say --server %s", label, label)
}
