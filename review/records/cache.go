package records

import (
	"context"
	"slices"

	"toolcrib/history"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/impact"
	"toolcrib/review/overlap"
	"toolcrib/review/rules"
)

// cachedRegistry caches reads of the live registry.
type cachedRegistry struct {
	*impact.Snapshot
	storedRegistry
	alike *alike
}

// knownRaws adds imported documents that are not stored to a registry, by hash.
type knownRaws struct {
	review.RegistryReader
	raws map[string][]byte
}

func (k knownRaws) Raw(ctx context.Context, hash string) (body []byte, ok bool, err error) {
	if body, ok := k.raws[hash]; ok {
		return body, true, nil
	}
	return k.RegistryReader.Raw(ctx, hash)
}

// storedRegistry embeds the stored registry one level deeper than the cache, so that the methods of the cache take
// precedence.
type storedRegistry struct{ review.RegistryReader }

// alike caches the tools found similar in the last search, by its sketches.
type alike struct {
	text, purpose overlap.Sketch
	found         []registry.Live
	known         bool
}

// Snapshot returns the cache through which r reads the live registry, or a new cache.
func Snapshot(r review.Reader) *impact.Snapshot {
	if c, ok := r.RegistryReader.(*cachedRegistry); ok {
		return c.Snapshot
	}
	return impact.NewSnapshot(r)
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

// forgettingRegistry clears the cache when a version goes live.
type forgettingRegistry struct {
	review.RegistryWriter
	cached *cachedRegistry
}

func (f forgettingRegistry) SetLive(ctx context.Context, versions []history.Version, definitions []registry.Definition) error {
	f.cached.Forget()
	*f.cached.alike = alike{}
	return f.RegistryWriter.SetLive(ctx, versions, definitions)
}

// cachedTx returns tx with a cache of the registry that is valid until tx makes a version live. raws contains
// additional imported documents that are not stored.
func cachedTx(tx review.Tx, raws map[string][]byte) review.Tx {
	c := &cachedRegistry{impact.NewSnapshot(tx), storedRegistry{knownRaws{tx.RegistryReader, raws}}, &alike{}}
	tx.RegistryReader, tx.RegistryWriter = c, forgettingRegistry{tx.RegistryWriter, c}
	return tx
}

// World implements rules.World with a snapshot.
type World struct {
	review.RegistryReader
	Coming []registry.Live // allow-lists that go live together with the draft
}

func (w World) Lists(ctx context.Context) ([]registry.Live, error) {
	lists, err := w.RegistryReader.Lists(ctx)
	if err != nil {
		return nil, err
	}
	for _, l := range w.Coming {
		lists = append(slices.DeleteFunc(lists, func(other registry.Live) bool { return other.Subject == l.Subject }), l)
	}
	return lists, nil
}

func (w World) Alike(ctx context.Context, t *rules.Peer) ([]*rules.Peer, error) {
	found, err := w.RegistryReader.Alike(ctx, t.Fingerprint())
	return rules.Peers(found), err
}
