package turns

import (
	"context"
	"io"
	"sync"
)

// holdKey is the context key of a hold.
type holdKey struct{}

// hold is a turn that is returned while its holder waits for something outside.
type hold struct {
	turns *Turns
	who   string

	mu      sync.Mutex
	has     bool
	outside int // number of Outside calls in progress
	done    bool
}

// Hold waits for a turn of who. The turn belongs to the returned context until done
// is called. Hold returns false if ctx ends first.
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
	h.release()
}

// release returns the turn if it is held.
func (h *hold) release() {
	if h.has {
		h.has = false
		h.turns.Leave(h.who)
	}
}

// Outside returns the turn of ctx while its holder waits for something else, such
// as a request to another server or a client that reads. Calling back waits for a
// turn again. Outside does nothing if ctx has no turn.
func Outside(ctx context.Context) (back func()) {
	h, ok := ctx.Value(holdKey{}).(*hold)
	if !ok {
		return func() {}
	}
	h.mu.Lock()
	h.outside++
	h.release()
	h.mu.Unlock()
	return sync.OnceFunc(func() { h.back(ctx) })
}

// back waits for a turn after the last Outside call has ended. If ctx ends first, the holder continues without a turn,
// because it only has to record the outcome.
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

// Reader returns a reader that returns the turn of ctx while it waits for from.
func Reader(ctx context.Context, from io.Reader) io.Reader { return stream{ctx: ctx, from: from} }

// Writer returns a writer that returns the turn of ctx while it waits for to.
func Writer(ctx context.Context, to io.Writer) io.Writer { return stream{ctx: ctx, to: to} }

type stream struct {
	ctx  context.Context //nolint:containedctx // has the turn
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
