// Package checkpoints publishes checkpoints of the event log. A checkpoint is a signed digest of the log. It is
// published to a location that people with write access to the database cannot modify, so it can reveal later changes
// to the log.
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
	"sync/atomic"
	"time"

	"golang.org/x/mod/sumdb/note"

	"toolcrib/history"
	"toolcrib/internal/atomicfile"
	"toolcrib/proposals"
	"toolcrib/signing/checkpoint"
)

// ErrNoKey indicates that no key for signing a checkpoint is available.
var ErrNoKey = errors.New("no key to sign checkpoints")

// ErrNotExtended indicates that the log does not extend the published checkpoint. The published checkpoint is then not
// replaced, because it is evidence of tampering.
var ErrNotExtended = errors.New("the log does not extend its published checkpoint")

// errMoved indicates that another process published a checkpoint after this process read the newest one.
var errMoved = errors.New("another checkpoint was published at the same time")

// Log provides read access to the event log and the call log.
type Log interface {
	// EventsAfter returns at most limit events with a sequence number greater than seq, oldest first.
	EventsAfter(ctx context.Context, seq int64, limit int) ([]history.Event, error)
	// CallHash returns the number and the hash of the call with the number seq or, if seq is 0, of the newest call. If
	// calls prune moved this call to a file, CallHash returns the number and the hash of the last moved call instead.
	// If the call does not exist, CallHash returns 0 and "".
	CallHash(ctx context.Context, seq int64) (int64, string, error)
}

// Each calls fn for each event with a sequence number greater than seq, in order. It stops at the first error and
// returns it.
func Each(ctx context.Context, log Log, seq int64, fn func(history.Event) error) error {
	const page = 1000
	for {
		events, err := log.EventsAfter(ctx, seq, page)
		if err != nil {
			return err
		}
		for _, e := range events {
			if err := fn(e); err != nil {
				return err
			}
			seq = e.Seq
		}
		if len(events) < page {
			return nil
		}
	}
}

// Target is a location for the published checkpoints of a log.
type Target interface {
	// Newest returns the newest published checkpoint, or nil if no checkpoint is published. readable reports whether
	// checkpoints can be read from the target.
	Newest(ctx context.Context) (signed []byte, readable bool, err error)
	// Publish publishes a signed checkpoint. newest is the checkpoint that Newest returned. If the target can be read
	// and another process has replaced this checkpoint, Publish returns errMoved.
	Publish(ctx context.Context, signed, newest []byte) error
}

// Publisher publishes checkpoints of a log. If several processes publish concurrently, the longest checkpoint remains
// in the target.
type Publisher struct {
	Log    Log
	To     string // name of the target
	Target func(genesis string) Target
	Signer note.Signer
	State  string // folder of the files that record the last publication
	Now    func() time.Time
}

// attempts is the number of times that Publish tries to publish a checkpoint if other processes publish at the same time.
const attempts = 5

// Publish publishes a checkpoint of the current log unless the target already contains this checkpoint. If the log does
// not extend the last published checkpoint, Publish returns ErrNotExtended. With restart, it publishes the checkpoint
// in this case, too.
func (p *Publisher) Publish(ctx context.Context, restart bool) error {
	var err error
	for range attempts {
		if err = p.publish(ctx, restart); !errors.Is(err, errMoved) {
			break
		}
	}
	return err
}

