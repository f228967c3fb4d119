package guard

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// call is a tools/call on its way.
type call struct {
	key     string
	id      []byte
	message message // its own copy
	line    []byte
	cancel  context.CancelFunc
	ctx     context.Context //nolint:containedctx // of a call, which the client can cancel

	began    time.Time
	admitted Admitted // nil until it was sent
	ended    atomic.Bool
}

// queued is a message of the client that waits behind a call.
type queued struct {
	line []byte
	call *call // nil for another message
}

// maxQueued limits the messages that wait behind a call, in bytes. Beyond it, the
// client waits.
const maxQueued = MaxLine

// queue keeps the order of the client's messages while a call passes the gates.
type queue struct {
	mu      sync.Mutex
	changed *sync.Cond
	items   []queued
	size    int
	working bool // an item was taken and is not sent
	closed  bool
}

// waits reports whether a message has to wait.
func (q *queue) waits() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.working || len(q.items) > 0
}

func (q *queue) put(item queued) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.size > 0 && q.size+len(item.line) > maxQueued && !q.closed {
		q.changed.Wait()
	}
	q.items, q.size = append(q.items, item), q.size+len(item.line)
	q.changed.Broadcast()
}

// next ends the work on the item before and returns the next one; false when there is
// none and nothing more comes.
func (q *queue) next() (queued, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.working = false
	for len(q.items) == 0 && !q.closed {
		q.changed.Wait()
	}
	if len(q.items) == 0 {
		return queued{}, false
	}
	item := q.items[0]
	q.items, q.size, q.working = q.items[1:], q.size-len(item.line), true
	q.changed.Broadcast()
	return item, true
}

func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.changed.Broadcast()
}

// waiting returns the call with an id that is not sent yet, nil for none.
func (g *Guard) waiting(key string) *call {
	g.mu.Lock()
	defer g.mu.Unlock()
	if a := g.asked[key]; a != nil && a.call != nil && a.call.admitted == nil {
		return a.call
	}
	return nil
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
	key := idKey(id.of(m.text))
	if c := g.waiting(key); c != nil {
		c.cancel()
		return true
	}
	g.mu.Lock()
	a := g.asked[key]
	g.mu.Unlock()
	if a != nil {
		g.concludes(a.call, Outcome{End: Canceled}) // the answer may come all the same
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
		g.answered(c.key) // who cancels expects no answer
		return
	}
	if err != nil {
		g.answered(c.key)
		g.answer(g.refusal(c, err))
		return
	}
	g.mu.Lock()
	c.admitted, c.began = admitted, time.Now()
	g.mu.Unlock()
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
	if err := g.wait(c.ctx, g.loaded); err != nil {
		return nil, err
	}
	if err := g.refresher.wait(c.ctx); err != nil {
		return nil, err
	}
	g.mu.Lock()
	tool, known := g.approved.Tools[name]
	closed, client := g.closed, g.session.client
	g.mu.Unlock()
	if closed != nil {
		return nil, closed
	}
	asks := Call{Client: client, Tool: name, Args: args}
	if listed := g.refresher.hash(name); known && listed != tool.Hash {
		asks.Changed, asks.Listed = true, listed
	}
	return g.config.Crib.Admit(c.ctx, asks)
}

// wait waits for something or for the end of ctx.
func (g *Guard) wait(ctx context.Context, done <-chan struct{}) error {
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

// refusal answers a call that does not pass: an unknown tool is an error of the
// protocol, and anything else a result that the model reads.
func (g *Guard) refusal(c *call, err error) []byte {
	var why *Refusal
	var unclear ambiguous
	switch {
	case errors.As(err, &unclear):
		return refused(c.id, codeInvalidParams, "toolcrib does not pass this call on: "+err.Error())
	case errors.As(err, &why) && why.Unknown:
		return refused(c.id, codeInvalidParams, why.Message)
	case why == nil:
		why = &Refusal{Code: "guard_closed", Message: "toolcrib passes no call on: " + err.Error()}
	}
	meta := fmt.Appendf(nil, `"toolcrib/code":%s`, quote(why.Code))
	if why.Pending != "" {
		meta = fmt.Appendf(meta, `,"toolcrib/pending":%s`, quote(why.Pending))
	}
	kind := ""
	if g.modern.Load() {
		kind = `"resultType":"complete",`
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{%s"content":[{"type":"text","text":%s}],"isError":true,"_meta":{%s}}}`,
		c.id, kind, quote(why.Message), meta)
}

// concludes writes down how a call ended, once.
func (g *Guard) concludes(c *call, o Outcome) {
	if c == nil {
		return
	}
	g.mu.Lock()
	admitted := c.admitted
	g.mu.Unlock()
	if admitted == nil || c.ended.Swap(true) {
		return
	}
	o.Took = time.Since(c.began)
	admitted.Conclude(o)
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
