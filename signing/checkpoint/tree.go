// This file computes the Merkle tree of a log.

package checkpoint

import (
	"encoding/hex"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"toolcrib/internal/lists"

	"golang.org/x/mod/sumdb/tlog"
)

// Log contains all hashes of a log's Merkle tree, about 64 bytes for each event.
type Log struct {
	size   int64
	hashes []tlog.Hash // indexed by tlog.StoredHashIndex
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

// ReadHashes implements tlog.HashReader.
func (l *Log) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	hashes := make([]tlog.Hash, len(indexes))
	for i, at := range indexes {
		if at < 0 || at >= int64(len(l.hashes)) {
			return nil, fmt.Errorf("%w: the log has %d events", ErrShorter, l.size)
		}
		hashes[i] = l.hashes[at]
	}
	return hashes, nil
}

// Tree is the Merkle tree of a log's events. It stores only the right edge of the tree,
// at most 63 hashes, which fits on a line of text and suffices to add further events.
// The zero value is the tree of an empty log.
type Tree struct {
	size int64
	edge []tlog.Hash // roots of the complete subtrees, largest first
}

// leaf returns the leaf hash of an event, which is computed from the 32 bytes of the
// event's hash.
func leaf(eventHash string) (tlog.Hash, error) {
	b, err := hex.DecodeString(eventHash)
	if err != nil || len(b) != tlog.HashSize {
		return tlog.Hash{}, fmt.Errorf("%w: %.80q is not the hash of an event", ErrMalformed, eventHash)
	}
	return tlog.RecordHash(b), nil
}

// Append adds the hash of the next event.
func (t *Tree) Append(eventHash string) error {
	h, err := leaf(eventHash)
	if err == nil {
		t.add(h)
	}
	return err
}

// add appends the leaf hash h.
func (t *Tree) add(h tlog.Hash) {
	for full := t.size; full&1 == 1; full >>= 1 {
		h = tlog.NodeHash(t.edge[len(t.edge)-1], h)
		t.edge = t.edge[:len(t.edge)-1]
	}
	t.edge = append(t.edge, h)
	t.size++
}

func (t Tree) clone() Tree { return Tree{t.size, slices.Clone(t.edge)} }

// Size returns the number of events.
func (t *Tree) Size() int64 { return t.size }

// Root returns the root hash of the tree.
func (t *Tree) Root() tlog.Hash {
	if t.size == 0 {
		empty, _ := tlog.TreeHash(0, nil) // TreeHash does not use the reader for an empty tree
		return empty
	}
	h := t.edge[len(t.edge)-1]
	for i := len(t.edge) - 2; i >= 0; i-- {
		h = tlog.NodeHash(t.edge[i], h)
	}
	return h
}

// MarshalText implements encoding.TextMarshaler. It writes the size and the right
// edge.
func (t Tree) MarshalText() ([]byte, error) {
	fields := append([]string{strconv.FormatInt(t.size, 10)}, lists.Map(t.edge, tlog.Hash.String)...)
	return []byte(strings.Join(fields, " ")), nil
}

// UnmarshalText implements encoding.TextUnmarshaler. It cannot verify that the hashes
// belong to a log.
func (t *Tree) UnmarshalText(text []byte) error {
	fields := strings.Split(string(text), " ")
	size, err := strconv.ParseInt(fields[0], 10, 64)
	if err != nil || size < 0 || bits.OnesCount64(uint64(size)) != len(fields)-1 {
		return fmt.Errorf("%w: the size does not match the number of hashes", ErrMalformed)
	}
	read := Tree{size: size}
	for _, field := range fields[1:] {
		h, err := tlog.ParseHash(field)
		if err != nil {
			return fmt.Errorf("%w: invalid hash: %w", ErrMalformed, err)
		}
		read.edge = append(read.edge, h)
	}
	*t = read
	return nil
}
