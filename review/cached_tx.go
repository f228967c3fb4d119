package review

import (
	"context"
	"slices"

	"toolcrib/history"
	"toolcrib/registry"
	"toolcrib/review/impact"
	"toolcrib/review/overlap"
)

// cachedRegistry reads the live registry through a cache, whose methods stand in front of
// those of the storage.
type cachedRegistry struct {
	*impact.Snapshot
	storedRegistry
	raws  map[string][]byte // documents known besides those that are kept, by hash
	alike *alike
}

// storedRegistry holds the registry of the storage one level deeper than its cache.
type storedRegistry struct{ RegistryReader }

// alike holds the tools last found similar to a tool, by the sketches that it is
// looked for with.
type alike struct {
	text, purpose overlap.Sketch
	found         []registry.Live
	known         bool
}

// snapshotOf returns the cache that r reads the live registry through, a new one when it
// reads through none.
func snapshotOf(r Reader) *impact.Snapshot {
	if c, ok := r.RegistryReader.(*cachedRegistry); ok {
		return c.Snapshot
	}
	return impact.NewSnapshot(r)
}

func (c *cachedRegistry) Raw(ctx context.Context, hash string) (body []byte, ok bool, err error) {
	if body, ok := c.raws[hash]; ok {
		return body, true, nil
	}
	return c.RegistryReader.Raw(ctx, hash)
}

func (c *cachedRegistry) Alike(ctx context.Context, p *overlap.Fingerprint) ([]registry.Live, error) {
	last := c.alike
	text, purpose := p.Sketches()
	if !last.known || last.text != text || last.purpose != purpose {
		found, err := c.RegistryReader.Alike(ctx, p)
		if err != nil {
			return nil, err
		}
		*last = alike{text, purpose, found, true}
	}
	return slices.Clone(last.found), nil
}

// forgettingRegistry empties the cache when something goes live.
type forgettingRegistry struct {
	RegistryWriter
	cached *cachedRegistry
}

func (f forgettingRegistry) SetLive(ctx context.Context, versions []history.Version, definitions []registry.Definition) error {
	f.cached.Forget()
	*f.cached.alike = alike{}
	return f.RegistryWriter.SetLive(ctx, versions, definitions)
}

// cachedTx returns tx with a cache of the registry, which lasts until tx makes something
// live itself. raws holds documents besides those that are kept.
func cachedTx(tx Tx, raws map[string][]byte) Tx {
	c := &cachedRegistry{impact.NewSnapshot(tx), storedRegistry{tx.RegistryReader}, raws, &alike{}}
	tx.RegistryReader, tx.RegistryWriter = c, forgettingRegistry{tx.RegistryWriter, c}
	return tx
}

// view runs fn on one snapshot.
func (o *office) view(ctx context.Context, fn func(*reviewCache) error) error {
	return o.store.View(ctx, func(r Reader) error {
		live, done, err := o.pool.Take(ctx, r)
		if err != nil {
			return err
		}
		defer done()
		return fn(cached(r, live))
	})
}
