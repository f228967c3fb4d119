package checkpoint

import (
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"
)

// ErrProof is wrapped when a proof is invalid.
var ErrProof = errors.New("invalid proof")

// Log keeps every hash of the tree over a log, about 64 bytes for an event, to
// prove things about it.
type Log struct {
	size   int64
	hashes []tlog.Hash // by tlog.StoredHashIndex
}

// Append adds the hash of the next event.
func (l *Log) Append(eventHash string) error {
	h, err := leaf(eventHash)
	if err != nil {
		return err
	}
	hashes, err := tlog.StoredHashesForRecordHash(l.size, h, l)
	if err != nil {
		return err
	}
	l.hashes = append(l.hashes, hashes...)
	l.size++
	return nil
}

// ReadHashes is for tlog.
func (l *Log) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	hashes := make([]tlog.Hash, len(indexes))
	for i, at := range indexes {
		if at < 0 || at >= int64(len(l.hashes)) {
			return nil, l.short(l.size + 1)
		}
		hashes[i] = l.hashes[at]
	}
	return hashes, nil
}

func (l *Log) short(size int64) error {
	return fmt.Errorf("%w: the log has %d events, not %d", ErrProof, l.size, size)
}

// ProveEvent proves that the log of a checkpoint of size events has its event
// seq, which is counted from 1.
func (l *Log) ProveEvent(size, seq int64) (tlog.RecordProof, error) {
	if size > l.size {
		return nil, l.short(size)
	}
	proof, err := tlog.ProveRecord(size, seq-1, l)
	if err != nil {
		return nil, fmt.Errorf("%w: event %d of %d: %w", ErrProof, seq, size, err)
	}
	return proof, nil
}

// CheckEvent returns nil when a proof shows that the log of c has an event with a
// hash at seq.
func (c Checkpoint) CheckEvent(seq int64, eventHash string, proof tlog.RecordProof) error {
	h, err := leaf(eventHash)
	if err != nil {
		return err
	}
	if err := tlog.CheckRecord(proof, c.Size, c.Root, seq-1, h); err != nil {
		return fmt.Errorf("%w: event %d of %d: %w", ErrProof, seq, c.Size, err)
	}
	return nil
}

// ProveGrowth proves that the log with size events begins with its first old
// events.
func (l *Log) ProveGrowth(size, old int64) (tlog.TreeProof, error) {
	if size > l.size {
		return nil, l.short(size)
	}
	proof, err := tlog.ProveTree(size, old, l)
	if err != nil {
		return nil, fmt.Errorf("%w: %d events after %d: %w", ErrProof, size, old, err)
	}
	return proof, nil
}

// CheckGrowth returns nil when a proof shows that the log of c is that of an
// earlier checkpoint, with what came after.
func (c Checkpoint) CheckGrowth(old Checkpoint, proof tlog.TreeProof) error {
	if c.Genesis != old.Genesis {
		return fmt.Errorf("%w: they are checkpoints of two logs", ErrProof)
	}
	if err := tlog.CheckTree(proof, c.Size, c.Root, old.Size, old.Root); err != nil {
		return fmt.Errorf("%w: %d events after %d: %w", ErrProof, c.Size, old.Size, err)
	}
	return nil
}
