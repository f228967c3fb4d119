// Package server implements the commands that serve agents, applications, and people: mcp, guard, serve (over HTTP and
// SSH), and tokens.
package server

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"toolcrib/cli/command"
	"toolcrib/cli/export"
	"toolcrib/cli/files"
	"toolcrib/cli/imports"
	"toolcrib/cli/process"
	"toolcrib/cli/share"
	"toolcrib/cli/verify"
	"toolcrib/gateway"
	"toolcrib/gateway/builtin"
	"toolcrib/gateway/follow"
	"toolcrib/gateway/mcp"
	"toolcrib/gateway/serve"
	"toolcrib/gateway/tokens"
	"toolcrib/internal/httpserver"
	"toolcrib/internal/lists"
	"toolcrib/internal/sshserver"
	"toolcrib/internal/unixsocket"
	"toolcrib/prompt"
	"toolcrib/registry"
	"toolcrib/registry/wire"
	"toolcrib/store/catalog"
)

// Family returns the commands that serve requests.
func Family() command.Family {
	return command.Family{
		Commands: []command.Entry{
			{Group: command.GroupRunTime, New: newMCP, Creates: true},
			{Group: command.GroupRunTime, New: newGuard},
			{Group: command.GroupRunTime, New: newServe, Creates: true},
			{Group: command.GroupRunTime, New: func(a *command.App) *cobra.Command {
				return command.WithDefault("tokens", newTokensList(a), newTokensCreate(a), newTokensRevoke(a))
			}},
		},
		Documents: map[string]any{
			"token":      docTokenOne{},
			"token.list": docTokenList{},
		},
	}
}

type serveFlags struct {
	socket, http     string
	cert, key        string
	origins          []string
	expose           string
	logFormat, level string
	ssh              string
	bundle           bool
	sshSessions      int
	sshIdle          time.Duration
}

func newServe(a *command.App) *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:  "serve",
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), a) },
	}
	set := cmd.Flags()
	set.StringVar(&f.socket, "socket", "", "listen on the unix socket `PATH` (default: toolcrib/serve.sock in $XDG_RUNTIME_DIR or $XDG_STATE_HOME)")
	set.StringVar(&f.http, "http", "", "listen on `HOST:PORT` instead of a socket; port 0 selects a free port")
	set.StringVar(&f.cert, "tls-cert", "", "the certificate chain: a PEM `FILE`")
	set.StringVar(&f.key, "tls-key", "", "the private key of the certificate: a PEM `FILE`")
	set.StringSliceVar(&f.origins, "allow-origin", nil, "allow web pages of `ORIGIN`, such as https://example.com")
	set.StringVar(&f.expose, "expose", string(mcp.ExposeMeta), "list `WHAT` at /mcp: tools (the approved tools), meta (tools that find, call and propose tools) or both")
	set.BoolVar(&f.bundle, "bundle", false, "also serve the whole approved registry at /v1/bundle, for machines that follow this registry")
	set.StringVar(&f.ssh, "ssh", "", "also let users in over SSH at `HOST:PORT`")
	set.IntVar(&f.sshSessions, "ssh-sessions", sshserver.Defaults().SessionsPerKey, "at most `N` sessions over SSH per key")
	set.DurationVar(&f.sshIdle, "ssh-idle", sshserver.Defaults().Idle, "end a session over SSH after `DURATION` without a key press")
	set.StringVar(&f.logFormat, "log-format", "text", "write the log as `FORMAT`: text or json")
	set.StringVar(&f.level, "log-level", "info", "log messages of at least `LEVEL`: debug (every request), info, warn or error")
	return cmd
}

