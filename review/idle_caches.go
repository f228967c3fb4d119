package review

import (
	"context"
	"sync"
)

// idleCaches keeps caches of the live registry between reads of proposals until
// something goes live: going through a queue renders the same agents again and again,
// and one process can serve many users. It is safe for concurrent use; each cache
// serves one read at a time.
type idleCaches struct {
	mu       sync.Mutex
	state    int64 // the state of the registry that caches and previews belong to
	caches   []*liveCache
	previews *previews
}

// Limits of the caches.
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

// take returns a cache of the reads of r, which is at a state.
func (i *idleCaches) take(state int64, r LiveReader) *liveCache {
	i.mu.Lock()
	defer i.mu.Unlock()
	last := len(i.caches) - 1
	if i.state != state || last < 0 {
		live := newLiveCache(r)
		if i.state == state && i.previews != nil {
			live.previews = i.previews
		}
		return live
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
		i.state, i.caches, i.previews = state, nil, live.previews
	}
	if len(i.caches) < maxIdleCaches && live.size() <= maxCached {
		i.caches = append(i.caches, live)
	}
}
