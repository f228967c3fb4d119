package guard

import (
	"context"
	"sync"
	"time"

	"toolcrib/registry"
)

// observeBurst is how many lists are proposed at once; then one is in every
// Times.Propose. A server that lists something else all the time fills no queue.
const observeBurst = 3

// observer proposes what the server lists.
type observer struct {
	config Config
	news   chan struct{}

	mu     sync.Mutex
	latest *Listing
	seen   string // names what was proposed last
}

// put has the observer propose what a list shows.
func (o *observer) put(l Listing) {
	o.mu.Lock()
	o.latest = &l
	o.mu.Unlock()
	o.look()
}

// back keeps a list that could not be proposed for the next look.
func (o *observer) back(l *Listing) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.latest == nil {
		o.latest = l
	}
}

// look has the observer look for a list.
func (o *observer) look() {
	select {
	case o.news <- struct{}{}:
	default:
	}
}

// take returns a list that was not proposed, nil for none.
func (o *observer) take() (l *Listing, hash string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	l, o.latest = o.latest, nil
	if l == nil {
		return nil, ""
	}
	var all []byte
	for _, raw := range l.Tools {
		all = append(append(all, raw...), '\n')
	}
	if hash = registry.HashBytes(all); hash == o.seen {
		return nil, ""
	}
	return l, hash
}

// run proposes what lists show while somebody knows the approved tools, until ctx ends.
func (o *observer) run(ctx context.Context, a *approvals) {
	if wait(ctx, a.loaded) != nil {
		return
	}
	room, last, every := observeBurst, time.Now(), o.config.Times.Propose
	for {
		select {
		case <-ctx.Done():
			return
		case <-o.news:
		}
		l, hash := o.take()
		if l == nil {
			continue
		}
		if gained := int(time.Since(last) / every); gained > 0 {
			room, last = min(room+gained, observeBurst), time.Now()
		}
		if room == 0 {
			timer := time.NewTimer(time.Until(last.Add(every)))
			select {
			case <-ctx.Done():
				timer.Stop()
				return
			case <-timer.C:
			}
			room, last = 1, time.Now()
			if newer, h := o.take(); newer != nil {
				l, hash = newer, h
			}
		}
		room--
		if _, closed := a.get(); closed != nil { // it is said already
			o.back(l)
			continue
		}
		if err := o.config.Crib.Observe(ctx, *l); err != nil {
			if ctx.Err() == nil {
				o.config.Log("what the server lists cannot be proposed: " + err.Error())
			}
			o.back(l)
			continue
		}
		o.mu.Lock()
		o.seen = hash
		o.mu.Unlock()
	}
}
