// This file tracks reads as pending operations, because the status line shows slow operations.

package tui

import (
	"context"
	"sync"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/impact"
	"toolcrib/tui/pending"
)

// trackReads returns a copy of cfg with reads that are tracked as pending operations in p.
func trackReads(cfg Config, p *pending.Operations) Config {
	cfg.Desk.Reader = &trackedReader{Reader: cfg.Desk.Reader, pending: p, stamp: cfg.Registry.Stamp}
	cfg.Desk.Impact, cfg.Registry = trackedImpact{cfg.Desk.Impact, p}, trackedRegistry{cfg.Registry, p}
	if extents := cfg.Extents; extents != nil {
		cfg.Extents = func(ctx context.Context, ids []proposals.ID) (map[proposals.ID]review.Extent, error) {
			defer p.Begin("Comparing the listed proposals with the live versions").End()
			return extents(ctx, ids)
		}
	}
	return cfg
}

// trackedReader tracks its reads as pending operations. It also caches the last change set, because the page
// of a set and the dialog of a decision read it one after the other. The cache is valid until the stamp of the
// database changes.
type trackedReader struct {
	Reader
	pending *pending.Operations
	stamp   func(context.Context) (int64, error)

	mu        sync.Mutex
	last      review.ChangeSet
	lastStamp int64
}

// List implements Reader, like the methods below.
func (d *trackedReader) List(ctx context.Context, q review.Query) (review.Page, error) {
	what := "Listing proposals"
	if q.Filter != "" {
		what = "Searching the proposals"
	}
	defer d.pending.Begin(what).End()
	return d.Reader.List(ctx, q)
}

func (d *trackedReader) Counts(ctx context.Context) (map[proposals.State]int, error) {
	defer d.pending.Begin("Counting the proposals").End()
	return d.Reader.Counts(ctx)
}

func (d *trackedReader) Show(ctx context.Context, actor proposals.Actor, id proposals.ID) (review.Dossier, error) {
	defer d.pending.Begin("Reading the proposal").End()
	return d.Reader.Show(ctx, actor, id)
}

func (d *trackedReader) ShowSet(ctx context.Context, actor proposals.Actor, changeSet string) (review.ChangeSet, error) {
	defer d.pending.Begin("Reading the change set").End()
	d.mu.Lock()
	defer d.mu.Unlock()
	stamp, err := d.stamp(ctx)
	if err == nil && d.last.Name == changeSet && d.lastStamp == stamp {
		return d.last, nil
	}
	set, readErr := d.Reader.ShowSet(ctx, actor, changeSet)
	if err == nil && readErr == nil {
		d.last, d.lastStamp = set, stamp
	}
	return set, readErr
}

// trackedImpact tracks its reads as pending operations.
type trackedImpact struct {
	Impact
	pending *pending.Operations
}

// Preview implements Impact, like Uses below.
func (d trackedImpact) Preview(ctx context.Context, ids []proposals.ID, agent string, s impact.Scene) ([]impact.Preview, error) {
	defer d.pending.Begin("Rendering the prompts").End()
	return d.Impact.Preview(ctx, ids, agent, s)
}

func (d trackedImpact) Uses(ctx context.Context, s registry.Subject, layer registry.Layer) ([]impact.Use, error) {
	defer d.pending.Begin("Finding the agents that use the definition").End()
	return d.Impact.Uses(ctx, s, layer)
}

// trackedRegistry tracks its reads as pending operations.
type trackedRegistry struct {
	Registry
	pending *pending.Operations
}

// Groups implements Registry, like the methods below.
func (w trackedRegistry) Groups(ctx context.Context, q EntryQuery) ([]GroupCount, error) {
	defer w.pending.Begin("Counting live definitions").End()
	return w.Registry.Groups(ctx, q)
}

func (w trackedRegistry) Entries(ctx context.Context, q EntryQuery) ([]Entry, string, error) {
	defer w.pending.Begin("Listing live definitions").End()
	return w.Registry.Entries(ctx, q)
}

func (w trackedRegistry) Versions(ctx context.Context, s registry.Subject, before, limit int) ([]history.Version, error) {
	defer w.pending.Begin("Reading the versions").End()
	return w.Registry.Versions(ctx, s, before, limit)
}

func (w trackedRegistry) Events(ctx context.Context, before int64, limit int) ([]history.Event, error) {
	defer w.pending.Begin("Reading the audit log").End()
	return w.Registry.Events(ctx, before, limit)
}
