// Package checkpoints publishes checkpoints of the log to a place out of reach of
// those who can write to the database.
package checkpoints

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"golang.org/x/mod/sumdb/note"

	"toolcrib/history"
	"toolcrib/internal/atomicfile"
	"toolcrib/proposals"
	"toolcrib/signing/checkpoint"
)

// ErrNoKey is wrapped when no key to sign a checkpoint is available.
var ErrNoKey = errors.New("no key")

// ErrNotExtended is wrapped when the log does not extend the published checkpoint. The published checkpoint is not
// replaced, because it is the evidence.
var ErrNotExtended = errors.New("the log does not extend its published checkpoint")

// errMoved is wrapped by a target when another process has published there in the meantime.
var errMoved = errors.New("another checkpoint was published at the same time")

// Log is the log that checkpoints are about.
type Log interface {
	// EventsAfter returns the next events, the oldest first.
	EventsAfter(ctx context.Context, after int64, limit int) ([]history.Event, error)
	// CallHash returns the hash of a call, the newest one for 0, and its number; 0 and ""
	// where there is none. Instead of a call that was moved to a file, it returns the last
	// one that was.
	CallHash(ctx context.Context, seq int64) (int64, string, error)
}

// Each calls fn for every event of a log after one, in their order.
func Each(ctx context.Context, log Log, after int64, fn func(history.Event) error) error {
	const page = 1000
	for {
		events, err := log.EventsAfter(ctx, after, page)
		if err != nil {
			return err
		}
		for _, e := range events {
			if err := fn(e); err != nil {
				return err
			}
			after = e.Seq
		}
		if len(events) < page {
			return nil
		}
	}
}

// Target is a place where checkpoints are published, for one log.
type Target interface {
	// Newest returns the newest published checkpoint, or nil if none exists. readable is false if the target cannot be
	// read.
	Newest(ctx context.Context) (signed []byte, readable bool, err error)
	// Publish publishes a checkpoint. newest is the signed checkpoint that Newest returned.
	Publish(ctx context.Context, signed, newest []byte) error
}

// Publisher publishes checkpoints of one log. Several processes may publish at
// once: a target takes the longest.
type Publisher struct {
	Log    Log
	To     string // names the target
	Target func(genesis string) Target
	Signer note.Signer
	State  string // the folder with the published checkpoints
	Now    func() time.Time
}

// attempts bounds how often others may publish first.
const attempts = 5

// Publish publishes a checkpoint of the present log, unless it is published
// already. With restart set, the log need not extend the checkpoint published
// last.
func (p *Publisher) Publish(ctx context.Context, restart bool) error {
	genesis, err := p.genesis(ctx)
	if err != nil {
		return err
	}
	target := p.Target(genesis)
	for range attempts {
		if err = p.publish(ctx, genesis, target, restart); !errors.Is(err, errMoved) {
			return err
		}
	}
	return err
}

func (p *Publisher) publish(ctx context.Context, genesis string, target Target, restart bool) error {
	kept, err := p.load(genesis)
	if err != nil {
		return err
	}
	there, _, err := target.Newest(ctx)
	if err != nil {
		return err
	}
	published := kept.published()
	missing := len(published) == 0 || kept.To != p.To
	if there != nil {
		c, err := checkpoint.Read(there)
		if err != nil {
			return fmt.Errorf("the newest checkpoint of %s: %w", p.To, err)
		}
		missing = missing || c != published[0]
		published = append(published, c)
	}
	from := kept
	if restart {
		from, published = saved{}, nil
	}
	now, tree, last, err := p.read(ctx, from, published)
	if err != nil {
		return err
	}
	if !missing && slices.Contains(published, now) {
		return nil
	}
	signed, err := checkpoint.Sign(now, p.Signer)
	if err != nil {
		return err
	}
	if err := target.Publish(ctx, signed, there); err != nil {
		return err
	}
	// The last of several processes wins, even with an older state; the next publication then reads a little more.
	return atomicfile.WriteJSON(p.file(genesis), saved{To: p.To, Tree: tree, Last: last, Note: string(signed), At: p.Now().UTC()})
}

// read reads the events after the saved ones, or all when a published checkpoint
// has fewer than these, and compares the log with the published checkpoints.
func (p *Publisher) read(ctx context.Context, from saved, published []checkpoint.Checkpoint) (checkpoint.Checkpoint, checkpoint.Tree, string, error) {
	checker := checkpoint.NewChecker(published...)
	early := func(c checkpoint.Checkpoint) bool { return c.Size < from.Tree.Size() }
	if slices.ContainsFunc(published, early) {
		from = saved{}
	}
	chain := chain{checker: checker, resumed: from}
	err := Each(ctx, p.Log, max(from.Tree.Size()-1, 0), chain.event)
	if err == nil && chain.last.Seq < from.Tree.Size() {
		err = fmt.Errorf("%w: %w: fewer than %d events", ErrNotExtended, checkpoint.ErrShorter, from.Tree.Size())
	}
	calls := []int64{0}
	for _, c := range published {
		calls = append(calls, c.Calls.Seq)
	}
	for _, seq := range calls {
		call, hash, failed := p.Log.CallHash(ctx, seq)
		switch err = cmp.Or(err, failed); {
		case seq > 0 && call > seq:
			checker.Moved(call, hash)
		case call > 0:
			checker.Call(call, hash)
		}
	}
	if err != nil {
		return checkpoint.Checkpoint{}, checkpoint.Tree{}, "", err
	}
	if err := errors.Join(checker.Result()...); err != nil {
		return checkpoint.Checkpoint{}, checkpoint.Tree{}, "", fmt.Errorf("%w: %w", ErrNotExtended, err)
	}
	now, err := checker.Checkpoint()
	return now, checker.Tree(), chain.last.Hash, err
}

