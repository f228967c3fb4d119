// This file retains the caches of the live registry between reads.

package impact

import (
	"context"
	"sync"
)

// Pool retains caches of the live registry for later reads. When a version goes live, the caches become invalid.
// Reviewing a queue renders the same agents repeatedly, and one process can serve many users. A Pool is safe for
// concurrent use, but each cache is used by one read at a time.
type Pool struct {
	mu     sync.Mutex
	state  int64 // state of the live registry that the caches were built from
	caches []*Snapshot
}

// Limits of the caches.
const (
	maxIdleCaches = 4
	maxCached     = 20_000 // maximum number of tools and names in a retained cache
)

// Take returns a snapshot of the live registry, which reads through r. The caller must call done, which puts the
// snapshot back into the pool, before the transaction of r ends.
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
		live.Registry = nil // the snapshot of r ends
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
