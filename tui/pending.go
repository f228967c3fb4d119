package tui

import (
	"context"
	"slices"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/impact"
	"toolcrib/tui/draw"
)

// pending are the operations on the desk, the registry and this machine that run beside the
// program loop.
type pending struct {
	now  func() time.Time
	mu   sync.Mutex
	open []*operation // in the order in which they began
}

// operation is one of them. done of total tells how far it is; total is 0 where nobody
// knows.
type operation struct {
	of          *pending
	what        string
	began       time.Time
	done, total int
}

// begin notes an operation until its end.
func (p *pending) begin(what string) *operation {
	o := &operation{of: p, what: what}
	o.resume()
	return o
}

// resume notes that it goes on, from now on.
func (o *operation) resume() {
	o.of.mu.Lock()
	defer o.of.mu.Unlock()
	o.began, o.of.open = o.of.now(), append(o.of.open, o)
}

// end ends the wait for it, for good or until it resumes.
func (o *operation) end() {
	o.of.mu.Lock()
	defer o.of.mu.Unlock()
	o.of.open = slices.DeleteFunc(o.of.open, func(open *operation) bool { return open == o })
}

// tell notes how much of it is done.
func (o *operation) tell(done, total int) {
	o.of.mu.Lock()
	defer o.of.mu.Unlock()
	o.done, o.total = done, total
}

// oldest returns the operation that began first.
func (p *pending) oldest() (o operation, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.open) == 0 {
		return operation{}, false
	}
	return *p.open[0], true
}

// writing names the operation of a write.
const writing = "Writing"

// watched has the reads of a configuration noted.
func (p *pending) watched(cfg Config) Config {
	cfg.Desk.Reader, cfg.Registry = watchedDesk{cfg.Desk.Reader, p}, watchedRegistry{cfg.Registry, p}
	if extents := cfg.Extents; extents != nil {
		cfg.Extents = func(ctx context.Context, ids []proposals.ID) (map[proposals.ID]review.Extent, error) {
			defer p.begin("Comparing the listed proposals with what is live").end()
			return extents(ctx, ids)
		}
	}
	cfg.Servers = noted(p, "Asking which servers are guarded", cfg.Servers)
	cfg.Files = noted(p, "Comparing skills and instruction files with what was approved", cfg.Files)
	return cfg
}

// noted notes a read while it runs.
func noted[T any, R ~func(context.Context) (T, error)](p *pending, what string, read R) R {
	if read == nil {
		return nil
	}
	return func(ctx context.Context) (T, error) {
		defer p.begin(what).end()
		return read(ctx)
	}
}

// watchedDesk is a desk whose reads are noted.
type watchedDesk struct {
	Reader
	pending *pending
}

// List implements Reader, as the following methods do.
func (d watchedDesk) List(ctx context.Context, q review.Query) (review.Page, error) {
	what := "Listing proposals"
	if q.Filter != "" {
		what = "Searching the proposals"
	}
	defer d.pending.begin(what).end()
	return d.Reader.List(ctx, q)
}

func (d watchedDesk) Counts(ctx context.Context) (map[proposals.State]int, error) {
	defer d.pending.begin("Counting the proposals").end()
	return d.Reader.Counts(ctx)
}

func (d watchedDesk) Show(ctx context.Context, actor proposals.Actor, id proposals.ID) (review.Dossier, error) {
	defer d.pending.begin("Reading the proposal").end()
	return d.Reader.Show(ctx, actor, id)
}

func (d watchedDesk) ShowSet(ctx context.Context, actor proposals.Actor, changeSet string) (review.ChangeSet, error) {
	defer d.pending.begin("Reading the change set").end()
	return d.Reader.ShowSet(ctx, actor, changeSet)
}

func (d watchedDesk) Preview(ctx context.Context, ids []proposals.ID, agent string, s impact.Scene) ([]impact.Preview, error) {
	defer d.pending.begin("Rendering the prompts").end()
	return d.Reader.Preview(ctx, ids, agent, s)
}

// Behaviour implements Reader. It tells of each test case.
func (d watchedDesk) Behaviour(ctx context.Context, id proposals.ID, live bool, tell impact.Tell) (impact.Behaviour, error) {
	o := d.pending.begin("Running the test cases")
	defer o.end()
	return d.Reader.Behaviour(ctx, id, live, func(done, total int, name string) {
		o.tell(done, total)
		tell(done, total, name)
	})
}

func (d watchedDesk) Uses(ctx context.Context, s registry.Subject, layer registry.Layer) ([]impact.Use, error) {
	defer d.pending.begin("Looking for who uses it").end()
	return d.Reader.Uses(ctx, s, layer)
}

// watchedRegistry is a registry whose reads are noted.
type watchedRegistry struct {
	Registry
	pending *pending
}

// Groups implements Registry, as the following methods do.
func (w watchedRegistry) Groups(ctx context.Context, q EntryQuery) ([]GroupCount, error) {
	defer w.pending.begin("Counting what is live").end()
	return w.Registry.Groups(ctx, q)
}

func (w watchedRegistry) Entries(ctx context.Context, q EntryQuery) ([]Entry, string, error) {
	defer w.pending.begin("Listing what is live").end()
	return w.Registry.Entries(ctx, q)
}

func (w watchedRegistry) Versions(ctx context.Context, s registry.Subject, before, limit int) ([]history.Version, error) {
	defer w.pending.begin("Reading the versions").end()
	return w.Registry.Versions(ctx, s, before, limit)
}

func (w watchedRegistry) Events(ctx context.Context, before int64, limit int) ([]history.Event, error) {
	defer w.pending.begin("Reading the audit log").end()
	return w.Registry.Events(ctx, before, limit)
}

// tick begins to redraw the screen while something is waited for. It is asked at every poll:
// that comes once a second at least, so nothing takes longer unseen.
func tick(m *shell) tea.Cmd {
	if m.ticking {
		return nil
	}
	return tells(m)
}

// tells redraws the screen while something is waited for.
func tells(m *shell) tea.Cmd {
	if _, waits := m.waits.oldest(); !waits {
		m.ticking = false
		return nil
	}
	m.ticking = true
	return m.after(jobTick, jobTickMsg{})
}

// slowFrom is how long an operation takes before the screen names it.
const slowFrom = time.Second

// slow returns what has been waited for longest, where that is long.
func slow(m *shell) (o operation, elapsed time.Duration, ok bool) {
	o, ok = m.waits.oldest()
	if ok {
		elapsed = m.now().Sub(o.began)
	}
	return o, elapsed, ok && elapsed >= slowFrom
}

// slowLine names the operation that takes long, how far it is, and since when; nil where
// nothing takes long.
func slowLine(m *shell) draw.Line {
	o, elapsed, ok := slow(m)
	if !ok {
		return nil
	}
	what := draw.Show(o.what)
	if o.what == writing && m.cfg.Blocked != nil && m.cfg.Blocked() {
		what = "Waiting to write: another process holds the database"
	}
	l := draw.Of(m.theme.Warn, " "+spun(elapsed)+" ").Add(m.theme.Text, what)
	if o.total > 0 {
		l = l.Add(m.theme.Text, draw.Showf(": %d of %d", o.done, o.total))
	}
	return l.Add(m.theme.Faint, draw.Showf("  %d s", int(elapsed.Seconds())))
}