func (f serveFlags) run(ctx context.Context, a *command.App) error {
	log, err := f.check(a)
	if err != nil {
		return err
	}
	desk, err := a.OpenDesk(ctx)
	if err != nil {
		return err
	}
	if a.DB.Frozen() {
		return errors.New("cannot record calls, because the folder of the database is read-only; run serve under an account that can write to the folder")
	}
	run, err := a.GatewayWith(ctx, func(s string) { log.Warn(s) })
	if err != nil {
		return err
	}
	defer a.KeepCalls(ctx, func(s string) { log.Warn(s) })()
	prompter := prompter{desk, a.Builtin(desk), a.Env.Now}
	c := serve.Config{
		Tokens:  tokensOf(a, command.Session{Desk: desk}),
		Gateway: toolUser{run.Gateway}, Log: a.DB, Catalog: approvedCatalog{a, prompter}, Documents: documents(),
		MCP: func(c gateway.Caller, turn mcp.Turn) (*mcp.Server, error) { // returns a server that acts as the agent of a token
			return mcp.New(mcp.Config{
				Desk: proposerOf(desk), Gateway: toolUser{run.Gateway}, Registry: approved{a.DB, c.Layer.View()}, Upstream: run.Upstream,
				Prompter: prompter, Documents: documents(), Version: process.ProgramVersion(), As: c.Actor, Caller: c, Expose: mcp.Expose(f.expose), Turn: turn,
			})
		},
		Version: process.ProgramVersion(), Now: a.Env.Now, Logger: log, Origins: f.origins,
	}
	if f.bundle {
		var publisher share.Publisher // safe without a lock, because c.Publish is never called concurrently
		c.Publish = func(ctx context.Context) (serve.Published, error) {
			d, _, err := publisher.Document(ctx, a)
			return d, err
		}
		data, err := process.DataHome(a.Env)
		if err != nil {
			return err
		}
		logs := receivedLogs{dir: filepath.Join(data, "toolcrib", "received"), limit: maxReceived, used: map[string]diskUsage{}}
		c.Calls = func(_ context.Context, t tokens.Token, in follow.CallLines) error {
			return logs.add(t.ID, in, a.Env.Now())
		}
		c.Report = func(ctx context.Context, t tokens.Token, r follow.Report) (int, error) {
			if r.Kind != "" {
				return files.ProposeReport(ctx, a, t, r)
			}
			return imports.ProposeReport(ctx, a, t, r.Machine, r.Server, r.Document)
		}
	}
	if f.http == "" { // accounts in serve.peers can connect to the socket without a token
		c.Peers = a.Config.Serve.TokenIDs()
		for uid, id := range c.Peers {
			if _, err := c.Tokens.ByID(ctx, id); errors.Is(err, tokens.ErrToken) {
				c.Logger.Warn("the token of an account in serve.peers is not valid", "uid", uid, "token", id, "error", err)
			} else if err != nil {
				return errors.Join(err, run.Close())
			}
		}
	}
	if f.ssh == "" {
		return errors.Join(f.listen(ctx, a, c), run.Close())
	}
	people, err := f.openSSH(ctx, a, log)
	if err != nil {
		return errors.Join(err, run.Close())
	}
	c.Metrics = people.server.WriteMetrics
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		if a.Config.Checkpoints.Name() != "" { // publish a checkpoint after decisions of the users
			people.shared.Checkpoint = verify.WatchCheckpoints(a)
			defer verify.PublishWhileRunning(ctx, a, people.shared.Checkpoint)()
		}
		return errors.Join(people.server.Serve(ctx, people.listen), people.close())
	})
	group.Go(func() error { return f.listen(ctx, a, c) })
	return errors.Join(group.Wait(), run.Close())
}

// checkWeb checks the values of --expose and --allow-origin.
func checkWeb(expose string, origins []string) error {
	if !slices.Contains([]mcp.Expose{mcp.ExposeMeta, mcp.ExposeTools, mcp.ExposeBoth}, mcp.Expose(expose)) {
		return process.Usagef("--expose is %q: use tools, meta, or both", expose)
	}
	for _, origin := range origins {
		if u, err := url.Parse(origin); err != nil || u.Scheme == "" || u.Host == "" || u.Path != "" {
			return process.Usagef("--allow-origin is %q: use a scheme and a host, such as https://example.com", origin)
		}
	}
	return nil
}