// chain verifies events as they are read: each seal, and the link of each event to the previous one.
type chain struct {
	checker *checkpoint.Checker
	resumed saved
	last    history.Event
}

func (c *chain) event(e history.Event) error {
	switch before := c.last; {
	case e.Sum() != e.Hash:
		return fmt.Errorf("%w: event %d does not have the hash that it is stored with", ErrNotExtended, e.Seq)
	case c.resumed.Tree.Size() > 0 && before.Seq == 0:
		if e.Seq != c.resumed.Tree.Size() || e.Hash != c.resumed.Last {
			return fmt.Errorf("%w: %w: event %d is another one", ErrNotExtended, checkpoint.ErrHistory, e.Seq)
		}
		c.checker.Resume(c.resumed.Tree, c.resumed.genesis)
	case e.Seq != before.Seq+1 || e.PrevHash != before.Hash:
		return fmt.Errorf("%w: event %d does not follow event %d", ErrNotExtended, e.Seq, before.Seq)
	default:
		c.checker.Event(e.Hash)
	}
	c.last = e
	return nil
}

func (p *Publisher) genesis(ctx context.Context) (string, error) {
	first, err := p.Log.EventsAfter(ctx, 0, 1)
	if err != nil {
		return "", err
	}
	if len(first) == 0 || first[0].Seq != 1 {
		return "", fmt.Errorf("%w: its first event is missing", ErrNotExtended)
	}
	return first[0].Hash, nil
}

// Status is how far publication has come.
type Status struct {
	Size      int64     // events of the newest checkpoint, or 0 without one
	At        time.Time // when it was published
	Decisions int       // that no published checkpoint has
}

// Status returns how far publication has come, by the saved state.
func (p *Publisher) Status(ctx context.Context) (Status, error) {
	genesis, err := p.genesis(ctx)
	if err != nil {
		return Status{}, err
	}
	kept, err := p.load(genesis)
	if err != nil {
		return Status{}, err
	}
	if kept.To != p.To {
		kept = saved{}
	}
	s := Status{Size: kept.Tree.Size(), At: kept.At}
	err = Each(ctx, p.Log, s.Size, func(e history.Event) error {
		if proposals.Act(e.Act).Decides() {
			s.Decisions++
		}
		return nil
	})
	return s, err
}

// Check returns an error when the target has lost a published checkpoint.
func (p *Publisher) Check(ctx context.Context) error {
	genesis, err := p.genesis(ctx)
	if err != nil {
		return err
	}
	kept, err := p.load(genesis)
	if err != nil || kept.To != p.To {
		return err
	}
	there, readable, err := p.Target(genesis).Newest(ctx)
	if err != nil || !readable || kept.Note == "" {
		return err
	}
	c, err := checkpoint.Read(there)
	if err != nil || c.Size < kept.Tree.Size() {
		return fmt.Errorf("%w: %s no longer contains the published checkpoint of %d events", checkpoint.ErrShorter, p.To, kept.Tree.Size())
	}
	return nil
}

// saved is the last published checkpoint, with the tree to go on from: the next
// publication reads new events only.
type saved struct {
	To   string          `json:"to"`
	Tree checkpoint.Tree `json:"tree"`
	Last string          `json:"last"` // hash of the last event of the tree
	Note string          `json:"note"`
	At   time.Time       `json:"at"`

	genesis string
}

// published returns the published checkpoint. If it cannot be read, published returns none, and all events are read
// again.
func (s saved) published() []checkpoint.Checkpoint {
	c, err := checkpoint.Read([]byte(s.Note))
	if err != nil {
		return nil
	}
	return []checkpoint.Checkpoint{c}
}

func (p *Publisher) file(genesis string) string { return filepath.Join(p.State, genesis+".json") }

// load returns the state of publishing a log, empty when that was to another
// target.
func (p *Publisher) load(genesis string) (saved, error) {
	text, err := os.ReadFile(p.file(genesis))
	if errors.Is(err, fs.ErrNotExist) {
		return saved{genesis: genesis}, nil
	}
	if err != nil {
		return saved{}, err
	}
	s := saved{genesis: genesis}
	if err := json.Unmarshal(text, &s); err != nil {
		return saved{}, fmt.Errorf("%s: %w; remove it, and the next run reads the whole log", p.file(genesis), err)
	}
	return s, nil
}

// Watch keeps how far publication has come, for a screen that does not wait.
type Watch struct {
	Read  func(context.Context) (Status, error)
	mu    sync.Mutex
	stamp int64
	now   Status
}

// Get returns the last known status.
func (w *Watch) Get() Status {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

// Refresh reads the state again. If that fails, the previous state stays.
func (w *Watch) Refresh(ctx context.Context) {
	now, err := w.Read(ctx)
	if err != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = now
}

// Changed reports whether a stamp of the database differs from the last one.
func (w *Watch) Changed(stamp int64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	before := w.stamp
	w.stamp = stamp
	return stamp != before
}
