package review

import (
	"context"
	"slices"

	"toolcrib/history"
	"toolcrib/registry"
	"toolcrib/review/impact"
	"toolcrib/review/overlap"
)

// cache returns the cache of the transaction.
func (t cachedTx) cache() *impact.Snapshot { return t.Snapshot }

// liveCacheOf returns the liveCache behind r, a new one when there is none.
func liveCacheOf(r impact.Registry) *impact.Snapshot {
	if m, ok := r.(interface{ cache() *impact.Snapshot }); ok {
		return m.cache()
	}
	return impact.NewSnapshot(r)
}

// alike holds the tools last found similar to a tool, by the sketches that it is
// looked for with.
type alike struct {
	text, purpose overlap.Sketch
	found         []registry.Live
	known         bool
}

// cachedTx is a transaction that caches its reads of the registry until it makes
// something live itself. The methods of the snapshot stand in front of those of the
// transaction, which is embedded one level deeper.
type cachedTx struct {
	*impact.Snapshot
	embeddedTx
	raws  map[string][]byte // known besides those that are kept
	alike *alike
}

type embeddedTx struct{ Tx }

func (t cachedTx) Raw(ctx context.Context, hash string) (body []byte, ok bool, err error) {
	if body, ok := t.raws[hash]; ok {
		return body, true, nil
	}
	return t.Tx.Raw(ctx, hash)
}

func (t cachedTx) Alike(ctx context.Context, p *overlap.Fingerprint) ([]registry.Live, error) {
	last := t.alike
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
	t.Forget()
	*t.alike = alike{}
	return t.Tx.SetLive(ctx, versions, definitions)
}

// view runs fn on one snapshot.
func (d *Desk) view(ctx context.Context, fn func(*reviewCache) error) error {
	return d.store.View(ctx, func(r Reader) error {
		live, done, err := d.pool.Take(ctx, r)
		if err != nil {
			return err
		}
		defer done()
		return fn(cached(r, live))
	})
}
