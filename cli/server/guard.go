package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/imports"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/cli/settings"
	"toolcrib/gateway"
	"toolcrib/gateway/guard"
	"toolcrib/internal/visible"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
	"toolcrib/store"
)

type guardFlags struct {
	url, tokenEnv, was string
}

func newGuard(a *command.App) *cobra.Command {
	var f guardFlags
	cmd := &cobra.Command{
		Use:  "guard NAME -- COMMAND… | guard NAME --url URL",
		Args: func(cmd *cobra.Command, args []string) error { return f.check(cmd.ArgsLenAtDash(), args) },
		RunE: func(cmd *cobra.Command, args []string) error { return runGuard(cmd.Context(), a, args, f) },
	}
	set := cmd.Flags()
	set.StringVar(&f.url, "url", "", "connect to the server at `URL` (streamable HTTP)")
	set.StringVar(&f.tokenEnv, "token-env", "", "with --url: send the bearer token in the variable `NAME`")
	set.StringVar(&f.was, "was", "", "`HOW` the client's file was written before toolcrib wrap, for unwrap; it changes nothing")
	return cmd
}

// check checks the arguments, of which the first dash stand before "--"; -1 for none.
func (f guardFlags) check(dash int, args []string) error {
	if dash < 0 {
		dash = len(args)
	}
	switch {
	case dash != 1:
		return process.Usagef(`write the name of the server, then "--" and its command, or --url URL; got %s before the command`, output.Counted(dash, "argument"))
	case registry.ServerName(args[0]) == "":
		return process.Usagef("%q is not a name for a server: it needs a letter or a digit", args[0])
	case f.url == "" && len(args) == 1:
		return process.Usagef(`name what starts the server: -- COMMAND…, or --url URL`)
	case f.url != "" && len(args) > 1:
		return process.Usagef("a command and --url exclude each other")
	case f.url != "":
		if err := settings.CheckEndpoint(f.url, false); err != nil {
			return process.Usagef("the server %v", err)
		}
	}
	return nil
}

func runGuard(ctx context.Context, a *command.App, args []string, f guardFlags) error {
	signal.Ignore(syscall.SIGPIPE) // a client that goes away ends the server in order
	ctx, stop := signal.NotifyContext(ctx, hangup()...)
	defer stop()
	crib := newGuardCrib(a, registry.ServerName(args[0]), command.StartOf(args[1:], f.url, a.Env.Dir))
	var server guard.Server
	if f.url != "" {
		headers := guard.Headers(os.Environ())
		if token := a.Env.Getenv(f.tokenEnv); f.tokenEnv != "" && token != "" {
			headers.Set("Authorization", "Bearer "+token)
		}
		server = guard.NewEndpoint(f.url, headers)
	} else {
		server = &guard.Command{Args: args[1:], Dir: a.Env.Dir, Stderr: a.Stderr}
	}
	a.RestoreGC()
	in, restore := pollable(a.Keyboard)
	defer restore()
	configured, err := a.Settings()
	g := guard.New(guard.Config{
		Crib: crib, Name: crib.name, In: in, Out: a.Stdout, Log: crib.log, Gone: func() bool { return gone(a.Stdout) }, Times: a.Env.Guard,
		Texts: err != nil || configured.ReviewsTexts(crib.name), // nothing unreviewed passes under settings that nobody can read
	}, server)
	status, err := g.Serve(ctx)
	crib.close()
	switch {
	case err != nil:
		return fmt.Errorf("the server %s: %w", crib.name, err)
	case status != 0:
		return process.ExitStatus(status)
	}
	return nil
}

// log writes a line of the guard's own to standard error.
func (c *guardCrib) log(text string) {
	fmt.Fprintf(c.app.Env.Err, "toolcrib guard %s: %s\n", c.name, strings.TrimRight(visible.Line(text), "\n"))
}

// guardCrib is toolcrib as the guard of one server needs it. It opens the database
// beside the server's start, and again while that fails.
type guardCrib struct {
	app   *command.App
	name  string
	start []string // what the server is, without secrets

	mu      sync.Mutex // of everything below
	gateway *command.OpenGateway
	file    os.FileInfo // of the database when it was opened; nil where it is no file
	caller  gateway.Caller
	raws    map[string]json.RawMessage // by hash
}

var _ guard.Crib = (*guardCrib)(nil)

// Times between looks at the database: for approvals by other processes, and for a
// database that could not be opened.
const (
	guardLooks   = 400 * time.Millisecond
	guardReopens = 2 * time.Second
)