// check returns an error if flags are invalid or contradict each other. Otherwise, it returns the logger that the flags
// specify.
func (f serveFlags) check(a *command.App) (*slog.Logger, error) {
	switch {
	case f.sshSessions < 1:
		return nil, process.Usagef("--ssh-sessions must be at least 1 (got %d)", f.sshSessions)
	case f.sshIdle <= 0:
		return nil, process.Usagef("--ssh-idle is %s: use a duration such as 1h", f.sshIdle)
	case f.http != "" && f.socket != "":
		return nil, process.Usagef("--http cannot be combined with --socket")
	case f.http == "" && f.cert+f.key != "":
		return nil, process.Usagef("--tls-cert and --tls-key need --http")
	case (f.cert == "") != (f.key == ""):
		return nil, process.Usagef("--tls-cert and --tls-key must be used together")
	}
	if err := checkWeb(f.expose, f.origins); err != nil {
		return nil, err
	}
	var level slog.Level
	if err := level.UnmarshalText([]byte(f.level)); err != nil {
		return nil, process.Usagef("--log-level is %q: use debug, info, warn, or error", f.level)
	}
	options := &slog.HandlerOptions{Level: level}
	switch f.logFormat {
	case "text":
		return slog.New(slog.NewTextHandler(a.Env.Err, options)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(a.Env.Err, options)), nil
	}
	return nil, process.Usagef("--log-format is %q: use text or json", f.logFormat)
}

// listen serves requests until ctx is done.
func (f serveFlags) listen(ctx context.Context, a *command.App, c serve.Config) error {
	var l net.Listener
	var encryption *tls.Config
	var err error
	scheme := "unix:"
	if f.http == "" {
		l, err = f.socketListener(ctx, a, slices.Sorted(maps.Keys(c.Peers)))
	} else {
		name, _, wrong := net.SplitHostPort(f.http)
		if wrong != nil {
			return process.Usagef("--http is %q: use HOST:PORT, such as 127.0.0.1:8766", f.http)
		}
		scheme, c.Host = "http://", httpserver.Loopback
		if f.cert != "" {
			pair, err := tls.LoadX509KeyPair(a.Path(f.cert), a.Path(f.key))
			if err != nil {
				return fmt.Errorf("cannot load the certificate: %w", err)
			}
			encryption = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}
			scheme = "https://"
			c.Host = func(name string) bool { return httpserver.Loopback(name) || pair.Leaf.VerifyHostname(name) == nil }
		} else if !httpserver.Loopback(name) {
			return process.Usagef("--http is %q, which other machines can reach; use 127.0.0.1:PORT, or encrypt with --tls-cert and --tls-key", f.http)
		}
		l, err = new(net.ListenConfig).Listen(ctx, "tcp", f.http)
	}
	if err != nil {
		return err
	}
	server := serve.New(c)
	web := httpserver.Server(server.Handler(ctx))
	web.TLSConfig, web.ErrorLog = encryption, slog.NewLogLogger(c.Logger.Handler(), slog.LevelDebug)
	c.Logger.Info("serving", "address", scheme+l.Addr().String(), "database", a.DB.Path(), "version", c.Version)
	a.RestoreGC()
	err = server.Serve(ctx, l, web)
	c.Logger.Info("stopped")
	return err
}

