package cli

import (
	"cmp"
	"context"
	"errors"

	"github.com/spf13/pflag"

	"toolcrib/gateway"
	"toolcrib/gateway/hub"
	"toolcrib/gateway/upstream"
	"toolcrib/registry"
	"toolcrib/store"
)

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
