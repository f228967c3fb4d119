package review

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"sync"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review/overlap"
)

// liveCache is a LiveReader that caches reads and renderings while nothing goes
// live: one operation needs the same agents and tools many times.
type liveCache struct {
	LiveReader
	agents     []registry.Live                     // nil until they are read
	lists      []registry.Live                     // nil until they are read
	live       map[registry.Subject]*registry.Live // nil for subjects known to be missing
	names      map[string][]registry.Live
	categories map[string][]registry.Live
	kinds      map[string][]registry.Live
	first      map[registry.Subject]registry.Live // as first found, so that equal definitions share memory
	now        *catalogs                          // the registry as it is
	previews   *previews                          // shared with other caches of the same state
	announced  []proposals.Draft                  // drafts of the same call
	alike      alike
}

// alike holds the tools last found similar to a tool, by the sketches that it is
// looked for with.
type alike struct {
	text, purpose overlap.Sketch
	found         []registry.Live
	known         bool
}

// CacheLive returns r with a cache of its reads and renderings. It is for one
// goroutine, and for a time in which nothing goes live.
func CacheLive(r LiveReader) LiveReader { return newLiveCache(r) }

func newLiveCache(r LiveReader) *liveCache {
	m := &liveCache{LiveReader: r}
	m.forget()
	return m
}

// forget is for when something went live.
func (m *liveCache) forget() {
	m.agents, m.lists, m.live = nil, nil, map[registry.Subject]*registry.Live{}
	m.names, m.categories, m.kinds = map[string][]registry.Live{}, map[string][]registry.Live{}, map[string][]registry.Live{}
	m.first = map[registry.Subject]registry.Live{}
	m.now, m.previews = newCatalogs(m), &previews{}
	m.alike = alike{}
}

// size returns how much is kept.
func (m *liveCache) size() int { return len(m.first) + len(m.live) + len(m.names) }

// cache gives what wraps a liveCache access to it.
func (m *liveCache) cache() *liveCache { return m }

// liveCacheOf returns the liveCache behind r, a new one when there is none.
func liveCacheOf(r LiveReader) *liveCache {
	if m, ok := r.(interface{ cache() *liveCache }); ok {
		return m.cache()
	}
	return newLiveCache(r)
}

// Live implements LiveReader. A tool is read by its id, as others ask for whatever
// else goes by it.
func (m *liveCache) Live(ctx context.Context, s registry.Subject) (registry.Live, error) {
	l, known := m.live[s]
	if !known && s.Kind == registry.KindTool {
		named, err := m.ByName(ctx, s.ID)
		if err != nil {
			return registry.Live{}, err
		}
		if i := slices.IndexFunc(named, func(l registry.Live) bool { return l.Subject == s }); i >= 0 {
			l = &named[i]
		}
		m.live[s] = l
	} else if !known {
		found, err := m.LiveReader.Live(ctx, s)
		switch {
		case err == nil:
			l = &found
		case !errors.Is(err, proposals.ErrNotFound):
			return found, err
		}
		m.live[s] = l
	}
	if l == nil {
		return registry.Live{}, fmt.Errorf("%s: %w", s, proposals.ErrNotFound)
	}
	return *l, nil
}

func (m *liveCache) Agents(ctx context.Context) ([]registry.Live, error) {
	if m.agents == nil {
		agents, err := m.LiveReader.Agents(ctx)
		if err != nil {
			return nil, err
		}
		m.agents = agents
	}
	return slices.Clone(m.agents), nil
}

func (m *liveCache) ByName(ctx context.Context, names ...string) ([]registry.Live, error) {
	unknown := slices.DeleteFunc(slices.Clone(names), func(name string) bool { _, ok := m.names[name]; return ok })
	if len(unknown) > 0 {
		found, err := m.LiveReader.ByName(ctx, unknown...)
		if err != nil {
			return nil, err
		}
		named := map[string][]registry.Live{}
		for _, l := range m.same(found) {
			for _, name := range l.Names() {
				named[name] = append(named[name], l)
			}
		}
		for _, name := range unknown {
			m.names[name] = named[name]
		}
	}
	return union(names, m.names), nil
}