// socketListener listens on the Unix socket, to which this account and the accounts with the given user ids can
// connect. If the folder of the socket is missing, socketListener creates it only for the default socket.
func (f serveFlags) socketListener(ctx context.Context, a *command.App, uids []int) (net.Listener, error) {
	others := slices.DeleteFunc(uids, func(uid int) bool { return uid == os.Getuid() })
	if f.socket != "" {
		return unixsocket.Listen(ctx, a.Path(f.socket), others...)
	}
	dir := a.Env.Getenv("XDG_RUNTIME_DIR")
	if !filepath.IsAbs(dir) {
		var err error
		if dir, err = process.StateHome(a.Env); err != nil {
			return nil, err
		}
	}
	dir = filepath.Join(dir, "toolcrib")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("create the folder of the socket: %w", err)
	}
	return unixsocket.Listen(ctx, filepath.Join(dir, "serve.sock"), others...)
}

// approvedCatalog implements serve.Catalog for applications that load approved definitions from the server. It reads
// the definitions in the same way as the export command.
type approvedCatalog struct {
	app *command.App
	prompter
}

// Load implements serve.Catalog.
func (c approvedCatalog) Load(ctx context.Context, who gateway.Caller, asOf time.Time) (serve.Loaded, error) {
	all, err := export.NewExtract(ctx, c.app, who.Layer, catalog.Query{AsOf: asOf})
	if err != nil {
		return serve.Loaded{}, err
	}
	atOnce, where := all, who.Where
	where.IncludeDeferred = true
	if _, err := all.Only(ctx, who.Agent, where); err != nil {
		return serve.Loaded{}, err
	}
	where.IncludeDeferred = false
	if _, err := atOnce.Only(ctx, who.Agent, where); err != nil {
		return serve.Loaded{}, err
	}
	offered := lists.Set(atOnce.Tools, func(e catalog.Exported) registry.Subject { return e.Subject })
	loaded := serve.Loaded{Warnings: all.Warnings}
	if loaded.Agent, err = newDefinition(all.Agents[0], false); err != nil {
		return loaded, err
	}
	for _, e := range all.Lists {
		d, err := newDefinition(e, false)
		if err != nil {
			return loaded, err
		}
		loaded.Lists = append(loaded.Lists, d)
	}
	for _, e := range all.Tools {
		d, err := newDefinition(e, !offered[e.Subject])
		if err != nil {
			return loaded, err
		}
		d.CreatedAt, d.UpdatedAt = e.CreatedAt, e.UpdatedAt
		loaded.Tools = append(loaded.Tools, d)
	}
	return loaded, nil
}

func newDefinition(e catalog.Exported, deferred bool) (serve.Definition, error) {
	l, err := command.LiveOf(e)
	return serve.Definition{
		Subject: e.Subject.String(), Version: e.Version, ContentHash: e.ContentHash, Hash: e.Hash, Locked: e.Locked, Deferred: deferred, Definition: e.Definition, Live: l,
	}, err
}

// Encode implements serve.Catalog.
func (c approvedCatalog) Encode(ctx context.Context, tools []serve.Definition, f serve.Format) (array []byte, left []string, err error) {
	listed := make([]wire.Listed, len(tools))
	for i, d := range tools {
		if listed[i], err = export.AsListed(ctx, c.app, f, d.Live, d.CreatedAt, d.UpdatedAt); err != nil {
			return nil, nil, err
		}
	}
	text, left, err := wire.Encode(f, listed)
	if err != nil || f != wire.MCP {
		return text, left, err
	}
	var answer struct {
		Tools json.RawMessage `json:"tools"`
	}
	err = json.Unmarshal(text, &answer)
	return answer.Tools, left, err
}

// PromptInput implements serve.Catalog.
func (c approvedCatalog) PromptInput(ctx context.Context, who gateway.Caller) (prompt.Input, error) {
	who.Where.IncludeDeferred = false // the prompt explains how to find deferred tools
	return c.desk.Impact.PromptInput(ctx, who.Agent, who.Layer, who.Where)
}

// Known implements serve.Catalog.
func (c approvedCatalog) Known(ctx context.Context, who gateway.Caller, to *prompt.Context) error {
	return command.AddStoredContext(ctx, c.stored, builtin.Owner{Customer: who.Customer, User: who.User}, to)
}