func (p *Publisher) publish(ctx context.Context, restart bool) error {
	kept, err := p.load(ctx)
	if err != nil {
		return err
	}
	target := p.Target(kept.genesis)
	there, _, err := target.Newest(ctx)
	if err != nil {
		return err
	}
	var published []checkpoint.Checkpoint
	if c, err := checkpoint.Read([]byte(kept.Note)); err == nil { // otherwise, all events are read again
		published = append(published, c)
	}
	missing := len(published) == 0 || kept.To != p.To
	if there != nil {
		c, err := checkpoint.Read(there)
		if err != nil {
			return fmt.Errorf("read the newest checkpoint of %s: %w", p.To, err)
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
	// If several processes write this file, the file may contain an older state afterward. In that case, the next
	// publication reads a few more events.
	return atomicfile.WriteJSON(p.file(kept.genesis), saved{To: p.To, Tree: tree, Last: last, Note: string(signed), At: p.Now().UTC()})
}

// read compares the log with the published checkpoints. It returns a checkpoint of the current log, the Merkle tree of
// the log, and the hash of the last event. It reads only the events that state.Tree does not contain. If a published
// checkpoint has fewer events than state.Tree, it reads all events.
func (p *Publisher) read(ctx context.Context, state saved, published []checkpoint.Checkpoint) (checkpoint.Checkpoint, checkpoint.Tree, string, error) {
	checker := checkpoint.NewChecker(published...)
	early := func(c checkpoint.Checkpoint) bool { return c.Size < state.Tree.Size() }
	if slices.ContainsFunc(published, early) {
		state = saved{}
	}
	var last history.Event
	err := Each(ctx, p.Log, max(state.Tree.Size()-1, 0), func(e history.Event) error { // verifies the hash of each event and its link to the previous event
		switch {
		case e.Sum() != e.Hash:
			return fmt.Errorf("%w: event %d does not match its stored hash", ErrNotExtended, e.Seq)
		case state.Tree.Size() > 0 && last.Seq == 0:
			if e.Seq != state.Tree.Size() || e.Hash != state.Last {
				return fmt.Errorf("%w: %w: event %d differs from the published checkpoint", ErrNotExtended, checkpoint.ErrHistory, e.Seq)
			}
			checker.Resume(state.Tree, state.genesis)
		case e.Seq != last.Seq+1 || e.PrevHash != last.Hash:
			return fmt.Errorf("%w: event %d does not follow event %d", ErrNotExtended, e.Seq, last.Seq)
		default:
			checker.Event(e.Hash)
		}
		last = e
		return nil
	})
	if err == nil && last.Seq < state.Tree.Size() {
		err = fmt.Errorf("%w: %w: fewer than %d events", ErrNotExtended, checkpoint.ErrShorter, state.Tree.Size())
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
	return now, checker.Tree(), last.Hash, err
}

// Status describes which part of the log is published.
type Status struct {
	Size      int64     // number of events in the newest checkpoint, or 0 before the first publication
	At        time.Time // time of publication
	Decisions int       // number of decisions that no published checkpoint contains
}

// Status returns the publication status as recorded on this machine. It does not contact the target.
func (p *Publisher) Status(ctx context.Context) (Status, error) {
	kept, err := p.load(ctx)
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

// Check returns an error if the target no longer contains the checkpoint that was published last. It returns nil if
// the target cannot be read.
func (p *Publisher) Check(ctx context.Context) error {
	kept, err := p.load(ctx)
	if err != nil || kept.To != p.To {
		return err
	}
	there, readable, err := p.Target(kept.genesis).Newest(ctx)
	if err != nil || !readable || kept.Note == "" {
		return err
	}
	c, err := checkpoint.Read(there)
	if err != nil || c.Size < kept.Tree.Size() {
		return fmt.Errorf("%w: %s no longer contains the published checkpoint of %d events", checkpoint.ErrShorter, p.To, kept.Tree.Size())
	}
	return nil
}

// saved is the stored result of a publication: the published checkpoint and the Merkle tree. With the tree, the next
// publication needs to read only new events.
type saved struct {
	To   string          `json:"to"`
	Tree checkpoint.Tree `json:"tree"`
	Last string          `json:"last"` // hash of the last event in Tree
	Note string          `json:"note"`
	At   time.Time       `json:"at"`

	genesis string // hash of the first event, which identifies the log
}

func (p *Publisher) file(genesis string) string { return filepath.Join(p.State, genesis+".json") }

// load returns the saved state of the log. Before the first publication, only the genesis field is set.
func (p *Publisher) load(ctx context.Context) (saved, error) {
	first, err := p.Log.EventsAfter(ctx, 0, 1)
	if err != nil {
		return saved{}, err
	}
	if len(first) == 0 || first[0].Seq != 1 {
		return saved{}, fmt.Errorf("%w: event 1 is missing", ErrNotExtended)
	}
	s := saved{genesis: first[0].Hash}
	text, err := os.ReadFile(p.file(s.genesis))
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return saved{}, err
	}
	if err := json.Unmarshal(text, &s); err != nil {
		return saved{}, fmt.Errorf("%s is not valid: %w; delete this file, and the next run reads the whole log again", p.file(s.genesis), err)
	}
	return s, nil
}

// Watch caches the publication status for screens, because reading the status would block them.
type Watch struct {
	Read  func(context.Context) (Status, error)
	stamp atomic.Int64
	now   atomic.Value // the Status of the last successful read, or empty before it
}

// Get returns the cached status.
func (w *Watch) Get() Status {
	now, _ := w.now.Load().(Status)
	return now
}

// Refresh reads the status and stores it in the cache. If an error occurs, the cache does not change.
func (w *Watch) Refresh(ctx context.Context) {
	if now, err := w.Read(ctx); err == nil {
		w.now.Store(now)
	}
}

// Changed reports whether the database has changed since the previous call. stamp identifies the current state of the
// database.
func (w *Watch) Changed(stamp int64) bool { return w.stamp.Swap(stamp) != stamp }