// union returns the known definitions of names, each once.
func union(names []string, known map[string][]registry.Live) []registry.Live {
	if len(names) == 1 {
		return slices.Clone(known[names[0]])
	}
	found := make([]registry.Live, 0, len(names))
	seen := make(map[registry.Subject]bool, len(names))
	for _, name := range names {
		for _, l := range known[name] {
			if !seen[l.Subject] {
				seen[l.Subject] = true
				found = append(found, l)
			}
		}
	}
	return found
}

func (m *liveCache) InCategory(ctx context.Context, category string) ([]registry.Live, error) {
	return m.cached(ctx, m.categories, category, m.LiveReader.InCategory)
}

// OfKind implements LiveReader. It asks for a power of two, so that the registry
// before and after a change, which ask for one more or less, share reads.
func (m *liveCache) OfKind(ctx context.Context, kind registry.ToolKind, view []registry.Layer, most int) ([]registry.Live, error) {
	if most > 0 {
		most = 1 << bits.Len(uint(most)) //nolint:gosec // it is positive
	}
	return m.cached(ctx, m.kinds, fmt.Sprint(kind, view, most), func(ctx context.Context, _ string) ([]registry.Live, error) {
		return m.LiveReader.OfKind(ctx, kind, view, most)
	})
}

// Heads implements LiveReader. The rankings made of it are cached.
func (m *liveCache) Heads(ctx context.Context, kind registry.ToolKind, view []registry.Layer, most int) ([]registry.Live, int, error) {
	return m.LiveReader.Heads(ctx, kind, view, most)
}

func (m *liveCache) Lists(ctx context.Context) ([]registry.Live, error) {
	if m.lists == nil {
		lists, err := m.LiveReader.Lists(ctx)
		if err != nil {
			return nil, err
		}
		m.lists = lists
	}
	return slices.Clone(m.lists), nil
}

func (m *liveCache) cached(ctx context.Context, known map[string][]registry.Live, key string, read func(context.Context, string) ([]registry.Live, error)) ([]registry.Live, error) {
	found, ok := known[key]
	if !ok {
		var err error
		if found, err = read(ctx, key); err != nil {
			return nil, err
		}
		known[key] = m.same(found)
	}
	return slices.Clone(found), nil
}

// same replaces definitions by equal ones that were found before.
func (m *liveCache) same(found []registry.Live) []registry.Live {
	for i, l := range found {
		if first, ok := m.first[l.Subject]; ok {
			found[i] = first
		} else {
			m.first[l.Subject] = l
		}
	}
	return found
}

// cachedTx is a transaction that caches its reads of the registry until it makes
// something live itself. The methods of liveCache stand in front of those of the
// transaction, which is embedded one level deeper.
type cachedTx struct {
	*liveCache
	embeddedTx
	raws map[string][]byte // known besides those that are kept
}

type embeddedTx struct{ Tx }

func (t cachedTx) Raw(ctx context.Context, hash string) (body []byte, ok bool, err error) {
	if body, ok := t.raws[hash]; ok {
		return body, true, nil
	}
	return t.Tx.Raw(ctx, hash)
}

func (t cachedTx) Alike(ctx context.Context, p *overlap.Fingerprint) ([]registry.Live, error) {
	last := &t.alike
	text, purpose := p.Sketches()
	if !last.known || last.text != text || last.purpose != purpose {
		found, err := t.Tx.Alike(ctx, p)
		if err != nil {
			return nil, err
		}
		*last = alike{text, purpose, found, true}
	}
	return slices.Clone(last.found), nil
}

func (t cachedTx) SetLive(ctx context.Context, versions []history.Version, definitions []registry.Definition) error {
	t.forget()
	return t.Tx.SetLive(ctx, versions, definitions)
}

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
