package turns

import (
	"context"
	"io"
	"sync"
)

// holdKey finds the hold of a context.
type holdKey struct{}

// hold is a turn that somebody works by, and gives back while something else works.
type hold struct {
	turns *Turns
	who   string

	mu      sync.Mutex
	has     bool
	outside int // those who wait for something else
	done    bool
}

// Hold waits for a turn, which work under the context that it returns has until done
// is called; false when ctx ended before.
func (t *Turns) Hold(ctx context.Context, who string) (held context.Context, done func(), ok bool) {
	if !t.Wait(ctx, who) {
		return nil, nil, false
	}
	h := &hold{turns: t, who: who, has: true}
	return context.WithValue(ctx, holdKey{}, h), h.end, true
}

func (h *hold) end() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.done = true
	h.give()
}

// give gives the turn back, if it has one.
func (h *hold) give() {
	if h.has {
		h.has = false
		h.turns.Leave(h.who)
	}
}

// Outside gives the turn of ctx back while something else works, such as a server
// that is called or a client who reads, and returns what waits for a turn again. A
// context without a turn has none to give.
func Outside(ctx context.Context) (back func()) {
	h, ok := ctx.Value(holdKey{}).(*hold)
	if !ok {
		return func() {}
	}
	h.mu.Lock()
	h.outside++
	h.give()
	h.mu.Unlock()
	return sync.OnceFunc(func() { h.back(ctx) })
}

// back takes a turn when nobody is outside any more. Whose context ends before goes on
// without one: what is left then is to record the end.
func (h *hold) back(ctx context.Context) {
	h.mu.Lock()
	h.outside--
	last := h.outside == 0 && !h.done
	h.mu.Unlock()
	if !last || !h.turns.Wait(ctx, h.who) {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.outside > 0 || h.done || h.has {
		h.turns.Leave(h.who)
		return
	}
	h.has = true
}

// Reader returns a reader that gives the turn of ctx back while it waits for from.
func Reader(ctx context.Context, from io.Reader) io.Reader { return stream{ctx: ctx, from: from} }

// Writer returns a writer that gives the turn of ctx back while it waits for to.
func Writer(ctx context.Context, to io.Writer) io.Writer { return stream{ctx: ctx, to: to} }

type stream struct {
	ctx  context.Context //nolint:containedctx // the turn is that of the context
	from io.Reader
	to   io.Writer
}

// Read implements io.Reader.
func (s stream) Read(p []byte) (int, error) {
	defer Outside(s.ctx)()
	return s.from.Read(p)
}

// Write implements io.Writer.
func (s stream) Write(p []byte) (int, error) {
	defer Outside(s.ctx)()
	return s.to.Write(p)
}
