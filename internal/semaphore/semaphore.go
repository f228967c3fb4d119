// Package semaphore provides a fair semaphore, which limits both the concurrent work of a
// process and the share of each user. If a user or token has used up its share, its
// further work waits or is rejected, but the work of other users continues.
package semaphore

import (
	"container/list"
	"context"
	"io"
	"math"
	"runtime"
	"sync"
)

// Semaphore is a semaphore with a limit for each holder and a limit for all holders
// together. Holders, which acquire and release turns, are identified by strings, such as
// the names of users. A Semaphore is safe for concurrent use.
type Semaphore struct {
	total, perHolder int

	mu      sync.Mutex
	count   int
	of      map[string]int // number of turns in use, by holder
	waiting list.List      // elements are *waiter; the call that has waited longest is first
}

// waiter is a blocked call of Acquire.
type waiter struct {
	who string
	got chan struct{} // closed when the call receives a turn
}

// New returns a semaphore with at most total turns in use, and at most perHolder turns
// per holder.
func New(total, perHolder int) *Semaphore {
	return &Semaphore{total: total, perHolder: perHolder, of: map[string]int{}}
}

// Unlimited is a value for total that does not limit the number of turns of all holders
// together.
const Unlimited = math.MaxInt

// Share returns a value of perHolder for work that needs a processor and a database
// connection. With this value, a holder can use at most half of the processors and
// connections.
func Share() int {
	const connections = 4 // number of connections that read the database
	return max(min(runtime.GOMAXPROCS(0), connections)/2, 1)
}

// TryAcquire acquires a turn for the given holder if a turn is free, and reports whether
// it did so.
func (t *Semaphore) TryAcquire(who string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.tryAcquire(who)
}

func (t *Semaphore) tryAcquire(who string) bool {
	if t.count >= t.total || t.of[who] >= t.perHolder {
		return false
	}
	t.count++
	t.of[who]++
	return true
}

// Acquire waits until a turn is free and acquires it for the given holder. It returns
// false if ctx is done first. Waiting calls of the same holder receive turns in the order
// of the calls.
func (t *Semaphore) Acquire(ctx context.Context, who string) bool {
	t.mu.Lock()
	if t.tryAcquire(who) {
		t.mu.Unlock()
		return true
	}
	w := &waiter{who, make(chan struct{})}
	place := t.waiting.PushBack(w)
	t.mu.Unlock()
	select {
	case <-w.got:
		return true
	case <-ctx.Done():
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	select {
	case <-w.got: // the call has received a turn in the meantime; release it
		t.release(who)
	default:
		t.waiting.Remove(place)
	}
	return false
}

// Release releases a turn of the given holder.
func (t *Semaphore) Release(who string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.release(who)
}

// release is Release for callers that hold the lock. The turn is passed on to the oldest
// waiting call that can use it.
func (t *Semaphore) release(who string) {
	t.count--
	if t.of[who]--; t.of[who] == 0 {
		delete(t.of, who)
	}
	for place := t.waiting.Front(); place != nil; place = place.Next() {
		if w, ok := place.Value.(*waiter); ok && t.tryAcquire(w.who) {
			t.waiting.Remove(place)
			close(w.got)
			return
		}
	}
}

// Open returns the number of turns in use by all holders.
func (t *Semaphore) Open() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.count
}

// holdKey is the key for a hold in a context.
type holdKey struct{}

// hold is a turn that is released while the holder waits outside (see Outside).
type hold struct {
	semaphore *Semaphore
	who       string

	mu      sync.Mutex
	has     bool
	outside int // number of calls of Outside in effect
	done    bool
}

// Hold acquires a turn for the given holder. The returned context carries the turn until
// release is called. ok is false if ctx is done before a turn is free.
func (t *Semaphore) Hold(ctx context.Context, who string) (held context.Context, release func(), ok bool) {
	if !t.Acquire(ctx, who) {
		return nil, nil, false
	}
	h := &hold{semaphore: t, who: who, has: true}
	return context.WithValue(ctx, holdKey{}, h), h.end, true
}

func (h *hold) end() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.done = true
	h.release()
}

// release releases the turn unless it is already released by Outside.
func (h *hold) release() {
	if h.has {
		h.has = false
		h.semaphore.Release(h.who)
	}
}

// Outside releases the turn that ctx carries. A caller uses it before waiting for
// something other than a processor, such as another server or a client that reads slowly.
// After that, the caller must call resume, which waits for a turn again. Outside does
// nothing if ctx carries no turn.
func Outside(ctx context.Context) (resume func()) {
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

// back ends the effect of a call of Outside. If no other call of Outside is in effect,
// back waits for a turn. If ctx is done first, the holder continues without a turn,
// because it only has to record the outcome.
func (h *hold) back(ctx context.Context) {
	h.mu.Lock()
	h.outside--
	last := h.outside == 0 && !h.done
	h.mu.Unlock()
	if !last || !h.semaphore.Acquire(ctx, h.who) {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.outside > 0 || h.done || h.has {
		h.semaphore.Release(h.who)
		return
	}
	h.has = true
}

// Reader returns a reader that wraps r. During each read, the turn that ctx carries is
// released.
func Reader(ctx context.Context, r io.Reader) io.Reader { return stream{ctx: ctx, from: r} }

// Writer returns a writer that wraps w. During each write, the turn that ctx carries is
// released.
func Writer(ctx context.Context, w io.Writer) io.Writer { return stream{ctx: ctx, to: w} }

type stream struct {
	ctx  context.Context //nolint:containedctx // carries the turn
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
