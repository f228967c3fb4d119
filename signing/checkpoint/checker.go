package checkpoint

import (
	"errors"
	"fmt"
	"slices"

	"golang.org/x/mod/sumdb/tlog"
)

// Ways in which a log differs from a checkpoint of it.
var (
	ErrOtherLog = errors.New("checkpoint of another database")
	ErrShorter  = errors.New("the log lacks its end: it was cut off, or is an older copy")
	ErrHistory  = errors.New("log with another history")
)

// Checker holds checkpoints against a log while it is read. Events and calls are
// two sequences, and may be read at once.
type Checker struct {
	checkpoints []Checkpoint
	tree        Tree
	broken      error // where the events stopped being any
	genesis     string
	newest      Head
	roots       map[int64]tlog.Hash // by size, of the sizes that were reached
	calls       map[int64]string    // by place, of the places that were reached
	atSize      map[int64]bool      // to be looked at
	atCall      map[int64]bool
}

// NewChecker makes a checker of checkpoints, in any order.
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

// Resume has the checker begin after the events of a tree, whose first event has
// the hash genesis. It sees nothing of earlier sizes than the tree's.
func (c *Checker) Resume(tree Tree, genesis string) {
	c.tree, c.genesis = tree.clone(), genesis
	if c.atSize[tree.size] {
		c.roots[tree.size] = tree.Root()
	}
}

// Tree returns the tree of the events so far.
func (c *Checker) Tree() Tree { return c.tree.clone() }

// Event takes the hash of the next event. After one that is not a hash, no
// checkpoint is extended.
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

// Call takes the hash of a call, in any order.
func (c *Checker) Call(seq int64, hash string) {
	if seq > c.newest.Seq {
		c.newest = Head{seq, hash}
	}
	if c.atCall[seq] {
		c.calls[seq] = hash
	}
}

// Checkpoint returns the checkpoint of the events read, with the newest call.
func (c *Checker) Checkpoint() (Checkpoint, error) {
	if c.broken != nil {
		return Checkpoint{}, c.broken
	}
	cp := Checkpoint{Genesis: c.genesis, Size: c.tree.Size(), Root: c.tree.Root(), Calls: c.newest}
	_, err := Parse(cp.Text())
	return cp, err
}

// Result says of each checkpoint, in the order they were given, whether the log
// extends it: nil, or an error that wraps ErrOtherLog, ErrShorter or ErrHistory.
func (c *Checker) Result() []error {
	errs := make([]error, len(c.checkpoints))
	for i, cp := range c.checkpoints {
		errs[i] = c.result(cp)
	}
	return errs
}

func (c *Checker) result(cp Checkpoint) error {
	if c.broken != nil {
		return fmt.Errorf("%w: %w", ErrHistory, c.broken)
	}
	if c.genesis != cp.Genesis {
		return fmt.Errorf("%w: its first event is %.12s…, not %.12s…", ErrOtherLog, cp.Genesis, c.genesis)
	}
	root, reached := c.roots[cp.Size]
	switch {
	case !reached:
		return fmt.Errorf("%w: the checkpoint has %d events, the log %d", ErrShorter, cp.Size, c.tree.Size())
	case root != cp.Root:
		return fmt.Errorf("%w: its first %d events are not those of the checkpoint", ErrHistory, cp.Size)
	case cp.Calls == (Head{}):
		return nil
	}
	hash, reached := c.calls[cp.Calls.Seq]
	switch {
	case !reached:
		return fmt.Errorf("%w: call %d of the checkpoint is missing", ErrShorter, cp.Calls.Seq)
	case hash != cp.Calls.Hash:
		return fmt.Errorf("%w: call %d is not that of the checkpoint", ErrHistory, cp.Calls.Seq)
	}
	return nil
}
