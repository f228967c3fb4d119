package cli

import (
	"context"
	"errors"

	"toolcrib/gateway"
	"toolcrib/gateway/upstream"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/store"
)

// openGateway is a gateway with what it holds open.
type openGateway struct {
	*gateway.Gateway
	index    *store.Index
	upstream *upstream.Provider
}

// Close ends the connections to servers and frees the index.
func (r *openGateway) Close() error {
	r.upstream.Close()
	return r.index.Close()
}

// gateway puts a gateway before the database, with every provider that
// there is.
func (a *app) gateway(ctx context.Context) (*openGateway, error) {
	desk, err := a.openDesk(ctx)
	if err != nil {
		return nil, err
	}
	c, err := a.settings()
	if err != nil {
		return nil, err
	}
	r := &openGateway{index: store.NewIndex(), upstream: upstream.NewProvider(func(name string) (upstream.Server, bool) {
		s, ok := c.Servers[name]
		return s.upstream(a.env, name), ok
	})}
	r.Gateway, err = gateway.New(gateway.Config{
		Registry: desk, Ledger: a.db.Calls(), Index: r.index,
		Providers: map[registry.ProviderType]gateway.Provider{registry.ProviderMCP: r.upstream},
		Now:       a.env.Now, NewID: a.env.NewID, Warn: func(s string) { a.note("%s", s) },
	})
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// callerFlags say on whose behalf tools are found and called.
type callerFlags struct {
	agent, user, customer string
	where                 whereFlags
}

// caller returns the caller that the flags name, but for its actor.
func (f callerFlags) caller(a *app) (gateway.Caller, error) {
	layer, err := a.layer()
	if err != nil {
		return gateway.Caller{}, err
	}
	user := f.user
	if user == "" {
		user = loginName(a.env)
	}
	return gateway.Caller{
		Actor: proposals.Actor{}, Agent: f.agent, Layer: layer, Where: f.where.context(true), User: user, Customer: f.customer,
	}, nil
}
