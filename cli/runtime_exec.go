package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"toolcrib/gateway"
	"toolcrib/gateway/hub"
	"toolcrib/gateway/upstream"
	"toolcrib/internal/visible"
	"toolcrib/registry"
	"toolcrib/store"
)

func newExec(a *app) *cobra.Command {
	var who callerFlags
	var args, callContext string
	cmd := &cobra.Command{
		Use:   "exec TOOL --agent A [--args JSON | @FILE | -]",
		Short: "Call a tool as an agent, through every gate",
		Long: `Call an action tool by its wire name, id, or alias. The gates, in this order:
the tool is registered, the agent may use it, the arguments are valid, approval
tier, cooldown, daily limit, eval gate (if required), provider. toolcrib logs
every call, including refusals (toolcrib calls log).

--call-context describes the reason for the call: an object with any of
user_message, chat_id, conversation_id, mission_id, confidence (0 to 1), and
context (an object). The eval gate and the hub receive it unverified.

A tool that requires user approval does not run. The call waits, and the error
has its id (code approval_required). Answer it with toolcrib calls approve or
refuse.

Exit status 3: no such tool; 5: a gate refused; 1: invalid arguments, or the
provider failed.`,
		Example: `  toolcrib exec get_tasks --agent assistant
  toolcrib exec create_tasks --agent assistant --args '{"tasks": [{"title": "Read the proofs"}]}'
  toolcrib exec create_tasks --agent assistant --args @args.json --json
  toolcrib exec get_tasks --agent assistant --call-context '{"chat_id": "c-7", "confidence": 0.9}'`,
		Args: exact(1, "a tool"),
		RunE: func(cmd *cobra.Command, tools []string) error {
			return runExec(cmd.Context(), a, who, tools[0], args, callContext)
		},
	}
	who.register(cmd.Flags())
	cmd.Flags().StringVar(&args, "args", "", "the arguments: a `JSON` object, @FILE for a file's content, - for standard input (default: {})")
	cmd.Flags().StringVar(&callContext, "call-context", "", "context of the call for the eval gate and the hub: a `JSON` object, @FILE or -")
	return cmd
}

func runExec(ctx context.Context, a *app, who callerFlags, tool, args, callContext string) error {
	if a.flags.dryRun {
		return errNoDryRun("exec", "what a provider does cannot be taken back")
	}
	caller, err := who.acting(a)
	if err != nil {
		return err
	}
	if args == "-" && callContext == "-" {
		return usagef("--args and --call-context cannot both be read from standard input")
	}
	req := gateway.Request{Tool: tool}
	if req.Args, err = a.arguments(ctx, args); err != nil {
		return err
	}
	raw, err := a.arguments(ctx, callContext)
	if err != nil {
		return err
	}
	if req.Said, err = gateway.ParseCallContext(raw); err != nil {
		return usagef("--call-context is not a call context: %v", err)
	}
	return a.withGateway(ctx, func(g *openGateway) error {
		res, err := g.Execute(ctx, caller, req)
		return a.printCall(res, err)
	})
}

// errNoDryRun refuses --dry-run where nothing can be tried.
func errNoDryRun(command, why string) error {
	return usagef("%s has no --dry-run: %s", command, why)
}

// arguments reads what --args names.
func (a *app) arguments(ctx context.Context, text string) (json.RawMessage, error) {
	switch name, isFile := strings.CutPrefix(text, "@"); {
	case text == "-":
		return a.readAll(ctx, "-")
	case isFile:
		return a.readAll(ctx, name)
	case text == "":
		return nil, nil
	}
	return json.RawMessage(text), nil
}

// printCall prints what a call gave, unless it failed: for a person its output alone.
func (a *app) printCall(res gateway.Result, err error) error {
	if err != nil {
		return err
	}
	return a.print(newDocCall(res), func(p *page) { p.json("", res.Output) })
}

// json writes a JSON document over several lines, each after prefix.
func (p *page) json(prefix string, doc json.RawMessage) {
	text, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		text = doc
	}
	for line := range strings.Lines(string(visible.JSON(text))) {
		p.raw(prefix + strings.TrimSuffix(line, "\n"))
	}
}

// openGateway is a gateway with its open resources.
type openGateway struct {
	*gateway.Gateway
	index    *store.Index
	upstream *upstream.Provider
	hub      *hub.Hub
	shared   bool // with other sessions, which go on
}

