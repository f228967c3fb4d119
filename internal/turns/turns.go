// Package turns divides what a process can do at once among those who ask for it: a
// token or a user beyond its share waits or is turned away, and the others are served.
package turns

import (
	"container/list"
	"context"
	"math"
	"runtime"
	"sync"
)

// Turns counts how many of something are under way, of each holder and together. It
// is safe for concurrent use.
type Turns struct {
	most, each int

	mu      sync.Mutex
	count   int
	of      map[string]int // by holder
	waiting list.List      // of *waiter, the one that waits for longest first
}

// waiter is one who waits for a turn.
type waiter struct {
	who string
	got chan struct{} // closed when the turn is its own
}

// New returns turns of which there are at most so many together, and of each
// holder.
func New(most, each int) *Turns { return &Turns{most: most, each: each, of: map[string]int{}} }

// Unlimited is for turns that are limited for each holder alone.
const Unlimited = math.MaxInt

// Share returns how much of what takes a processor, and a connection to the database, one
// holder may have under way: it leaves half of them to the others.
func Share() int {
	const connections = 4 // for reading, where there are as many processors
	return max(min(runtime.GOMAXPROCS(0), connections)/2, 1)
}

// Enter takes a turn; false when there is none.
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

// Wait takes a turn as soon as there is one; false when ctx ended before. Those of one
// holder get it in the order in which they came.
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
	case <-w.got: // meanwhile
		t.leave(who)
	default:
		t.waiting.Remove(place)
	}
	return false
}

// Leave gives a turn back.
func (t *Turns) Leave(who string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.leave(who)
}

// leave hands the turn to the first who waits and may have it.
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

// Open returns how many turns are taken.
func (t *Turns) Open() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.count
}
