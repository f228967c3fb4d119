package upstream

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"sync"
	"time"

	"toolcrib/registry"
	"toolcrib/registry/wire"
)

// followEvery is the interval of listing a followed server that reports no change.
const followEvery = time.Minute

// follower keeps what one server listed when it was last asked.
type follower struct {
	told  chan struct{} // holds a reason to ask before the time
	asked chan struct{} // closed after the first answer or failure

	mu     sync.Mutex
	listed map[string]wire.ListedItem // by name; nil before the first answer
	heard  map[int]func()             // by the number of the follower
	next   int
}

// Follow lists the tools of servers: now, whenever one reports a change, when a
// call finds a changed definition, and every minute, until ctx ends. It calls
// changed after an answer that differs from the one before. A server that cannot
// be reached is asked again later, and its last answer counts until then. Tools of
// a server that is not configured never count as changed.
func (p *Provider) Follow(ctx context.Context, names []string, changed func()) {
	for _, name := range names {
		f := p.follower(name)
		if f == nil {
			continue
		}
		f.mu.Lock()
		id := f.next
		f.next++
		f.heard[id] = changed
		f.mu.Unlock()
		context.AfterFunc(ctx, func() {
			f.mu.Lock()
			defer f.mu.Unlock()
			delete(f.heard, id)
		})
	}
}

// Asked waits until every server of names that is followed has answered once or
// failed to, or until ctx ends.
func (p *Provider) Asked(ctx context.Context, names []string) {
	for _, name := range names {
		p.mu.Lock()
		f := p.followers[name]
		p.mu.Unlock()
		if f == nil {
			continue
		}
		select {
		case <-f.asked:
		case <-ctx.Done():
			return
		}
	}
}

// Drifted reports whether the server of an approved tool, if it is followed, was
// last seen to list it otherwise than approved, twice, or not at all.
func (p *Provider) Drifted(t *registry.Tool) bool {
	if t.Provider == nil || t.Provider.Type != registry.ProviderMCP {
		return false
	}
	p.mu.Lock()
	f := p.followers[t.Provider.Server]
	p.mu.Unlock()
	if f == nil {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	_, as := asApproved(t, f.listed[cmp.Or(t.OriginName(), t.ID)])
	return f.listed != nil && !as
}

// follower returns the follower of a server, which it starts at the first call;
// nil once the provider is closed, and for a server that is not configured.
func (p *Provider) follower(name string) *follower {
	p.mu.Lock()
	defer p.mu.Unlock()
	if f := p.followers[name]; f != nil {
		return f
	}
	s, ok := p.find(name)
	if !ok || p.ctx.Err() != nil {
		return nil
	}
	f := &follower{told: make(chan struct{}, 1), asked: make(chan struct{}), heard: map[int]func(){}}
	p.followers[name] = f
	p.following.Go(func() { p.follow(s, f) })
	return f
}

// tell has the follower of a server ask it soon, if there is one.
func (p *Provider) tell(name string) {
	p.mu.Lock()
	f := p.followers[name]
	p.mu.Unlock()
	if f == nil {
		return
	}
	select {
	case f.told <- struct{}{}:
	default: // it will ask anyway
	}
}

func (p *Provider) follow(s Server, f *follower) {
	retry, first := firstRetry, true
	for p.ctx.Err() == nil {
		_, tools, err := p.listed(p.ctx, s)
		pause := followEvery
		if err == nil {
			f.take(tools)
			retry = firstRetry
		} else {
			pause = retry
			retry = min(2*retry, lastRetry)
		}
		if first {
			close(f.asked)
			first = false
		}
		timer := time.NewTimer(pause)
		select {
		case <-p.ctx.Done():
		case <-timer.C:
		case <-f.told:
		}
		timer.Stop()
	}
}

// take keeps an answer and reports one that differs from the last.
func (f *follower) take(tools []json.RawMessage) {
	now := wire.ByName(tools)
	f.mu.Lock()
	differs := f.listed != nil && !maps.EqualFunc(f.listed, now, func(a, b wire.ListedItem) bool { return a.Sum == b.Sum })
	f.listed = now
	var heard []func()
	if differs {
		for _, changed := range f.heard {
			heard = append(heard, changed)
		}
	}
	f.mu.Unlock()
	for _, changed := range heard {
		changed()
	}
}

// asApproved returns the hash of the JSON of a tool that was approved, "" for none, and
// reports whether the server lists it so, but for what its pin excludes.
func asApproved(t *registry.Tool, listed wire.ListedItem) (hash string, ok bool) {
	if t.Source == nil || t.Source.Type != registry.SourceMCP {
		return "", false
	}
	return t.Source.Hash, listed.Sum != "" && listed.Pin(t.Source.Excluded) == t.Source.Pin()
}
