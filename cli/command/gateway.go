// This file opens the gateway for commands that find and call tools.

package command

import (
	"cmp"
	"context"
	"errors"

	"github.com/spf13/pflag"

	"toolcrib/cli/process"
	"toolcrib/cli/settings"
	"toolcrib/gateway"
	"toolcrib/gateway/builtin"
	"toolcrib/gateway/follow"
	"toolcrib/gateway/hub"
	"toolcrib/gateway/upstream"
	"toolcrib/prompt"
	"toolcrib/registry"
	"toolcrib/review/service"
	"toolcrib/store/ranking"
)

// OpenGateway is a gateway with the connections and the index that it uses. The caller must call Close.
type OpenGateway struct {
	*gateway.Gateway
	index    *ranking.Index
	Upstream *upstream.Provider
	hub      *hub.Hub
	shared   bool // shared with other sessions, so Close keeps the resources open
	// Followed is the registry that this machine follows, or nil if the gateway uses the database.
	Followed *follow.Server
}

// Close closes the connections to servers and releases the index.
func (r *OpenGateway) Close() error {
	if r.shared {
		return nil
	}
	r.Upstream.Close()
	r.hub.Close()
	return r.index.Close()
}

// Gateway opens the gateway. If this machine follows a registry, the gateway uses that registry and offers no built-in
// tools, because these need a database. Otherwise, it uses the database and all providers.
func (a *App) Gateway(ctx context.Context) (*OpenGateway, error) {
	warn := func(s string) { a.Note("toolcrib: %s", s) }
	following, err := a.Following()
	switch {
	case err != nil:
		return nil, err
	case following == nil || a.Remote != nil:
		return a.GatewayWith(ctx, warn)
	}
	followed := &follow.Server{Copy: following.Copy}
	ledger, err := following.ledger(ctx, a, followed.Registry)
	if err != nil {
		return nil, err
	}
	r, err := a.openGateway(*a.Config, ledger, nil, warn)
	if err == nil {
		r.Followed = followed
	}
	return r, err
}

// GatewayWith opens a gateway that uses the database, even if this machine follows a registry. The gateway calls warn
// for each warning about a successful call. Over SSH, GatewayWith returns the gateway that all sessions share.
func (a *App) GatewayWith(ctx context.Context, warn func(string)) (*OpenGateway, error) {
	if a.Remote != nil {
		shared := *a.Remote.Gateway
		shared.shared = true
		return &shared, nil
	}
	desk, err := a.OpenDesk(ctx)
	if err != nil {
		return nil, err
	}
	return a.openGateway(*a.Config, a.DB.Calls(), a.Builtin(desk), warn)
}

// openGateway opens a gateway that uses the given ledger. stored is the provider of the built-in tools, which store
// data of users in the database. If stored is nil, the gateway has no built-in tools.
func (a *App) openGateway(c settings.Config, ledger gateway.Ledger, stored gateway.Provider, warn func(string)) (*OpenGateway, error) {
	find := func(name string) (upstream.Server, bool) {
		s, ok := c.Servers[name]
		return s.Upstream(a.Env, name), ok
	}
	r := &OpenGateway{index: ranking.NewIndex(), Upstream: upstream.NewProvider(find), hub: c.Gateway.Hub(a.Env)}
	config := gateway.Config{
		Ledger: ledger, Index: r.index,
		Providers: map[registry.ProviderType]gateway.Provider{registry.ProviderMCP: r.Upstream, registry.ProviderHTTP: r.hub},
		Now:       a.Env.Now, NewID: a.Env.NewID, Warn: warn, Signatures: c.SignaturePolicy(),
	}
	if stored != nil {
		config.Providers[registry.ProviderBuiltin] = stored
	}
	c.Gateway.Apply(a.Env, &config)
	var err error
	if r.Gateway, err = gateway.New(config); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// WithGateway opens a gateway, calls fn, and closes the gateway.
func (a *App) WithGateway(ctx context.Context, fn func(*OpenGateway) error) error {
	g, err := a.Gateway(ctx)
	if err != nil {
		return err
	}
	return errors.Join(fn(g), g.Close())
}

// CallerFlags contains the flags that specify the agent and the user of a call.
type CallerFlags struct {
	Agent, User, Customer string
	Where                 WhereFlags
}

func (f *CallerFlags) Register(set *pflag.FlagSet) {
	set.StringVar(&f.Agent, "agent", f.Agent, "use the tools of the agent with this `ID` or subject")
	set.StringVar(&f.User, "user", "", "call for the user `NAME`, with that user's limits and tiers (default: the login name)")
	set.StringVar(&f.Customer, "customer", "", "the customer `NAME`, for hubs")
	f.Where.Register(set)
}

// Caller returns the caller that the flags specify, without an actor.
func (f CallerFlags) Caller(a *App) (gateway.Caller, error) {
	c, err := a.Settings()
	if err != nil {
		return gateway.Caller{}, err
	}
	return gateway.Caller{Agent: f.Agent, Layer: c.Layer, Where: f.Where.Context(true), User: cmp.Or(f.User, a.User()), Customer: f.Customer}, nil
}

// Acting is like Caller, but requires an agent and sets Actor to the actor of the command.
func (f CallerFlags) Acting(a *App) (gateway.Caller, error) {
	if f.Agent == "" {
		return gateway.Caller{}, process.Usagef("specify the agent with --agent ID")
	}
	c, err := f.Caller(a)
	if err != nil {
		return c, err
	}
	c.Actor, err = a.Actor()
	return c, err
}

// WhereFlags contains the flags that describe the environment of the agent. By default, the agent does not run on the
// user's machine, and semantic search is available.
type WhereFlags struct{ Local, noEmbedding bool }

func (w *WhereFlags) Register(set *pflag.FlagSet) {
	set.BoolVar(&w.Local, "local", false, "the agent works on the user's machine")
	set.BoolVar(&w.noEmbedding, "no-embedding", false, "semantic search is not available")
}

func (w *WhereFlags) Context(deferred bool) registry.Context {
	return registry.Context{Local: w.Local, Embedding: !w.noEmbedding, IncludeDeferred: deferred}
}

// Builtin returns the provider of the assistant's built-in tools. Each call uses the time zone of the agent that makes
// the call.
func (a *App) Builtin(desk *service.Desk) *builtin.Provider {
	return builtin.New(a.DB, builtin.Options{
		NewID: a.Env.NewID,
		Zone: func(ctx context.Context, c gateway.Caller) (string, error) {
			agent, _, err := desk.Impact.Toolset(ctx, c.Agent, c.Layer, c.Where)
			if err != nil {
				return "", err
			}
			return agent.Definition.Agent.Timezone, nil
		},
	})
}

// AddStoredContext adds the user instructions and the memory notes of owner to c. It does not replace existing values
// in c.
func AddStoredContext(ctx context.Context, stored *builtin.Provider, owner builtin.Owner, c *prompt.Context) error {
	known, err := stored.Known(ctx, owner, c.Now)
	if err != nil {
		return err
	}
	c.UserInstructions, c.MemoryNotes = cmp.Or(c.UserInstructions, known.Instructions), cmp.Or(c.MemoryNotes, known.Notes)
	return nil
}
