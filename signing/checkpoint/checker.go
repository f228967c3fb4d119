// This file verifies that a log extends checkpoints.

package checkpoint

import (
	"errors"
	"fmt"
	"slices"

	"toolcrib/internal/lists"

	"golang.org/x/mod/sumdb/tlog"
)

// Reasons why a log does not extend a checkpoint.
var (
	ErrOtherLog = errors.New("the checkpoint belongs to another database")
	ErrShorter  = errors.New("the log is shorter than the checkpoint, because it was truncated or is an older copy")
	ErrHistory  = errors.New("the log and the checkpoint have different histories")
)

// Checker verifies that a log extends checkpoints, while the caller reads the log. Events and calls are separate
// sequences. The caller can add events and calls in any order relative to each other.
type Checker struct {
	checkpoints []Checkpoint
	tree        Tree
	broken      error // error of the first invalid event
	genesis     string
	newest      Head
	moved       int64               // sequence number of the newest call that was moved to a file
	roots       map[int64]tlog.Hash // root hashes by number of events, for the numbers in atSize
	calls       map[int64]string    // hashes of calls by sequence number, for the numbers in atCall
	atSize      map[int64]bool      // numbers of events in the checkpoints
	atCall      map[int64]bool      // sequence numbers of the newest calls in the checkpoints
}

// NewChecker returns a Checker for the given checkpoints, which may be in any order.
func NewChecker(checkpoints ...Checkpoint) *Checker {
	c := &Checker{
		checkpoints: slices.Clone(checkpoints), roots: map[int64]tlog.Hash{}, calls: map[int64]string{},
		atSize: map[int64]bool{}, atCall: map[int64]bool{},
	}
	for _, cp := range checkpoints {
		c.atSize[cp.Size], c.atCall[cp.Calls.Seq] = true, true
	}
	return c
}

// Resume prepares c for a log that was partly read before. tree is the Merkle tree of the earlier events, and
// genesis is the hash of the first event. Checkpoints with fewer events than the tree then fail with ErrShorter.
func (c *Checker) Resume(tree Tree, genesis string) {
	c.tree, c.genesis = tree.clone(), genesis
	if c.atSize[tree.size] {
		c.roots[tree.size] = tree.Root()
	}
}

// Tree returns the tree of all events up to now.
func (c *Checker) Tree() Tree { return c.tree.clone() }

// Event adds the hash of the next event. After an invalid hash, all checkpoints fail.
func (c *Checker) Event(hash string) {
	if c.broken == nil {
		c.broken = c.tree.Append(hash)
	}
	if c.broken != nil {
		return
	}
	size := c.tree.Size()
	if size == 1 {
		c.genesis = hash
	}
	if c.atSize[size] {
		c.roots[size] = c.tree.Root()
	}
}

// Call adds the hash of the call with the sequence number seq. Calls may be added in any order.
func (c *Checker) Call(seq int64, hash string) {
	if seq > c.newest.Seq {
		c.newest = Head{seq, hash}
	}
	if c.atCall[seq] {
		c.calls[seq] = hash
	}
}

// Moved adds the newest of the calls that were moved from the log to a file. Earlier calls in this file are unknown
// unless the caller reads the file and adds them; see Unproven.
func (c *Checker) Moved(seq int64, hash string) {
	if seq > 0 {
		c.Call(seq, hash)
		c.moved = seq
	}
}

// Unproven reports whether the newest call in cp cannot be verified, because the call was moved to a file and the
// caller did not add it.
func (c *Checker) Unproven(cp Checkpoint) bool {
	_, read := c.calls[cp.Calls.Seq]
	return !read && cp.Calls.Seq > 0 && cp.Calls.Seq <= c.moved
}

// Checkpoint returns a checkpoint of all events and calls up to now.
func (c *Checker) Checkpoint() (Checkpoint, error) {
	if c.broken != nil {
		return Checkpoint{}, c.broken
	}
	cp := Checkpoint{Genesis: c.genesis, Size: c.tree.Size(), Root: c.tree.Root(), Calls: c.newest}
	_, err := Parse(cp.Text())
	return cp, err
}

// Result returns an error for each checkpoint, in the order of NewChecker. The error is
// nil if the log extends the checkpoint. Otherwise it wraps ErrOtherLog, ErrShorter, or
// ErrHistory.
func (c *Checker) Result() []error {
	return lists.Map(c.checkpoints, c.result)
}

func (c *Checker) result(cp Checkpoint) error {
	if c.broken != nil {
		return fmt.Errorf("%w: %w", ErrHistory, c.broken)
	}
	if c.genesis != cp.Genesis {
		return fmt.Errorf("%w: its first event is %.12s…, but the first event of the log is %.12s…", ErrOtherLog, cp.Genesis, c.genesis)
	}
	root, reached := c.roots[cp.Size]
	switch {
	case !reached:
		return fmt.Errorf("%w: the checkpoint has %d events, the log %d", ErrShorter, cp.Size, c.tree.Size())
	case root != cp.Root:
		return fmt.Errorf("%w: the first %d events differ", ErrHistory, cp.Size)
	case cp.Calls == (Head{}), c.Unproven(cp):
		return nil
	}
	hash, reached := c.calls[cp.Calls.Seq]
	switch {
	case !reached:
		return fmt.Errorf("%w: call %d of the checkpoint is missing", ErrShorter, cp.Calls.Seq)
	case hash != cp.Calls.Hash:
		return fmt.Errorf("%w: call %d differs", ErrHistory, cp.Calls.Seq)
	}
	return nil
}
