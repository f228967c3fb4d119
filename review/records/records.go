// Package records provides access to the storage for the parts of the review service. It runs functions in a snapshot
// or in a write transaction, caches reads of the live registry, and creates the event of each act.
package records

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/wire"
	"toolcrib/review"
	"toolcrib/review/impact"
	"toolcrib/review/overlap"
	"toolcrib/review/rules"
)

// Records runs functions in snapshots and write transactions.
type Records struct {
	Storage review.Store
	Now     func() time.Time
	NewID   func() string
	Pool    *impact.Pool
	// DryRun rolls back all writes.
	DryRun bool
	// Raws contains the imported JSON that may not be stored yet, by hash.
	Raws map[string][]byte
}

// errDryRun makes the storage roll back the transaction of a dry run.
var errDryRun = errors.New("dry run")

// Update runs fn in a write transaction. It caches the reads of the live registry in fn.
func (r *Records) Update(ctx context.Context, fn func(review.Tx) error) error {
	err := r.Storage.Update(ctx, func(tx review.Tx) error {
		cached := &cachedRegistry{impact.NewSnapshot(tx), storedRegistry{knownRaws{tx.RegistryReader, r.Raws}}, &alike{}}
		tx.RegistryReader, tx.RegistryWriter = cached, forgettingRegistry{tx.RegistryWriter, cached}
		if err := fn(tx); err != nil {
			return err
		}
		if r.DryRun {
			return errDryRun
		}
		return nil
	})
	if errors.Is(err, errDryRun) {
		return nil
	}
	return err
}

// ReadCached runs fn with a snapshot and returns the result of fn. The second argument of fn caches reads of the live
// registry in the snapshot.
func ReadCached[T any](ctx context.Context, r *Records, fn func(review.Reader, *impact.Snapshot) (T, error)) (found T, err error) {
	err = r.Storage.View(ctx, func(reader review.Reader) error {
		live, done, err := r.Pool.Take(ctx, reader)
		if err != nil {
			return err
		}
		defer done()
		found, err = fn(reader, live)
		return err
	})
	return found, err
}

// Read runs fn with a snapshot and returns the result of fn.
func Read[T any](ctx context.Context, r *Records, fn func(review.Reader) (T, error)) (found T, err error) {
	err = r.Storage.View(ctx, func(reader review.Reader) error {
		if len(r.Raws) > 0 {
			reader.RegistryReader = knownRaws{reader.RegistryReader, r.Raws}
		}
		found, err = fn(reader)
		return err
	})
	return found, err
}

// Write runs fn in a write transaction and returns the result of fn.
func Write[T any](ctx context.Context, r *Records, fn func(review.Tx) (T, error)) (result T, err error) {
	err = r.Update(ctx, func(tx review.Tx) error {
		result, err = fn(tx)
		return err
	})
	return result, err
}

// Time returns the current time, truncated to the microseconds that the database stores.
func (r *Records) Time() time.Time { return r.Now().UTC().Truncate(time.Microsecond) }

// Log appends the event of an act to the log. t is the time of the act, record is the seal of the record that the act
// wrote, and data contains further details.
func (r *Records) Log(ctx context.Context, tx review.Tx, actor proposals.Actor, act string, p proposals.Proposal, t time.Time, record string, data map[string]any) error {
	e, err := r.Event(actor, act, p, t, record, data)
	if err != nil {
		return err
	}
	return tx.AppendEvents(ctx, []history.Event{e})
}

// Event returns the event that Log would append for the same arguments.
func (r *Records) Event(actor proposals.Actor, act string, p proposals.Proposal, at time.Time, record string, data map[string]any) (history.Event, error) {
	e, err := history.NewEvent(r.NewID(), act, actor.String(), at, data)
	e.Subject, e.Proposal, e.Revision, e.Record = p.Subject.String(), string(p.ID), p.Revision, record
	return e, err
}

