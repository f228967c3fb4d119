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

	"toolcrib/registry/wire"
)

// call is a tools/call on its way.
type call struct {
	key     string
	id      []byte
	message message // its own copy
	name    string  // of the tool
	line    []byte
	cancel  context.CancelFunc
	ctx     context.Context //nolint:containedctx // of a call, which the client can cancel

	mu       sync.Mutex
	began    time.Time
	admitted Admitted // nil until it is sent, and once it has ended
	sent     bool
}

// send notes that the call is sent to the server.
func (c *call) send(a Admitted) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.admitted, c.began, c.sent = a, time.Now(), true
}

// waits reports whether the call is not sent yet.
func (c *call) waits() bool {
	if c == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.sent
}

// conclude writes down how a call that was sent ended, once.
func (c *call) conclude(o Outcome) {
	if c == nil {
		return
	}
	c.mu.Lock()
	admitted := c.admitted
	c.admitted = nil
	o.Took = time.Since(c.began)
	c.mu.Unlock()
	if admitted != nil {
		admitted.Conclude(o)
	}
}

// take takes a call of the client, which waits its turn.
func (g *Guard) take(ctx context.Context, m *message, line []byte) {
	c := &call{line: bytes.Clone(line), key: m.key()}
	c.message = *m
	c.message.text = c.line[:len(m.text)]
	c.id = c.message.id.of(c.message.text)
	c.ctx, c.cancel = context.WithCancel(ctx)
	if !g.ask(m, &asked{method: m.method, call: c}) {
		c.cancel()
		return
	}
	g.calls.put(queued{line: c.line, call: c})
	g.begin() // also for a client that forgets to say so
}

// cancels ends a call that waits and that a message of the client cancels: the server
// does not know of it. It reports whether the message needs to go no further.
func (g *Guard) cancels(m *message) bool {
	id := m.member(m.params, "requestId")
	if !id.there() {
		return false
	}
	a := g.requests.find(idKey(id.of(m.text)))
	switch {
	case a == nil:
	case a.call.waits():
		a.call.cancel()
		return true
	default:
		a.call.conclude(Outcome{End: Canceled}) // the answer may come all the same
	}
	return false
}

// forwards sends what waits to the server, in the order in which it came.
func (g *Guard) forwards(ctx context.Context) {
	defer g.finish(ctx)
	for {
		item, ok := g.calls.next()
		switch {
		case !ok || ctx.Err() != nil:
			return
		case item.call != nil:
			g.forward(ctx, item.call)
			item.call.cancel()
			continue
		}
		m, err := read(bytes.TrimRight(item.line, "\r\n"))
		if err == nil { // it was read before
			g.pass(ctx, &m, item.line)
		}
	}
}

// forward sends a call to the server if the gates let it pass.
func (g *Guard) forward(ctx context.Context, c *call) {
	admitted, err := g.admit(c)
	if c.ctx.Err() != nil {
		if err == nil {
			admitted.Conclude(Outcome{End: Canceled})
		}
		g.requests.take(c.key) // who cancels expects no answer
		return
	}
	if err != nil {
		if !errors.As(err, new(*Refusal)) { // no log has it
			g.config.Log(fmt.Sprintf("a call of %s is refused: %v", clip(c.name), err))
		}
		g.requests.take(c.key)
		g.answer(refusal(c, g.session.modern.Load(), err))
		return
	}
	c.send(admitted)
	if err := g.server.send(ctx, &c.message, c.line); err != nil {
		g.unsent(&c.message, err)
	}
	c.message, c.line = message{}, nil // they may be large, and the answer may take long
}

// admit takes a call through the gates. It waits for a comparison of the tools that
// the server asked for, and for no other.
func (g *Guard) admit(c *call) (Admitted, error) {
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
	if tool, known := approved.Tools[name]; known && g.session.modern.Load() {
		c.message.mirrored = wire.ParamHeaders(tool.Raw, args)
	}
	return g.config.Crib.Admit(c.ctx, Call{Client: g.session.facts().client, Tool: name, Args: args, Listed: g.refresher.found(toolsList)[name]})
}

// wait waits for something or for the end of ctx.
func wait(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	default:
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// outcomeOf is how a call ended by its answer.
func outcomeOf(m *message) Outcome {
	if m.failure.there() {
		return Outcome{End: Failed, Message: m.str(m.member(m.failure, "message"))}
	}
	result := m.result.of(m.text)
	sum := sha256.Sum256(result)
	o := Outcome{Hash: hex.EncodeToString(sum[:]), Bytes: len(result)}
	if string(m.member(m.result, "isError").of(m.text)) == "true" {
		o.End, o.Message = Failed, "the tool reports an error"
	}
	return o
}
