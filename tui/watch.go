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

// watched has the reads of a configuration noted.
func watched(cfg Config, p *pending.Operations) Config {
	cfg.Desk.Reader, cfg.Registry = watchedDesk{cfg.Desk.Reader, p}, watchedRegistry{cfg.Registry, p}
	if extents := cfg.Extents; extents != nil {
		cfg.Extents = func(ctx context.Context, ids []proposals.ID) (map[proposals.ID]review.Extent, error) {
			defer p.Begin("Comparing the listed proposals with what is live").End()
			return extents(ctx, ids)
		}
	}
	return cfg
}

// watchedDesk is a desk whose reads are noted.
type watchedDesk struct {
	Reader
	pending *pending.Operations
}

// List implements Reader, as the following methods do.
func (d watchedDesk) List(ctx context.Context, q review.Query) (review.Page, error) {
	what := "Listing proposals"
	if q.Filter != "" {
		what = "Searching the proposals"
	}
	defer d.pending.Begin(what).End()
	return d.Reader.List(ctx, q)
}

func (d watchedDesk) Counts(ctx context.Context) (map[proposals.State]int, error) {
	defer d.pending.Begin("Counting the proposals").End()
	return d.Reader.Counts(ctx)
}

func (d watchedDesk) Show(ctx context.Context, actor proposals.Actor, id proposals.ID) (review.Dossier, error) {
	defer d.pending.Begin("Reading the proposal").End()
	return d.Reader.Show(ctx, actor, id)
}

func (d watchedDesk) ShowSet(ctx context.Context, actor proposals.Actor, changeSet string) (review.ChangeSet, error) {
	defer d.pending.Begin("Reading the change set").End()
	return d.Reader.ShowSet(ctx, actor, changeSet)
}

func (d watchedDesk) Preview(ctx context.Context, ids []proposals.ID, agent string, s impact.Scene) ([]impact.Preview, error) {
	defer d.pending.Begin("Rendering the prompts").End()
	return d.Reader.Preview(ctx, ids, agent, s)
}

// Behaviour implements Reader. It tells of each test case.
func (d watchedDesk) Behaviour(ctx context.Context, id proposals.ID, live bool, tell impact.Tell) (impact.Behaviour, error) {
	o := d.pending.Begin("Running the test cases")
	defer o.End()
	return d.Reader.Behaviour(ctx, id, live, func(done, total int, name string) {
		o.Tell(done, total)
		tell(done, total, name)
	})
}

func (d watchedDesk) Uses(ctx context.Context, s registry.Subject, layer registry.Layer) ([]impact.Use, error) {
	defer d.pending.Begin("Looking for who uses it").End()
	return d.Reader.Uses(ctx, s, layer)
}

// watchedRegistry is a registry whose reads are noted.
type watchedRegistry struct {
	Registry
	pending *pending.Operations
}

// Groups implements Registry, as the following methods do.
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
