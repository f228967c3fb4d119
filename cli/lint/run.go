// This file runs the rules on units in parallel.

package lint

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"toolcrib/cli/findings"
	"toolcrib/cli/output"
	"toolcrib/cli/report"
	"toolcrib/prompt/tokens"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/shipped"
	"toolcrib/review/impact"
	"toolcrib/review/overlap"
	"toolcrib/review/reach/fact"
	"toolcrib/review/rules"
	"toolcrib/review/rules/reached"
	"toolcrib/review/rules/ruleset"
)

// memoryRegistry implements impact.Registry for definitions in memory, to render prompts from them.
type memoryRegistry struct{ rules.Memory }

// Live implements impact.Registry.
func (l memoryRegistry) Live(_ context.Context, s registry.Subject) (registry.Live, error) {
	for _, live := range l.Memory {
		if live.Subject == s {
			return live, nil
		}
	}
	return registry.Live{}, fmt.Errorf("%s: %w", s, proposals.ErrNotFound)
}

// Heads implements impact.Registry.
func (l memoryRegistry) Heads(ctx context.Context, kind registry.ToolKind, view []registry.Layer, most int) (found []registry.Live, size int, err error) {
	found, err = l.OfKind(ctx, kind, view, most)
	for _, live := range found {
		size += len(live.Definition.Canonical())
	}
	return found, size, err
}

// linter runs the rules on files and collects the findings.
type linter struct {
	set      ruleset.Set
	corpus   *lintCorpus
	listable map[string]bool // ids of the tools read so far, to which allow-lists can refer
	tokens   *tokens.Counter
	todo     []*task
	found    []findings.Finding
	units    int              // number of checked units
	reach    []report.Reached // facts about what the files can reach

	tell    output.Tell // reports the progress; may be nil
	checked atomic.Int64
}

// task is a unit to be checked, or a list of problems that were found when a file was read.
type task struct {
	*unit
	file  string
	found []findings.Finding
	reach []report.Reached
	err   error
}

// manyTasks is the number of tasks to collect before running them in parallel. Running the tasks of each file
// separately would leave processors idle, because many files are small.
const manyTasks = 512

func newLinter(set ruleset.Set) *linter {
	var world rules.Memory // the definitions that toolcrib ships, treated as live
	for i, d := range slices.Concat(shipped.Core(), shipped.Assistant(), shipped.Lists(), shipped.Agents()) {
		world = append(world, registry.Live{
			Subject: registry.Subject{Kind: d.Kind(), Layer: registry.LayerGlobal, ID: d.ID()}, Version: 1, ContentHash: d.Hash(), Definition: d, Locked: i < len(shipped.Core()),
		})
	}
	corpus := &lintCorpus{
		shipped: world, models: rules.Peers(world), subjects: map[registry.Subject]*registry.Live{}, labels: map[string][]int{}, tags: map[string][]int{},
	}
	for i := range world {
		corpus.subjects[world[i].Subject] = &world[i]
	}
	return &linter{set: set, corpus: corpus, listable: map[string]bool{}, tokens: tokens.NewCounter()}
}

// noPlace returns a problem that concerns a whole file.
func noPlace(message string) jsondoc.Problem {
	return jsondoc.Problem{Pos: jsondoc.Pos{Line: 1, Column: 1}, Message: message}
}

// flush runs the collected tasks on all processors and removes them from l.todo. Each tool is compared with the tools
// that precede it.
func (l *linter) flush(ctx context.Context) error {
	todo := l.todo
	l.todo = nil
	eachOf(todo, func() func(*task) {
		return func(t *task) {
			if t.unit != nil && t.doc != nil && t.change.Draft.Definition.Tool != nil { // a plain text has no doc and is not compared with tools
				t.change.Proposed = rules.NewPeer(registry.Live{Subject: t.change.Draft.Subject, Definition: t.change.Draft.Definition})
				t.change.Proposed.Fingerprint().Sketches()
			}
		}
	})
	for _, t := range todo {
		if t.unit == nil {
			continue
		}
		if tool := t.change.Draft.Definition.Tool; tool != nil {
			l.listable[tool.ID] = true
		}
		l.place(t.unit)
	}
	eachOf(todo, func() func(*task) {
		live := impact.NewSnapshot(memoryRegistry{l.corpus.shipped})
		return func(t *task) {
			t.err = l.check(ctx, live, t)
			if n := l.checked.Add(1); l.tell != nil {
				l.tell(n, 0, "Checking files and definitions")
			}
		}
	})
	for _, t := range todo {
		if t.err != nil {
			return t.err
		}
		l.found = append(l.found, t.found...)
		l.reach = append(l.reach, t.reach...)
	}
	return nil
}

