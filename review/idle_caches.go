package review

import (
	"context"
	"sync"
)

// idleCaches keeps caches of the live registry from one look to the next, for as long
// as nothing goes live: whoever goes through a queue has the same agents rendered over
// and over, and many may do so in one process. It is safe for concurrent use; a cache
// is used by one look at a time.
type idleCaches struct {
	mu     sync.Mutex
	state  int64 // that idle is of
	caches []*liveCache
}

// Limits of what is kept between looks.
const (
	maxIdleCaches = 4
	maxCached     = 20_000 // tools and names in a cache
)

// view runs fn on one snapshot.
func (d *Desk) view(ctx context.Context, fn func(*reviewCache) error) error {
	return d.store.View(ctx, func(r Reader) error {
		state, err := r.State(ctx)
		if err != nil {
			return err
		}
		live := d.idle.take(state, r)
		defer d.idle.put(state, live)
		return fn(cached(r, live))
	})
}

// take returns a cache of what r, which is at a state, finds.
func (i *idleCaches) take(state int64, r LiveReader) *liveCache {
	i.mu.Lock()
	defer i.mu.Unlock()
	last := len(i.caches) - 1
	if i.state != state || last < 0 {
		return newLiveCache(r)
	}
	live := i.caches[last]
	i.caches = i.caches[:last]
	live.LiveReader = r
	return live
}

// put keeps a cache for the next look.
func (i *idleCaches) put(state int64, live *liveCache) {
	live.LiveReader = nil // its snapshot ends
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.state != state {
		i.state, i.caches = state, nil
	}
	if len(i.caches) < maxIdleCaches && live.size() <= maxCached {
		i.caches = append(i.caches, live)
	}
}
