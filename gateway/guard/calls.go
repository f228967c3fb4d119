// This file queues the client's calls, passes them through the gates, and records their outcomes.

package guard

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"time"

	"toolcrib/gateway"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
)

// call is a tools/call request of the client.
type call struct {
	key     string
	id      []byte
	message message // copy of the message in line
	name    string  // name of the tool
	line    []byte
	cancel  context.CancelFunc
	ctx     context.Context //nolint:containedctx // done when the client cancels the call

	mu       sync.Mutex
	began    time.Time
	admitted *gateway.Admitted // set while the server processes the call
	sent     bool
}

// conclude records the outcome of c if c was sent to the server and does not have a recorded outcome yet. It does
// nothing if c is nil.
func (g *Guard) conclude(c *call, o gateway.Outcome) {
	if c == nil {
		return
	}
	c.mu.Lock()
	admitted := c.admitted
	c.admitted = nil
	o.Duration = time.Since(c.began)
	c.mu.Unlock()
	if admitted != nil {
		g.config.Backend.Conclude(admitted, o)
	}
}

// canceled is the outcome of a call that the client canceled.
var canceled = gateway.Outcome{Code: gateway.CodeCanceled}

// failed returns the outcome of a call that failed with the given message.
func failed(message string) gateway.Outcome {
	return gateway.Outcome{Code: gateway.CodeProvider, Message: message}
}

// enqueueCall records the tools/call request m and queues it for forwardQueued.
func (g *Guard) enqueueCall(ctx context.Context, m *message, line []byte) {
	c := &call{line: bytes.Clone(line), key: m.key()}
	c.message = *m
	c.message.text = c.line[:len(m.text)]
	c.id = c.message.id.of(c.message.text)
	c.ctx, c.cancel = context.WithCancel(ctx)
	if !g.addRequest(m, &openRequest{method: m.method, call: c}) {
		c.cancel()
		return
	}
	g.calls.put(queued{line: c.line, call: c})
	g.startComparing() // some clients do not send notifications/initialized
}

// cancelQueued cancels the call that m, a notifications/cancelled message, specifies. It returns true if the call has
// not been sent to the server. In that case, m must not be forwarded.
func (g *Guard) cancelQueued(m *message) bool {
	id := m.member(m.params, "requestId")
	if !id.present() {
		return false
	}
	a := g.requests.find(idKey(id.of(m.text)))
	if a == nil || a.call == nil {
		return false
	}
	a.call.mu.Lock()
	sent := a.call.sent
	a.call.mu.Unlock()
	if sent {
		g.conclude(a.call, canceled) // the server may still respond, but the recorded outcome is final
		return false
	}
	a.call.cancel()
	return true
}

// forwardQueued sends the queued messages to the server in order. When the queue is closed and empty, or when ctx is
// done, it closes the server's input.
func (g *Guard) forwardQueued(ctx context.Context) {
	defer g.closeServer(ctx)
	for {
		item, ok := g.calls.next()
		switch {
		case !ok || ctx.Err() != nil:
			return
		case item.call != nil:
			g.forwardCall(ctx, item.call)
			item.call.cancel()
			continue
		}
		m, err := read(bytes.TrimRight(item.line, "\r\n"))
		if err == nil { // handleClient has already parsed the message without an error
			g.pass(ctx, &m, item.line)
		}
	}
}

// forwardCall sends a call to the server if the gates admit it.
func (g *Guard) forwardCall(ctx context.Context, c *call) {
	admitted, err := g.admit(c)
	if c.ctx.Err() != nil {
		if err == nil {
			g.config.Backend.Conclude(admitted, canceled)
		}
		g.requests.remove(c.key) // a client expects no response to a canceled call
		return
	}
	if err != nil {
		if !errors.As(err, new(*gateway.Error)) { // the call log contains only refusals with a *gateway.Error
			g.config.Log(fmt.Sprintf("a call of %s is refused: %v", clip(c.name), err))
		}
		g.requests.remove(c.key)
		g.writeClient(refusal(c, g.session.modern.Load(), err))
		return
	}
	c.mu.Lock()
	c.admitted, c.began, c.sent = admitted, time.Now(), true
	c.mu.Unlock()
	if err := g.server.send(ctx, &c.message, c.line); err != nil {
		g.refuseUnsent(&c.message, err)
	}
	c.message, c.line = message{}, nil // free the memory, because the message may be large and the response may take long
}