// place sets the definitions to compare u with: the shipped definitions and the definitions of earlier units. If u is a
// tool, place then adds it to the corpus.
func (l *linter) place(u *unit) {
	u.change.World = corpusSnapshot{l.corpus.shipped, l.corpus, len(l.corpus.peers)}
	u.change.Before = l.corpus.subjects[u.change.Draft.Subject]
	u.change.Coming = l.listable
	if p := u.change.Proposed; p != nil { // flush has already computed the fingerprint of p in parallel
		s, n := l.corpus, len(l.corpus.peers)
		text, purpose := p.Fingerprint().Sketches()
		s.text.Add(int64(n), text)
		s.purpose.Add(int64(n), purpose)
		s.peers = append(s.peers, p)
		s.labels[p.Tool().Name] = append(s.labels[p.Tool().Name], n)
		if tag := p.Tool().Tag; tag != nil {
			s.tags[tag.Prefix] = append(s.tags[tag.Prefix], n)
		}
	}
	l.units++
}

// check runs the rules on the unit of t and stores the findings in t.
func (l *linter) check(ctx context.Context, live *impact.Snapshot, t *task) error {
	if t.unit == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	var err error
	if t.change.Prompts, err = live.Costs(ctx, t.change.Draft, l.tokens); err != nil {
		return fmt.Errorf("%s: %w", t.file, err)
	}
	found, err := l.set.CheckFamilies(ctx, &t.change, t.families)
	if err != nil {
		return fmt.Errorf("%s: %w", t.file, err)
	}
	for _, f := range found {
		t.found = append(t.found, t.at(t.file, f))
	}
	for _, g := range fact.ByKind(reached.Difference(&t.change).Added) {
		for _, f := range g.Facts {
			t.reach = append(t.reach, report.Reached{File: t.file, Subject: t.subject, Fact: f})
		}
	}
	t.unit = nil // the unit is no longer needed, so free its memory
	return nil
}

// eachOf processes the elements of list in parallel, with a goroutine for each processor. Each goroutine calls worker
// once, and passes elements to the function that worker returns. The goroutines start the elements in order.
func eachOf[T any](list []T, worker func() func(T)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(list)) {
		wg.Go(func() {
			do := worker()
			for i := next.Add(1) - 1; i < int64(len(list)); i = next.Add(1) - 1 {
				do(list[i])
			}
		})
	}
	wg.Wait()
}

// lintCorpus contains the tools to compare each new tool with: the shipped tools, and the tools that this run has
// already read. It does not contain the live tools of a registry.
type lintCorpus struct {
	shipped       rules.Memory
	models        []*rules.Peer // the tools in shipped
	subjects      map[registry.Subject]*registry.Live
	peers         []*rules.Peer
	labels, tags  map[string][]int // indexes in peers, by the name of a tool and by its prefix
	text, purpose overlap.Index
}

// corpusSnapshot is a snapshot of a corpus. It contains the shipped tools and the first elements of lintCorpus.peers.
// The field peers is the number of these elements. The corpus must not grow while the snapshot is in use.
type corpusSnapshot struct {
	rules.Memory
	*lintCorpus
	peers int
}

var _ rules.World = corpusSnapshot{}

// ByLabel implements rules.World.
func (e corpusSnapshot) ByLabel(ctx context.Context, label string) ([]registry.Live, error) {
	found, err := e.Memory.ByLabel(ctx, label)
	return e.with(found, e.labels[label]), err
}

// ByTag implements rules.World.
func (e corpusSnapshot) ByTag(ctx context.Context, prefix string) ([]registry.Live, error) {
	found, err := e.Memory.ByTag(ctx, prefix)
	return e.with(found, e.tags[prefix]), err
}

// with appends the tools with the given indexes in lintCorpus.peers to list, except tools that are not in the snapshot.
func (e corpusSnapshot) with(list []registry.Live, peers []int) []registry.Live {
	for _, n := range peers {
		if n < e.peers {
			list = append(list, e.lintCorpus.peers[n].Live)
		}
	}
	return list
}

// Thresholds for the similarity of sketches, and the maximum number of similar tools.
const (
	peerText    = 0.4
	peerPurpose = 0.55
	maxPeers    = 20
)

// Alike implements rules.World.
func (e corpusSnapshot) Alike(_ context.Context, t *rules.Peer) ([]*rules.Peer, error) {
	text, purpose := t.Fingerprint().Sketches()
	texts, purposes := e.text.First(e.peers), e.purpose.First(e.peers)
	matches := slices.Concat(texts.Scan(text, peerText, maxPeers), purposes.Scan(purpose, peerPurpose, maxPeers))
	found := slices.Clone(e.models)
	seen := map[int64]bool{}
	for _, m := range matches {
		if !seen[m.ID] && len(seen) < maxPeers {
			seen[m.ID] = true
			found = append(found, e.lintCorpus.peers[m.ID])
		}
	}
	return found, nil
}
