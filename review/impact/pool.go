// This file caches snapshots between reads.

package impact

import (
	"context"
	"sync"
)

// Pool caches the live registry across reads of proposals until a version goes live: reviewing a
// queue renders the same agents repeatedly, and a process can serve many users. It is safe for
// concurrent use; each cache serves one read at a time.
type Pool struct {
	mu     sync.Mutex
	state  int64 // state of the registry for which the caches are valid
	caches []*Snapshot
}

// Limits of the caches.
const (
	maxIdleCaches = 4
	maxCached     = 20_000 // tools and names in a cache
)

// Take returns a cache of the registry that r reads, and a function that returns the cache
// to the pool at the end of the snapshot.
func (i *Pool) Take(ctx context.Context, r stateReader) (live *Snapshot, done func(), err error) {
	state, err := r.State(ctx)
	if err != nil {
		return nil, nil, err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if last := len(i.caches) - 1; i.state == state && last >= 0 {
		live, i.caches = i.caches[last], i.caches[:last]
		live.Registry = r
	} else {
		live = NewSnapshot(r)
	}
	return live, func() {
		live.Registry = nil // its snapshot ends
		i.mu.Lock()
		defer i.mu.Unlock()
		if i.state != state {
			i.state, i.caches = state, nil
		}
		if len(i.caches) < maxIdleCaches && len(live.first)+len(live.live)+len(live.names) <= maxCached {
			i.caches = append(i.caches, live)
		}
	}, nil
}

// stateReader reads one state of the live registry.
type stateReader interface {
	Registry
	// State returns a number that changes whenever the results of Registry may change.
	State(ctx context.Context) (int64, error)
}
