package serve

import (
	"context"
	"sync"
)

// budget counts how many of something are under way, of each token and together: a
// token beyond its share is turned away, and the others are served.
type budget struct {
	most, each int

	mu    sync.Mutex
	count int
	of    map[string]int // by token
	freed chan struct{}  // closed when one ends, if somebody waits; nil otherwise
}

// newBudgets returns the limits of open requests, of all clients and of one token.
func newBudgets() budgets {
	return budgets{
		requests: budget{most: 512, each: 128},
		large:    budget{most: 4, each: 2}, // of more than largeBody bytes
		events:   budget{most: 256, each: 16},
		listens:  budget{most: 512, each: 128},
	}
}

// budgets are those of a server.
type budgets struct {
	requests budget // streams apart
	large    budget // requests with large bodies
	events   budget // streams of events
	listens  budget // streams of MCP
}

// enter counts one more of a token; false when there is no room.
func (b *budget) enter(token string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.take(token)
}

func (b *budget) take(token string) bool {
	if b.count >= b.most || b.of[token] >= b.each {
		return false
	}
	if b.of == nil {
		b.of = map[string]int{}
	}
	b.count++
	b.of[token]++
	return true
}

// wait is enter that waits for room until ctx ends.
func (b *budget) wait(ctx context.Context, token string) bool {
	for {
		b.mu.Lock()
		if b.take(token) {
			b.mu.Unlock()
			return true
		}
		if b.freed == nil {
			b.freed = make(chan struct{})
		}
		freed := b.freed
		b.mu.Unlock()
		select {
		case <-freed:
		case <-ctx.Done():
			return false
		}
	}
}

// leave takes one of a token back.
func (b *budget) leave(token string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.count--
	if b.of[token]--; b.of[token] == 0 {
		delete(b.of, token)
	}
	if b.freed != nil {
		close(b.freed)
		b.freed = nil
	}
}

// open returns how many there are.
func (b *budget) open() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.count
}