func newGuardCrib(a *command.App, name string, start []string) *guardCrib {
	return &guardCrib{app: a, name: name, start: start, raws: map[string]json.RawMessage{}}
}

// close writes what waits to be written, and frees the gateway.
func (c *guardCrib) close() {
	if c.gateway != nil {
		c.gateway.Flush(context.Background())
		if err := c.gateway.Close(); err != nil {
			c.log(output.Sentence(err))
		}
	}
}

// open returns the gateway. The error is for the person at the client.
func (c *guardCrib) open(ctx context.Context) (*command.OpenGateway, gateway.Caller, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gateway != nil {
		if err := c.moved(); err != nil {
			return nil, gateway.Caller{}, err
		}
		return c.gateway, c.caller, nil
	}
	caller, err := command.CallerFlags{Where: command.WhereFlags{Local: true}}.Caller(c.app)
	if err == nil {
		c.caller = caller.Guarded(c.name)
		c.gateway, err = c.app.GatewayWith(ctx, c.log)
	}
	if err == nil {
		c.file, _ = os.Stat(c.app.DB.Path()) // a server's name is no file
	}
	switch {
	case errors.Is(err, store.ErrNoDatabase):
		err = errors.New("there is no database yet; run toolcrib init, and approve the tools in toolcrib")
	case err != nil:
		err = fmt.Errorf("its database cannot be read: %s", output.Sentence(err))
	}
	return c.gateway, c.caller, err
}

// moved reports a database whose file is not there any more: the open one would take
// calls that nobody finds again, and hears of no decision.
func (c *guardCrib) moved() error {
	if c.file == nil {
		return nil
	}
	if now, err := os.Stat(c.app.DB.Path()); err == nil && os.SameFile(now, c.file) {
		return nil
	}
	return fmt.Errorf("its database %s was moved, deleted or replaced; put it back, or start the server again in the client", c.app.DB.Path())
}

// Approved implements guard.Crib.
func (c *guardCrib) Approved(ctx context.Context) (guard.Approved, error) {
	g, caller, err := c.open(ctx)
	if err != nil {
		return guard.Approved{}, err
	}
	list, err := g.Guarded(ctx, caller)
	if err != nil {
		return guard.Approved{}, fmt.Errorf("its database cannot be read: %s", output.Sentence(err))
	}
	out := guard.Approved{State: list.State, Tools: make(map[string]guard.Tool, len(list.Tools)), Texts: map[string]wire.ServerText{}}
	for _, t := range list.Tools {
		raw, err := c.raw(ctx, t.Hash)
		if err != nil {
			return guard.Approved{}, fmt.Errorf("its database cannot be read: %s", output.Sentence(err))
		}
		if raw != nil {
			out.Tools[t.Name] = guard.Tool{Hash: t.Hash, Raw: raw}
		}
	}
	for _, t := range list.Texts {
		raw, err := c.raw(ctx, t.Hash)
		if err == nil && raw != nil {
			out.Texts[t.Name], err = wire.ReadServerText(raw)
		}
		if err != nil {
			return guard.Approved{}, fmt.Errorf("its database cannot be read: %s", output.Sentence(err))
		}
	}
	return out, nil
}

