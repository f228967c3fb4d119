// Package turns is a fair semaphore: it divides the concurrent work of a process
// among its users. A token or a user beyond its share waits or is refused, while
// others are served.
package turns

import (
	"container/list"
	"context"
	"math"
	"runtime"
	"sync"
)

// Turns is a semaphore with a limit for each holder and a total limit. It is safe
// for concurrent use.
type Turns struct {
	most, each int

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
func New(most, each int) *Turns { return &Turns{most: most, each: each, of: map[string]int{}} }

// Unlimited disables the total limit of New.
const Unlimited = math.MaxInt

// Share returns the number of turns per holder for work that needs a processor and
// a database connection. It leaves half of them to other holders.
func Share() int {
	const connections = 4 // readers of the database
	return max(min(runtime.GOMAXPROCS(0), connections)/2, 1)
}

// Enter takes a turn for who and reports whether one was free.
func (t *Turns) Enter(who string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.take(who)
}

func (t *Turns) take(who string) bool {
	if t.count >= t.most || t.of[who] >= t.each {
		return false
	}
	t.count++
	t.of[who]++
	return true
}

// Wait waits for a turn of who, and returns false if ctx ends first. Waiting calls
// of one holder get their turns in order.
func (t *Turns) Wait(ctx context.Context, who string) bool {
	t.mu.Lock()
	if t.take(who) {
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
		t.leave(who)
	default:
		t.waiting.Remove(place)
	}
	return false
}

// Leave returns a turn of who.
func (t *Turns) Leave(who string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.leave(who)
}

// leave returns a turn and passes it to the first waiter that may have it.
func (t *Turns) leave(who string) {
	t.count--
	if t.of[who]--; t.of[who] == 0 {
		delete(t.of, who)
	}
	for place := t.waiting.Front(); place != nil; place = place.Next() {
		if w, ok := place.Value.(*waiter); ok && t.take(w.who) {
			t.waiting.Remove(place)
			close(w.got)
			return
		}
	}
}

// Open returns the number of turns in use.
func (t *Turns) Open() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.count
}
