package checkpoint

import (
	"errors"
	"fmt"
	"slices"

	"golang.org/x/mod/sumdb/tlog"
)

// How a log differs from a checkpoint of it.
var (
	ErrOtherLog = errors.New("checkpoint of another database")
	ErrShorter  = errors.New("log without its end: a tail was removed, or it is an older copy")
	ErrHistory  = errors.New("log with another history")
)

// Checker holds checkpoints against a log while it is read. Events and calls are
// two sequences, and may be read at once.
type Checker struct {
	checkpoints []Checkpoint
	tree        Tree
	genesis     string
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

// Event takes the hash of the next event.
func (c *Checker) Event(hash string) error {
	if err := c.tree.Append(hash); err != nil {
		return err
	}
	size := c.tree.Size()
	if size == 1 {
		c.genesis = hash
	}
	if c.atSize[size] {
		c.roots[size] = c.tree.Root()
	}
	return nil
}

// Call takes the hash of a call, in any order.
func (c *Checker) Call(seq int64, hash string) {
	if c.atCall[seq] {
		c.calls[seq] = hash
	}
}

// Tree returns the tree over the events so far, to make a checkpoint of.
func (c *Checker) Tree() *Tree { return &c.tree }

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
