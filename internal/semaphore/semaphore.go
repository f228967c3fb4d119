// Package semaphore is a fair semaphore: it divides the concurrent work of a process
// among its users. A token or a user beyond its share waits or is rejected, while
// others are served.
package semaphore

import (
	"container/list"
	"context"
	"io"
	"math"
	"runtime"
	"sync"
)

// Semaphore is a semaphore with a limit for each holder and a total limit. It is safe
// for concurrent use.
type Semaphore struct {
	total, perHolder int

	mu      sync.Mutex
	count   int
	of      map[string]int // by holder
	waiting list.List      // of *waiter, longest waiting first
}

// waiter is a blocked call of Wait.
type waiter struct {
	who string
	got chan struct{} // closed when it gets the turn
}

// New returns a semaphore of most turns in total and each turns per holder.
func New(most, each int) *Semaphore {
	return &Semaphore{total: most, perHolder: each, of: map[string]int{}}
}

// Unlimited disables the total limit of New.
const Unlimited = math.MaxInt

// Share returns the number of turns per holder for work that needs a processor and
// a database connection. It leaves half of them to other holders.
func Share() int {
	const connections = 4 // readers of the database
	return max(min(runtime.GOMAXPROCS(0), connections)/2, 1)
}

// TryAcquire takes a turn for who and reports whether one was free.
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

// Acquire waits for a turn of who, and returns false if ctx ends first. Waiting calls
// of one holder get their turns in order.
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
	case <-w.got: // got a turn at the same moment
		t.release(who)
	default:
		t.waiting.Remove(place)
	}
	return false
}

// Release returns a turn of who.
func (t *Semaphore) Release(who string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.release(who)
}

// release returns a turn and passes it to the first waiter that may have it.
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

// Open returns the number of turns in use.
func (t *Semaphore) Open() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.count
}

// holdKey is the context key of a hold.
type holdKey struct{}

// hold is a turn that is returned while its holder waits for something outside.
type hold struct {
	semaphore *Semaphore
	who       string

	mu      sync.Mutex
	has     bool
	outside int // number of Outside calls in progress
	done    bool
}

// Hold waits for a turn of who. The turn belongs to the returned context until done
// is called. Hold returns false if ctx ends first.
func (t *Semaphore) Hold(ctx context.Context, who string) (held context.Context, done func(), ok bool) {
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

// release returns the turn if it is held.
func (h *hold) release() {
	if h.has {
		h.has = false
		h.semaphore.Release(h.who)
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