// admit passes a call through the gates. It first waits for all comparisons of the server's lists that were requested
// before the call.
func (g *Guard) admit(c *call) (*gateway.Admitted, error) {
	name, args, err := c.message.called()
	if err != nil {
		return nil, err
	}
	c.name = name
	if err := wait(c.ctx, g.approvals.loaded); err != nil {
		return nil, err
	}
	if err := g.refresher.wait(c.ctx); err != nil {
		return nil, err
	}
	approved, err := g.approvals.get()
	if err != nil {
		return nil, err
	}
	tool, known := approved.Tools[name]
	if known && g.session.modern.Load() {
		c.message.mirrored = wire.ParamHeaders(tool.Raw, args)
	}
	listed := g.refresher.list(toolsList)[name]
	if raw, err := g.listedJSON(c.ctx, tool, listed); raw == nil && err != nil {
		return nil, &gateway.Error{Code: gateway.CodeChanged, NotRun: true, Message: fmt.Sprintf("toolcrib withholds %s, because a rule has a finding in a part that is excluded from the pin; the tool was not called. The user can see the finding with `toolcrib status`.", jsondoc.Quote(name))}
	}
	return g.config.Backend.Admit(c.ctx, g.session.facts().client, gateway.Request{
		Tool: name, Args: args,
		Decline: func(approved registry.Live) *gateway.Error {
			return g.changed(name, listed, approved.Definition.Tool.Source, tool.Source)
		},
	})
}

// changed compares item, a tool in the server's list, with the approved definition. It returns nil if they match, and
// otherwise the refusal of the call. source is the origin in the live definition. checked is the origin in the
// definition that admit used to check the excluded parts of item. If item differs in excluded parts, changed returns
// nil only if source and checked have the same pin.
func (g *Guard) changed(tool string, item wire.ListedItem, source, checked *registry.Source) *gateway.Error {
	listed := item.Sum
	if listed != "" && source != nil {
		if source.Hash == listed {
			return nil
		}
		if checked != nil && source.Masked != "" && source.Masked == checked.Masked && item.Pin(source.Excluded) == source.Masked {
			return nil
		}
	}
	e := &gateway.Error{Code: gateway.CodeChanged, NotRun: true}
	e.Message = fmt.Sprintf("the server %s lists a definition of %s that differs from the approved definition; the tool was not called. The user reviews the change with `toolcrib show set:%s`.", g.config.Name, jsondoc.Quote(tool), g.config.Name)
	if listed == "" {
		e.Message = fmt.Sprintf("the server %s no longer lists the approved tool %s; the tool was not called.", g.config.Name, jsondoc.Quote(tool))
	}
	e.Details = fmt.Appendf(nil, `{"listed":%s,"name":%s,"server":%s}`, quote(listed), quote(tool), quote(g.config.Name))
	return e
}

// wait waits until ended is closed or ctx is done. It returns ctx.Err() if ctx is done first.
func wait(ctx context.Context, ended <-chan struct{}) error {
	select {
	case <-ended:
		return nil
	default:
	}
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// outcomeOf returns the outcome of the call with the response m.
func outcomeOf(m *message) gateway.Outcome {
	if m.failure.present() {
		return failed(m.str(m.member(m.failure, "message")))
	}
	result := m.result.of(m.text)
	sum := sha256.Sum256(result)
	o := gateway.Outcome{OutputHash: hex.EncodeToString(sum[:]), OutputBytes: len(result)}
	if string(m.member(m.result, "isError").of(m.text)) == "true" {
		o.Code, o.Message = gateway.CodeProvider, "the tool reports an error"
	}
	return o
}