// Source returns the imported JSON of d. It returns nil if d was not imported or if the JSON is not stored. It returns
// an error if the stored JSON does not match the hash in d.
func Source(ctx context.Context, r review.RegistryReader, d registry.Definition) ([]byte, error) {
	hash := Pin(d)
	if hash == "" {
		return nil, nil
	}
	raw, ok, err := r.Raw(ctx, hash)
	if err != nil || !ok {
		return nil, err
	}
	if found, err := wire.HashRaw(raw); err != nil || found != hash {
		return nil, fmt.Errorf("the stored JSON of %s does not match its pin; run toolcrib verify", d.ID())
	}
	return raw, nil
}

// Pin returns the hash of the imported JSON of d, or "" if d was not imported.
func Pin(d registry.Definition) string {
	if d.Tool == nil || d.Tool.Source == nil {
		return ""
	}
	return d.Tool.Source.Hash
}

// Definition returns the definition in the given version of s.
func Definition(ctx context.Context, r review.RegistryReader, s registry.Subject, number int) (registry.Definition, error) {
	v, err := r.Version(ctx, s, number)
	if err != nil {
		return registry.Definition{}, err
	}
	return v.Decode()
}

// DraftOf returns a draft to modify version v that still has the definition of v. Its examples and test cases are those of
// the proposal that created v. A version that ships with toolcrib has none.
func DraftOf(ctx context.Context, r review.ProposalReader, v history.Version) (proposals.Draft, error) {
	draft := proposals.Draft{Type: proposals.Modify, Subject: v.Subject, BaseVersion: &v.Number}
	var err error
	if draft.Definition, err = v.Decode(); err != nil {
		return draft, err
	}
	rev, err := r.Revision(ctx, proposals.ID(v.Proposal), v.Revision)
	if errors.Is(err, proposals.ErrNotFound) {
		return draft, nil
	}
	draft.Examples, draft.TestCases = rev.Draft.Examples, rev.Draft.TestCases
	return draft, err
}

// Base returns the base definition of p, with which the change is compared. It returns nil for a new subject. If
// decisions are signed, it also returns nil for an open proposal that replaces a version without a valid signature,
// because reviewers must then see the whole text.
func Base(ctx context.Context, r review.RegistryReader, p proposals.Proposal) (*registry.Definition, error) {
	if p.BaseVersion == 0 {
		return nil, nil //nolint:nilnil // nil means that there is no base
	}
	if p.State.Open() {
		switch now, err := impact.Live(ctx, r, p.Subject); {
		case err != nil || now == nil || now.Refused != nil:
			return nil, err
		case now.Version == p.BaseVersion:
			return &now.Definition, nil // verified, unlike the stored version
		}
	}
	d, err := Definition(ctx, r, p.Subject, p.BaseVersion)
	if errors.Is(err, proposals.ErrNotFound) {
		return nil, nil //nolint:nilnil // the version was deleted by hand
	}
	return &d, err
}

// cachedRegistry is the registry in a write transaction. It caches the reads of the live registry and the last search
// for similar tools.
type cachedRegistry struct {
	*impact.Snapshot
	storedRegistry
	alike *alike
}

// knownRaws is a registry that also finds the imported JSON in raws, by hash.
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

// storedRegistry embeds the stored registry one level deeper than the cache. The methods of the cache therefore take
// precedence.
type storedRegistry struct{ review.RegistryReader }

// alike caches the result of the last search for similar tools. text and purpose are the sketches that were searched
// for.
type alike struct {
	text, purpose overlap.Sketch
	found         []registry.Live
	known         bool
}

// Snapshot returns the cache that r uses to read the live registry. If r has no such cache, Snapshot returns a new
// cache.
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

// forgettingRegistry is a registry writer that clears the caches in the field cached when a version goes live.
type forgettingRegistry struct {
	review.RegistryWriter
	cached *cachedRegistry
}

func (f forgettingRegistry) SetLive(ctx context.Context, versions []history.Version, definitions []registry.Definition) error {
	f.cached.Forget()
	*f.cached.alike = alike{}
	return f.RegistryWriter.SetLive(ctx, versions, definitions)
}

// World implements rules.World for the snapshot or transaction of its RegistryReader.
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