// raw returns the approved JSON with a hash; nil when it is not kept.
func (c *guardCrib) raw(ctx context.Context, hash string) (json.RawMessage, error) {
	c.mu.Lock()
	raw := c.raws[hash]
	c.mu.Unlock()
	if raw != nil {
		return raw, nil
	}
	body, ok, err := c.app.DB.Raw(ctx, hash)
	if err != nil || !ok {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.raws[hash] = body
	return body, nil
}

// Wait implements guard.Crib.
func (c *guardCrib) Wait(ctx context.Context, seen int64) int64 {
	c.mu.Lock()
	opened := c.gateway != nil
	c.mu.Unlock()
	if opened {
		return c.app.DB.Wait(ctx, seen, guardLooks)
	}
	timer := time.NewTimer(guardReopens)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
	return seen
}

// Admit implements guard.Crib.
func (c *guardCrib) Admit(ctx context.Context, asks guard.Call) (guard.Admitted, error) {
	g, caller, err := c.open(ctx)
	if err != nil {
		return nil, err
	}
	if caller.Actor = imports.Observer(c.app.Config); caller.Actor.Kind != proposals.Agent { // whose login logs calls in its own name alone
		caller.Actor = proposals.SelfNamed(asks.Client)
	}
	a, err := g.Admit(ctx, caller, gateway.Request{
		Tool: asks.Tool, Args: asks.Args, Command: strings.Join(c.start, " "),
		Decline: func(approved registry.Live) *gateway.Error { return c.changed(asks, approved.Definition.Tool.Source) },
	})
	var refused *gateway.Error
	switch {
	case errors.As(err, &refused):
		message := refused.Message
		if refused.Pending != "" {
			message = fmt.Sprintf("%s The user reviews it with `toolcrib calls show %s`.", message, refused.Pending)
		}
		return nil, &guard.Refusal{Code: string(refused.Code), Message: message, Pending: refused.Pending, Unknown: refused.Code == gateway.CodeUnknown}
	case err != nil:
		return nil, err
	}
	return admitted{g.Gateway, a}, nil
}

// changed refuses a tool that the server does not list as it was approved from source;
// nil if it does.
func (c *guardCrib) changed(asks guard.Call, source *registry.Source) *gateway.Error {
	if asks.Listed != "" && source != nil && source.Hash == asks.Listed {
		return nil
	}
	e := &gateway.Error{Code: gateway.CodeChanged, NotRun: true}
	e.Message = fmt.Sprintf("%s lists another definition of %s than was approved; nothing was called. The user reviews the change with toolcrib show set:%s.", c.name, jsondoc.Quote(asks.Tool), c.name)
	if asks.Listed == "" {
		e.Message = fmt.Sprintf("%s does not list %s any more as it was approved; nothing was called.", c.name, jsondoc.Quote(asks.Tool))
	}
	if details, err := json.Marshal(map[string]string{"server": c.name, "name": asks.Tool, "listed": asks.Listed}); err == nil {
		e.Details = details
	}
	return e
}

// admitted is a call that the gates let pass.
type admitted struct {
	gateway *gateway.Gateway
	call    *gateway.Admitted
}

// Conclude implements guard.Admitted.
func (a admitted) Conclude(o guard.Outcome) {
	code := map[guard.End]gateway.Code{guard.Failed: gateway.CodeProvider, guard.Canceled: gateway.CodeCanceled, guard.Lost: gateway.CodeProvider}[o.End]
	out := gateway.Outcome{Code: code, Duration: o.Took, OutputHash: o.Hash, OutputBytes: o.Bytes, Message: o.Message}
	a.gateway.Conclude(context.Background(), a.call, out)
}

// Observe implements guard.Crib.
func (c *guardCrib) Observe(ctx context.Context, l guard.Listing) error {
	if _, _, err := c.open(ctx); err != nil {
		return err
	}
	f := imports.Import{Server: c.name, Watched: true, Observed: true}
	taken, err := f.Take(ctx, c.app, c.name, documentOf(l), &command.LiveServer{Name: c.name, Shown: c.name, Start: c.start})
	if err != nil {
		return err
	}
	if n := len(taken.Made); n > 0 {
		c.log(fmt.Sprintf("%s of the server's tools to review: toolcrib show set:%s", output.Counted(n, "proposal"), taken.Origin.Set))
		if by := imports.Observer(c.app.Config); c.app.Config.FourEyes && by.Kind == proposals.User {
			c.log(fmt.Sprintf("%s, whose login of the database this is, counts as their author and cannot approve them under four_eyes; guard with a login of the role toolcrib_server", by))
		}
	}
	return nil
}

// documentOf is a list as registry/wire reads it.
func documentOf(l guard.Listing) []byte {
	var doc bytes.Buffer
	doc.WriteByte('{')
	for _, m := range []struct {
		key   string
		value json.RawMessage
	}{{"serverInfo", l.Server}, {"clientCapabilities", l.Capabilities}} {
		if len(m.value) > 0 {
			fmt.Fprintf(&doc, `"%s":%s,`, m.key, m.value)
		}
	}
	if l.Protocol != "" {
		fmt.Fprintf(&doc, `"protocolVersion":%s,`, jsondoc.Canonical(jsondoc.NewString(l.Protocol)))
	}
	fmt.Fprintf(&doc, `"tools":[%s]`, joined(l.Tools))
	if l.Texts != nil {
		fmt.Fprintf(&doc, `,"texts":[%s]`, joined(l.Texts))
	}
	doc.WriteByte('}')
	return doc.Bytes()
}

// joined puts commas between JSON values.
func joined(raws []json.RawMessage) []byte {
	return bytes.Join(output.Mapped(raws, func(raw json.RawMessage) []byte { return raw }), []byte(","))
}
