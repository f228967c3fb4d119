// Decorators that record reads as pending operations, which the status line shows when they are slow.

package tui

import (
	"context"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/impact"
	"toolcrib/tui/pending"
)

// watched returns cfg with reads that are recorded as pending operations.
func watched(cfg Config, p *pending.Operations) Config {
	cfg.Desk.Reader, cfg.Desk.Impact, cfg.Registry = watchedReader{cfg.Desk.Reader, p}, watchedImpact{cfg.Desk.Impact, p}, watchedRegistry{cfg.Registry, p}
	if extents := cfg.Extents; extents != nil {
		cfg.Extents = func(ctx context.Context, ids []proposals.ID) (map[proposals.ID]review.Extent, error) {
			defer p.Begin("Comparing the listed proposals with what is live").End()
			return extents(ctx, ids)
		}
	}
	return cfg
}

// watchedReader records its reads as pending operations.
type watchedReader struct {
	Reader
	pending *pending.Operations
}

// List implements Reader, as do the following methods.
func (d watchedReader) List(ctx context.Context, q review.Query) (review.Page, error) {
	what := "Listing proposals"
	if q.Filter != "" {
		what = "Searching the proposals"
	}
	defer d.pending.Begin(what).End()
	return d.Reader.List(ctx, q)
}

func (d watchedReader) Counts(ctx context.Context) (map[proposals.State]int, error) {
	defer d.pending.Begin("Counting the proposals").End()
	return d.Reader.Counts(ctx)
}

func (d watchedReader) Show(ctx context.Context, actor proposals.Actor, id proposals.ID) (review.Dossier, error) {
	defer d.pending.Begin("Reading the proposal").End()
	return d.Reader.Show(ctx, actor, id)
}

func (d watchedReader) ShowSet(ctx context.Context, actor proposals.Actor, changeSet string) (review.ChangeSet, error) {
	defer d.pending.Begin("Reading the change set").End()
	return d.Reader.ShowSet(ctx, actor, changeSet)
}

// watchedImpact records its reads as pending operations.
type watchedImpact struct {
	Impact
	pending *pending.Operations
}

// Preview implements Impact, as do the following methods.
func (d watchedImpact) Preview(ctx context.Context, ids []proposals.ID, agent string, s impact.Scene) ([]impact.Preview, error) {
	defer d.pending.Begin("Rendering the prompts").End()
	return d.Impact.Preview(ctx, ids, agent, s)
}

// Behaviour also reports the progress to the pending operation.
func (d watchedImpact) Behaviour(ctx context.Context, id proposals.ID, live bool, tell impact.Tell) (impact.Behaviour, error) {
	o := d.pending.Begin("Running the test cases")
	defer o.End()
	return d.Impact.Behaviour(ctx, id, live, func(done, total int, name string) {
		o.Tell(done, total)
		tell(done, total, name)
	})
}

func (d watchedImpact) Uses(ctx context.Context, s registry.Subject, layer registry.Layer) ([]impact.Use, error) {
	defer d.pending.Begin("Finding the agents that use it").End()
	return d.Impact.Uses(ctx, s, layer)
}

// watchedRegistry records its reads as pending operations.
type watchedRegistry struct {
	Registry
	pending *pending.Operations
}

// Groups implements Registry, as do the following methods.
func (w watchedRegistry) Groups(ctx context.Context, q EntryQuery) ([]GroupCount, error) {
	defer w.pending.Begin("Counting what is live").End()
	return w.Registry.Groups(ctx, q)
}

func (w watchedRegistry) Entries(ctx context.Context, q EntryQuery) ([]Entry, string, error) {
	defer w.pending.Begin("Listing what is live").End()
	return w.Registry.Entries(ctx, q)
}

func (w watchedRegistry) Versions(ctx context.Context, s registry.Subject, before, limit int) ([]history.Version, error) {
	defer w.pending.Begin("Reading the versions").End()
	return w.Registry.Versions(ctx, s, before, limit)
}

func (w watchedRegistry) Events(ctx context.Context, before int64, limit int) ([]history.Event, error) {
	defer w.pending.Begin("Reading the audit log").End()
	return w.Registry.Events(ctx, before, limit)
}
