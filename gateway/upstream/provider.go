// This file implements the provider that runs tools on upstream servers.

package upstream

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"toolcrib/gateway"
	"toolcrib/gateway/guard"
	"toolcrib/internal/plaintext"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
)

// Provider runs tools on upstream servers. It reuses the connection to each server for later calls, and reconnects if
// the connection has ended.
type Provider struct {
	find func(name string) (Server, bool)

	ctx       context.Context // context of all polling, canceled by Close
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

// link contains the connection to a server. A goroutine must acquire the link before it uses the field session.
type link struct {
	busy    chan struct{}
	session *Session
}

// acquire locks l until release is called. It waits while another goroutine is connecting. It returns ctx.Err() if ctx
// is done first.
func (l *link) acquire(ctx context.Context) error {
	select {
	case l.busy <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l *link) release() { <-l.busy }

// NewProvider returns a provider. It uses find to look up the configuration of a server by name.
func NewProvider(find func(name string) (Server, bool)) *Provider {
	ctx, stop := context.WithCancel(context.Background())
	return &Provider{find: find, ctx: ctx, stop: stop, links: map[string]*link{}, followers: map[string]*follower{}}
}

// Close ends all polling and closes all connections.
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

// Run implements gateway.Provider. Before every call, Run reads the tool's definition from the server. If this
// definition differs from the approved definition, Run does not call the tool. Otherwise, it returns the server's
// result unchanged.
func (p *Provider) Run(ctx context.Context, in gateway.Invocation) (gateway.Output, error) {
	session, listed, err := p.approved(ctx, in.Tool.Definition.Tool)
	if err != nil {
		return gateway.Output{}, err
	}
	raw, node, err := session.Call(ctx, listed.Name, listed.Raw, in.Args)
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

// approved returns a connection to the server of t, and the tool in the server's current list. It returns an error if
// the listed definition differs from the approved definition t.
func (p *Provider) approved(ctx context.Context, t *registry.Tool) (*Session, wire.ListedItem, error) {
	server, ok := p.find(t.Provider.Server)
	if !ok {
		return nil, wire.ListedItem{}, &gateway.Error{
			Code: gateway.CodeNotConnected, NotRun: true,
			Message: fmt.Sprintf("no MCP server %s is configured; ask the user to add [servers.%s] to the configuration", t.Provider.Server, t.Provider.Server),
		}
	}
	session, tools, err := p.listed(ctx, server)
	if err != nil {
		err = asError(err)
		if e, ok := errors.AsType[*gateway.Error](err); ok {
			e.NotRun = true // no call was sent
		}
		return nil, wire.ListedItem{}, err
	}
	name := cmp.Or(t.OriginName(), t.ID)
	listed := wire.ByName(tools)[name]
	d, as := drift{Server: server.Name, Name: name, Listed: listed.Sum}, false
	if d.Approved, as = isApproved(t, listed); !as {
		p.pollSoon(server.Name)
		return nil, listed, d.refusal(t.ID)
	}
	if ps := listed.Problems(); len(ps) > 0 {
		return nil, listed, &gateway.Error{
			Code:    gateway.CodeChanged,
			Message: fmt.Sprintf("the definition of %s violates the protocol: %s; the tool was not called.", t.WireName(), ps.Error()),
		}
	}
	return session, listed, nil
}

// listed returns a connection to a server and the server's current tools. If the list cannot be read over an existing
// connection, listed reconnects once. Reconnecting is safe because no call has been sent.
func (p *Provider) listed(ctx context.Context, s Server) (*Session, []json.RawMessage, error) {
	session, fresh, err := p.session(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	tools, _, err := session.Tools(ctx)
	if err == nil || fresh || ctx.Err() != nil || errors.Is(err, ErrTooLarge) || errors.Is(err, ErrTimeout) {
		return session, tools, err
	}
	l := p.link(s.Name)
	if err := l.acquire(ctx); err != nil {
		return nil, nil, err
	}
	if l.session == session {
		l.session = nil
		session.Close()
	}
	l.release()
	if session, _, err = p.session(ctx, s); err != nil {
		return nil, nil, err
	}
	tools, _, err = session.Tools(ctx)
	return session, tools, err
}

// session returns the existing connection to a server, or connects to the server. fresh reports whether the connection
// is new.
func (p *Provider) session(ctx context.Context, s Server) (session *Session, fresh bool, err error) {
	l := p.link(s.Name)
	if err := l.acquire(ctx); err != nil {
		return nil, false, err
	}
	defer l.release()
	if l.session != nil {
		select {
		case <-l.session.Ended():
		default:
			return l.session, false, nil
		}
	}
	var changed func()
	if p.followed(s.Name) != nil {
		changed = func() { p.pollSoon(s.Name) }
	}
	if l.session, err = Connect(ctx, s, changed); err != nil {
		l.session = nil
		return nil, false, err
	}
	return l.session, true, nil
}

// link returns the link to the server with the given name. It creates the link if necessary.
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

// drift describes how an upstream definition differs from the approved definition. The details of the refusal contain
// it as JSON.
type drift struct {
	Server   string `json:"server"`
	Name     string `json:"name"`     // name of the tool on the server
	Approved string `json:"approved"` // pin: the hash of the approved JSON; "" if the tool has no pin
	Listed   string `json:"listed"`   // hash of the listed tool; "" if the tool is not listed
}

func (d drift) refusal(id string) error {
	details, err := json.Marshal(d)
	if err != nil {
		return err
	}
	e := &gateway.Error{Code: gateway.CodeChanged, Details: details, NotRun: true}
	switch {
	case d.Approved == "":
		e.Message = fmt.Sprintf("%s is not pinned to a definition of the server %s, so the tool was not called. The user must import the tool from the server and approve it again.", id, d.Server)
	case d.Listed == "":
		e.Message = fmt.Sprintf("the server %s no longer lists the approved tool %s; the tool was not called.", d.Server, id)
	default:
		e.Message = fmt.Sprintf("the server %s lists a definition of %s that differs from the approved definition; the tool was not called. The user must review the change (toolcrib import --server %s).", d.Server, id, d.Server)
	}
	return e
}

// follower polls a server and stores its last list.
type follower struct {
	pollNow chan struct{} // receives a request to poll before the interval has passed
	polled  chan struct{} // closed after the first successful or failed poll

	mu       sync.Mutex
	listed   map[string]wire.ListedItem // keyed by name; nil before the first successful poll
	onChange map[*func()]bool           // functions to call when the list has changed
}

// Follow starts polling the tools of the server with the given name. The provider polls immediately, every minute,
// whenever the server reports a change, and whenever a call detects a changed definition. Until ctx is done, it calls
// changed whenever a list differs from the previous list. If the server cannot be reached, the provider retains the
// last list and tries again later. If the server is not configured, Follow does nothing.
func (p *Provider) Follow(ctx context.Context, name string, changed func()) {
	f := p.follower(name)
	if f == nil {
		return
	}
	f.mu.Lock()
	f.onChange[&changed] = true
	f.mu.Unlock()
	context.AfterFunc(ctx, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.onChange, &changed)
	})
}

// WaitPolled waits until the first poll of every followed server in names has succeeded or failed, or until ctx is
// done.
func (p *Provider) WaitPolled(ctx context.Context, names []string) {
	for _, name := range names {
		f := p.followed(name)
		if f == nil {
			continue
		}
		select {
		case <-f.polled:
		case <-ctx.Done():
			return
		}
	}
}

// Drifted reports whether t is missing in the newest list of its server, or whether the list contains a definition of t
// that differs from the approved definition. It returns false if the server is not followed or has not been polled
// successfully.
func (p *Provider) Drifted(t *registry.Tool) bool {
	if t.Provider == nil || t.Provider.Type != registry.ProviderMCP {
		return false
	}
	f := p.followed(t.Provider.Server)
	if f == nil {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	_, as := isApproved(t, f.listed[cmp.Or(t.OriginName(), t.ID)])
	return f.listed != nil && !as
}

// follower returns the follower of the server with the given name, and starts a new follower if necessary. It returns
// nil if the provider is closed or the server is not configured.
func (p *Provider) follower(name string) *follower {
	p.mu.Lock()
	defer p.mu.Unlock()
	if f := p.followers[name]; f != nil {
		return f
	}
	s, ok := p.find(name)
	if !ok || p.ctx.Err() != nil {
		return nil
	}
	f := &follower{pollNow: make(chan struct{}, 1), polled: make(chan struct{}), onChange: map[*func()]bool{}}
	p.followers[name] = f
	p.following.Go(func() { p.follow(s, f) })
	return f
}

// followed returns the follower of the server with the given name, or nil if the server is not followed.
func (p *Provider) followed(name string) *follower {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.followers[name]
}

// pollSoon requests a poll of the server with the given name without waiting for the interval. It does nothing if the
// server is not followed.
func (p *Provider) pollSoon(name string) {
	f := p.followed(name)
	if f == nil {
		return
	}
	select {
	case f.pollNow <- struct{}{}:
	default: // already requested
	}
}

func (p *Provider) follow(s Server, f *follower) {
	retry, first := firstRetry, true
	for p.ctx.Err() == nil {
		_, tools, err := p.listed(p.ctx, s)
		pause := time.Minute
		if err == nil {
			f.store(tools)
			retry = firstRetry
		} else {
			pause = retry
			retry = min(2*retry, lastRetry)
		}
		if first {
			close(f.polled)
			first = false
		}
		select {
		case <-p.ctx.Done():
		case <-time.After(pause):
		case <-f.pollNow:
		}
	}
}

// store stores a list, and calls the functions in f.onChange if the list differs from the previous list.
func (f *follower) store(tools []json.RawMessage) {
	now := wire.ByName(tools)
	f.mu.Lock()
	differs := f.listed != nil && !maps.EqualFunc(f.listed, now, func(a, b wire.ListedItem) bool { return a.Sum == b.Sum })
	f.listed = now
	heard := slices.Collect(maps.Keys(f.onChange))
	f.mu.Unlock()
	for _, changed := range heard {
		if differs {
			(*changed)()
		}
	}
}

// isApproved reports whether the listed tool equals the approved definition t, ignoring parts that are excluded from
// the pin. hash is the hash of the approved JSON, or "" if t does not have a pin.
func isApproved(t *registry.Tool, listed wire.ListedItem) (hash string, ok bool) {
	if t.Source == nil || t.Source.Type != registry.SourceMCP {
		return "", false
	}
	return t.Source.Hash, listed.Sum != "" && listed.Pin(t.Source.Excluded) == t.Source.Pin()
}

// maxMessage is the maximum length of a server's message in an *Error, in bytes.
const maxMessage = 2_000

// outcome converts raw, the result of tools/call, to an output. If the result contains an error, outcome returns this
// error. n is the parsed form of raw.
func outcome(raw json.RawMessage, n *jsondoc.Node) (gateway.Output, error) {
	if kind := n.Get("resultType"); kind != nil && kind.Text != "complete" {
		message := fmt.Sprintf("the server returned a result of the unknown type %s", jsondoc.Quote(kind.Text))
		if kind.Text == "input_required" { // SEP-2322: the user or a model would provide the additional input, which would bypass every gate
			message = "the server responded with input_required: the tool requires input from the user or a model, which toolcrib does not provide. According to the response, the call had no effect. Call the tool with all inputs, or use the server directly"
		}
		return gateway.Output{}, &gateway.Error{Code: gateway.CodeProvider, Message: message, Details: raw}
	}
	if failed := n.Get("isError"); failed == nil || failed.Kind != jsondoc.Bool || failed.Text != "true" {
		out := gateway.Output{Object: raw}
		if structured := n.Get("structuredContent"); structured != nil {
			out.Structured = jsondoc.Canonical(structured)
		}
		return out, nil
	}
	var parts []string
	if content := n.Get("content"); content != nil {
		for _, block := range content.Items {
			if text := block.Get("text"); text != nil && text.Kind == jsondoc.String {
				parts = append(parts, text.Text)
			}
		}
	}
	message := cmp.Or(strings.Join(parts, "\n"), "the server reports an error without a message")
	return gateway.Output{}, &gateway.Error{Code: gateway.CodeProvider, Message: cut(message), Details: raw}
}

// asError converts an error of a server to a *gateway.Error. It returns context.Canceled unchanged.
func asError(err error) error {
	e := &gateway.Error{Code: gateway.CodeProvider, Message: cut(err.Error())}
	var answered *jsonrpc.Error
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, ErrCredentials):
		e.Code, e.NotRun = gateway.CodeCredentials, true
		e.Message = "the server refused the credentials, so the call did not run; the user must connect the server again"
	case errors.Is(err, ErrTimeout), errors.Is(err, context.DeadlineExceeded):
		e.Code = gateway.CodeTimeout
	case errors.As(err, new(guard.Unreachable)):
		why, sure := gateway.NotReached(err)
		e.Code, e.NotRun, e.Message = gateway.CodeUnavailable, sure, "the server is not available: "+why+"; try again later"
	case errors.As(err, &answered):
		e.Details = answered.Data
	}
	return e
}

func cut(s string) string {
	if len(s) <= maxMessage {
		return s
	}
	return plaintext.CutBytes(s, maxMessage) + " …"
}
