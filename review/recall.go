package review

import (
	"context"
	"fmt"
	"slices"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review/overlap"
)

// recall is a LiveReader that remembers what it read and rendered, for a time
// in which nothing goes live: one operation looks at the same agents and tools
// over and over.
type recall struct {
	LiveReader
	agents     []registry.Live                     // nil until they are read
	lists      []registry.Live                     // nil until they are read
	live       map[registry.Subject]*registry.Live // nil for what is known not to be there
	names      map[string][]registry.Live
	categories map[string][]registry.Live
	kinds      map[string][]registry.Live
	now        *catalogs         // the registry as it is
	announced  []proposals.Draft // what is proposed in the same call
	alike      alike
}

// alike is what was last found to be like a tool, by the sketches that it is
// looked for with.
type alike struct {
	text, purpose overlap.Sketch
	found         []registry.Live
	known         bool
}

// Remembering returns r as it is now: what is read and rendered of it for one
// look at it serves the next ones too. It is for one goroutine.
func Remembering(r LiveReader) LiveReader { return newRecall(r) }

func newRecall(r LiveReader) *recall {
	m := &recall{LiveReader: r}
	m.forget()
	return m
}

// forget is for when something went live.
func (m *recall) forget() {
	m.agents, m.lists, m.live = nil, nil, map[registry.Subject]*registry.Live{}
	m.names, m.categories, m.kinds = map[string][]registry.Live{}, map[string][]registry.Live{}, map[string][]registry.Live{}
	m.now = newCatalogs(m, nil)
	m.alike = alike{}
}

// recalled gives what wraps a recall access to it.
func (m *recall) recalled() *recall { return m }

// recallOf returns the recall behind r, a new one when there is none.
func recallOf(r LiveReader) *recall {
	if m, ok := r.(interface{ recalled() *recall }); ok {
		return m.recalled()
	}
	return newRecall(r)
}

// surround remembers what was read of subjects and names at once.
func (m *recall) surround(around Surroundings, subjects []registry.Subject, names []string) {
	for _, s := range subjects {
		m.live[s] = nil
	}
	for s, l := range around.Live {
		m.live[s] = &l
	}
	for _, name := range names {
		found := make([]registry.Live, 0, len(around.Named[name]))
		for _, s := range around.Named[name] {
			found = append(found, around.Live[s])
		}
		m.names[name] = found
	}
}

// Live implements LiveReader.
func (m *recall) Live(ctx context.Context, s registry.Subject) (registry.Live, error) {
	switch l, ok := m.live[s]; {
	case !ok:
		return m.LiveReader.Live(ctx, s)
	case l == nil:
		return registry.Live{}, fmt.Errorf("%s: %w", s, ErrNotFound)
	default:
		return *l, nil
	}
}

// Agents implements LiveReader.
func (m *recall) Agents(ctx context.Context) ([]registry.Live, error) {
	if m.agents == nil {
		agents, err := m.LiveReader.Agents(ctx)
		if err != nil {
			return nil, err
		}
		m.agents = agents
	}
	return slices.Clone(m.agents), nil
}

// ByName implements LiveReader.
func (m *recall) ByName(ctx context.Context, name string) ([]registry.Live, error) {
	return remembered(ctx, m.names, name, m.LiveReader.ByName)
}

// InCategory implements LiveReader.
func (m *recall) InCategory(ctx context.Context, category string) ([]registry.Live, error) {
	return remembered(ctx, m.categories, category, m.LiveReader.InCategory)
}

// OfKind implements LiveReader.
func (m *recall) OfKind(ctx context.Context, kind registry.ToolKind, view []registry.Layer, most int) ([]registry.Live, error) {
	return remembered(ctx, m.kinds, fmt.Sprint(kind, view, most), func(ctx context.Context, _ string) ([]registry.Live, error) {
		return m.LiveReader.OfKind(ctx, kind, view, most)
	})
}

// Lists implements LiveReader.
func (m *recall) Lists(ctx context.Context) ([]registry.Live, error) {
	if m.lists == nil {
		lists, err := m.LiveReader.Lists(ctx)
		if err != nil {
			return nil, err
		}
		m.lists = lists
	}
	return slices.Clone(m.lists), nil
}

func remembered(ctx context.Context, known map[string][]registry.Live, key string, read func(context.Context, string) ([]registry.Live, error)) ([]registry.Live, error) {
	found, ok := known[key]
	if !ok {
		var err error
		if found, err = read(ctx, key); err != nil {
			return nil, err
		}
		known[key] = found
	}
	return slices.Clone(found), nil
}

// remembering is a transaction that remembers what it read of the registry
// until it makes something live itself.
type remembering struct {
	Tx
	memory *recall
	raws   map[string][]byte // known besides those that are kept
}

// Raw implements RegistryReader.
func (t remembering) Raw(ctx context.Context, hash string) (body []byte, ok bool, err error) {
	if body, ok := t.raws[hash]; ok {
		return body, true, nil
	}
	return t.Tx.Raw(ctx, hash)
}

func (t remembering) recalled() *recall { return t.memory }

// Live implements LiveReader.
func (t remembering) Live(ctx context.Context, s registry.Subject) (registry.Live, error) {
	return t.memory.Live(ctx, s)
}

// Agents implements LiveReader.
func (t remembering) Agents(ctx context.Context) ([]registry.Live, error) {
	return t.memory.Agents(ctx)
}

// ByName implements LiveReader.
func (t remembering) ByName(ctx context.Context, name string) ([]registry.Live, error) {
	return t.memory.ByName(ctx, name)
}

// InCategory implements LiveReader.
func (t remembering) InCategory(ctx context.Context, category string) ([]registry.Live, error) {
	return t.memory.InCategory(ctx, category)
}

// OfKind implements LiveReader.
func (t remembering) OfKind(ctx context.Context, kind registry.ToolKind, view []registry.Layer, most int) ([]registry.Live, error) {
	return t.memory.OfKind(ctx, kind, view, most)
}

// Lists implements LiveReader.
func (t remembering) Lists(ctx context.Context) ([]registry.Live, error) { return t.memory.Lists(ctx) }

// Alike implements RegistryReader.
func (t remembering) Alike(ctx context.Context, p *overlap.Fingerprint) ([]registry.Live, error) {
	last := &t.memory.alike
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

// SetLive implements RegistryWriter.
func (t remembering) SetLive(ctx context.Context, versions []history.Version, definitions []registry.Definition) error {
	t.memory.forget()
	return t.Tx.SetLive(ctx, versions, definitions)
}
