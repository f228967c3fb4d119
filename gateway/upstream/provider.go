package upstream

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"toolcrib/gateway"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
)

// Provider runs tools on upstream servers. It keeps a connection to each
// server that was asked for and makes a new one when it ended.
type Provider struct {
	find func(name string) (Server, bool)

	ctx       context.Context // of work between calls, until Close
	stop      context.CancelFunc
	following sync.WaitGroup

	mu        sync.Mutex
	links     map[string]*link
	followers map[string]*follower
}

var (
	_ gateway.Provider = (*Provider)(nil)
	_ gateway.Checker  = (*Provider)(nil)
)

// link is the connection to one server. The goroutine that has put something into
// busy may read or make it.
type link struct {
	busy    chan struct{}
	session *Session
}

// take waits for the link, as long as ctx allows: somebody else may be making
// it just now, and a server takes its time.
func (l *link) take(ctx context.Context) error {
	select {
	case l.busy <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l *link) release() { <-l.busy }

// NewProvider returns a provider for the servers that find knows.
func NewProvider(find func(name string) (Server, bool)) *Provider {
	ctx, stop := context.WithCancel(context.Background())
	return &Provider{find: find, ctx: ctx, stop: stop, links: map[string]*link{}, followers: map[string]*follower{}}
}

// Close ends every connection.
func (p *Provider) Close() {
	p.stop()
	p.following.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range p.links {
		l.busy <- struct{}{}
		if l.session != nil {
			l.session.Close()
			l.session = nil
		}
		l.release()
	}
}

// Run implements gateway.Provider. The definition is read from the server
// before every call; when it is not the approved one, nothing is called. The
// result is the server's, as it came over the wire.
func (p *Provider) Run(ctx context.Context, in gateway.Invocation) (gateway.Output, error) {
	session, name, err := p.approved(ctx, in.Tool.Definition.Tool)
	if err != nil {
		return gateway.Output{}, err
	}
	raw, node, err := session.Call(ctx, name, in.Args)
	if err != nil {
		return gateway.Output{}, asError(err)
	}
	return outcome(raw, node)
}

// Check implements gateway.Checker.
func (p *Provider) Check(ctx context.Context, tool registry.Live) error {
	_, _, err := p.approved(ctx, tool.Definition.Tool)
	return err
}

// approved returns the connection to the server of a tool, which lists the tool now
// as it was approved, and its name there.
func (p *Provider) approved(ctx context.Context, t *registry.Tool) (*Session, string, error) {
	server, ok := p.find(t.Provider.Server)
	if !ok {
		return nil, "", &gateway.Error{
			Code: gateway.CodeNotConnected, NotRun: true,
			Message: fmt.Sprintf("no MCP server %s is configured; ask the user to add [servers.%s] to the configuration", t.Provider.Server, t.Provider.Server),
		}
	}
	session, tools, err := p.listed(ctx, server)
	if err != nil {
		return nil, "", notListed(err)
	}
	name := cmp.Or(t.OriginName(), t.ID)
	listed := wire.ByName(tools)[name]
	d, as := drift{Server: server.Name, Name: name, Listed: listed.Sum}, false
	if d.Approved, as = asApproved(t, listed); !as {
		p.tell(server.Name)
		return nil, "", d.refusal(t.ID)
	}
	if ps := excluded(tools, name); len(ps) > 0 {
		return nil, "", &gateway.Error{
			Code:    gateway.CodeChanged,
			Message: fmt.Sprintf("the protocol excludes the definition of %s: %s; nothing was called.", t.WireName(), ps.Error()),
		}
	}
	return session, name, nil
}

// listed returns the tools that a server lists now. A connection that ended
// while nobody looked is made once more; nothing was called over it.
func (p *Provider) listed(ctx context.Context, s Server) (*Session, []json.RawMessage, error) {
	session, fresh, err := p.session(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	tools, _, err := session.Tools(ctx)
	if err == nil || fresh || ctx.Err() != nil || errors.Is(err, ErrTooLarge) || errors.Is(err, ErrTimeout) {
		return session, tools, err
	}
	if err := p.drop(ctx, s, session); err != nil {
		return nil, nil, err
	}
	if session, _, err = p.session(ctx, s); err != nil {
		return nil, nil, err
	}
	tools, _, err = session.Tools(ctx)
	return session, tools, err
}

// session returns the connection to a server and whether it was just made.
func (p *Provider) session(ctx context.Context, s Server) (session *Session, fresh bool, err error) {
	l := p.link(s.Name)
	if err := l.take(ctx); err != nil {
		return nil, false, err
	}
	defer l.release()
	if l.session != nil && l.session.alive() {
		return l.session, false, nil
	}
	var changed func()
	p.mu.Lock()
	followed := p.followers[s.Name] != nil
	p.mu.Unlock()
	if followed {
		changed = func() { p.tell(s.Name) }
	}
	if l.session, err = Connect(ctx, s, changed); err != nil {
		l.session = nil
		return nil, false, err
	}
	return l.session, true, nil
}

// link returns the link to a server.
func (p *Provider) link(name string) *link {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.links[name]
	if l == nil {
		l = &link{busy: make(chan struct{}, 1)}
		p.links[name] = l
	}
	return l
}

// drop ends a connection that does not work any more.
func (p *Provider) drop(ctx context.Context, s Server, session *Session) error {
	l := p.link(s.Name)
	if err := l.take(ctx); err != nil {
		return err
	}
	defer l.release()
	if l.session == session {
		l.session = nil
		session.Close()
	}
	return nil
}

// excluded returns for what the protocol excludes a listed tool.
func excluded(tools []json.RawMessage, name string) jsondoc.Problems {
	for _, raw := range tools {
		if item, err := wire.ReadItem(wire.MCP, raw); err == nil && item.Name == name {
			return item.Problems()
		}
	}
	return nil
}

// drift is how an upstream definition differs from the approved one. It goes
// into the audit log with the refusal.
type drift struct {
	Server   string `json:"server"`
	Name     string `json:"name"`     // that the tool has there
	Approved string `json:"approved"` // the pin: the hash of the approved JSON, "" when there is none
	Listed   string `json:"listed"`   // the hash of the listed tool, "" for none
}

func (d drift) refusal(id string) error {
	details, err := json.Marshal(d)
	if err != nil {
		return err
	}
	e := &gateway.Error{Code: gateway.CodeChanged, Details: details, NotRun: true}
	switch {
	case d.Approved == "":
		e.Message = fmt.Sprintf("%s has no pin of its definition on %s; nothing was called. The user has to import it from there and approve it again.", id, d.Server)
	case d.Listed == "":
		e.Message = fmt.Sprintf("%s does not list %s any more as it was approved; nothing was called.", d.Server, id)
	default:
		e.Message = fmt.Sprintf("%s lists another definition of %s than was approved; nothing was called. The user has to review the change (toolcrib import --server %s).", d.Server, id, d.Server)
	}
	return e
}
