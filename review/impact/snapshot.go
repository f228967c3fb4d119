// This file caches reads of the live registry.

package impact

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"toolcrib/proposals"
	"toolcrib/registry"
)

// Snapshot is a Registry that caches reads and rendered prompts, because one operation reads the same agents
// and tools many times. The cache is valid until a version goes live.
type Snapshot struct {
	Registry
	live  map[registry.Subject]*registry.Live // nil for a subject that is known to be missing
	names map[string][]registry.Live
	reads map[string][]registry.Live         // results of the other queries
	first map[registry.Subject]registry.Live // definitions from the first read; later reads return the same pointers
	now   *Overlay                           // the live registry without changes
}

// NewSnapshot returns a cache of r. The cache is not safe for concurrent use. When a version goes live, the
// caller must call Forget or stop using the cache.
func NewSnapshot(r Registry) *Snapshot {
	m := &Snapshot{Registry: r}
	m.Forget()
	return m
}

// Forget clears the cache. It must be called after a version goes live.
func (m *Snapshot) Forget() {
	m.live, m.first = map[registry.Subject]*registry.Live{}, map[registry.Subject]registry.Live{}
	m.names, m.reads = map[string][]registry.Live{}, map[string][]registry.Live{}
	m.now = newOverlay(m)
}

// With returns an Overlay that replaces the live definitions of some subjects by the definitions in changed.
func (m *Snapshot) With(changed map[registry.Subject]registry.Live) *Overlay {
	then := newOverlay(m)
	then.changed, then.now = changed, m.now
	return then
}

// Live implements Registry. It reads a tool with ByName, because later queries need all tools with that name.
func (m *Snapshot) Live(ctx context.Context, s registry.Subject) (registry.Live, error) {
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
		found, err := m.Registry.Live(ctx, s)
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

func (m *Snapshot) Agents(ctx context.Context) ([]registry.Live, error) {
	return m.cached("agents", func() ([]registry.Live, error) { return m.Registry.Agents(ctx) })
}

func (m *Snapshot) ByName(ctx context.Context, names ...string) ([]registry.Live, error) {
	unknown := slices.DeleteFunc(slices.Clone(names), func(name string) bool { _, ok := m.names[name]; return ok })
	if len(unknown) > 0 {
		found, err := m.Registry.ByName(ctx, unknown...)
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
	if len(names) == 1 {
		return slices.Clone(m.names[names[0]]), nil
	}
	found := make([]registry.Live, 0, len(names))
	seen := make(map[registry.Subject]bool, len(names))
	for _, name := range names {
		for _, l := range m.names[name] {
			if !seen[l.Subject] {
				seen[l.Subject] = true
				found = append(found, l)
			}
		}
	}
	return found, nil
}

func (m *Snapshot) InCategory(ctx context.Context, category string) ([]registry.Live, error) {
	return m.cached("category "+category, func() ([]registry.Live, error) { return m.Registry.InCategory(ctx, category) })
}

// OfKind implements Registry. It rounds limit up to a power of two. Rendering the prompts before and after a change may
// request slightly different numbers of tools, and the rounding lets both share one read.
func (m *Snapshot) OfKind(ctx context.Context, kind registry.ToolKind, view []registry.Layer, limit int) ([]registry.Live, error) {
	if limit > 0 {
		limit = 1 << bits.Len(uint(limit)) //nolint:gosec // limit is positive
	}
	return m.cached(fmt.Sprint("kind ", kind, view, limit), func() ([]registry.Live, error) { return m.Registry.OfKind(ctx, kind, view, limit) })
}

// Heads implements Registry. It does not cache its results, because the callers cache the rankings that they compute
// from the results.
func (m *Snapshot) Heads(ctx context.Context, kind registry.ToolKind, view []registry.Layer, limit int) ([]registry.Live, int, error) {
	return m.Registry.Heads(ctx, kind, view, limit)
}

func (m *Snapshot) Lists(ctx context.Context) ([]registry.Live, error) {
	return m.cached("lists", func() ([]registry.Live, error) { return m.Registry.Lists(ctx) })
}

// cached returns the result of read and caches it under key. If the result is already cached, it does not
// call read.
func (m *Snapshot) cached(key string, read func() ([]registry.Live, error)) ([]registry.Live, error) {
	found, ok := m.reads[key]
	if !ok {
		var err error
		if found, err = read(); err != nil {
			return nil, err
		}
		m.reads[key] = m.same(found)
	}
	return slices.Clone(found), nil
}

// same replaces each definition in live with an equal definition that was read earlier. Prompts that were rendered from
// the earlier definition can then be reused.
func (m *Snapshot) same(live []registry.Live) []registry.Live {
	for i, l := range live {
		if first, ok := m.first[l.Subject]; ok {
			live[i] = first
		} else {
			m.first[l.Subject] = l
		}
	}
	return live
}