// Close ends the connections to servers and frees the index.
func (r *openGateway) Close() error {
	if r.shared {
		return nil
	}
	r.upstream.Close()
	r.hub.Close()
	return r.index.Close()
}

// gateway puts a gateway before the database, with every provider that
// there is.
func (a *app) gateway(ctx context.Context) (*openGateway, error) {
	return a.gatewayWith(ctx, func(s string) { a.note("toolcrib: %s", s) })
}

// gatewayWith is gateway with warn for warnings about calls that went on.
func (a *app) gatewayWith(ctx context.Context, warn func(string)) (*openGateway, error) {
	if a.remote != nil {
		shared := *a.remote.gateway
		shared.shared = true
		return &shared, nil
	}
	desk, err := a.openDesk(ctx)
	if err != nil {
		return nil, err
	}
	c := a.config
	find := func(name string) (upstream.Server, bool) {
		s, ok := c.Servers[name]
		return s.upstream(a.env, name), ok
	}
	r := &openGateway{index: store.NewIndex(), upstream: upstream.NewProvider(find), hub: c.Gateway.hub(a.env)}
	config := gateway.Config{
		Ledger: a.db.Calls(), Index: r.index,
		Providers: map[registry.ProviderType]gateway.Provider{
			registry.ProviderBuiltin: a.builtin(desk), registry.ProviderMCP: r.upstream, registry.ProviderHTTP: r.hub,
		},
		Now: a.env.Now, NewID: a.env.NewID, Warn: warn, Signatures: c.signatures(),
	}
	c.Gateway.apply(a.env, &config)
	r.Gateway, err = gateway.New(config)
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// withGateway does something with a gateway and closes it.
func (a *app) withGateway(ctx context.Context, do func(*openGateway) error) error {
	g, err := a.gateway(ctx)
	if err != nil {
		return err
	}
	return errors.Join(do(g), g.Close())
}

// callerFlags say on whose behalf tools are found and called.
type callerFlags struct {
	agent, user, customer string
	where                 whereFlags
}

func (f *callerFlags) register(set *pflag.FlagSet) {
	set.StringVar(&f.agent, "agent", "", "with the tools of the agent `ID`, or of its subject")
	set.StringVar(&f.user, "user", "", "call for the user `NAME`, with their limits and tiers (default: the login name)")
	set.StringVar(&f.customer, "customer", "", "the customer `NAME`, for hubs")
	f.where.register(set)
}

// caller returns the caller that the flags name, but for its actor.
func (f callerFlags) caller(a *app) (gateway.Caller, error) {
	layer, err := a.layer()
	if err != nil {
		return gateway.Caller{}, err
	}
	user, err := a.user()
	if err != nil {
		return gateway.Caller{}, err
	}
	return gateway.Caller{Agent: f.agent, Layer: layer, Where: f.where.context(true), User: cmp.Or(f.user, user), Customer: f.customer}, nil
}

// acting is caller with the actor of the command line.
func (f callerFlags) acting(a *app) (gateway.Caller, error) {
	if f.agent == "" {
		return gateway.Caller{}, usagef("name the agent: --agent ID")
	}
	c, err := f.caller(a)
	if err != nil {
		return c, err
	}
	c.Actor, err = a.actor()
	return c, err
}

// whereFlags describe where an agent works; by default away from the user's
// machine, with semantic search.
type whereFlags struct{ local, noEmbedding bool }

func (w *whereFlags) register(set *pflag.FlagSet) {
	set.BoolVar(&w.local, "local", false, "the agent works on the user's own machine")
	set.BoolVar(&w.noEmbedding, "no-embedding", false, "there is no semantic search")
}

func (w *whereFlags) context(deferred bool) registry.Context {
	return registry.Context{Local: w.local, Embedding: !w.noEmbedding, IncludeDeferred: deferred}
}

// docWhere is the context that tools were resolved in.
type docWhere struct {
	Local           bool `json:"local"`
	Embedding       bool `json:"embedding"`
	IncludeDeferred bool `json:"include_deferred"`
}

func newDocWhere(c registry.Context) docWhere {
	return docWhere{Local: c.Local, Embedding: c.Embedding, IncludeDeferred: c.IncludeDeferred}
}
