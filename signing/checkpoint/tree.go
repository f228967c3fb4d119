package checkpoint

import (
	"encoding/hex"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

// Tree is the Merkle tree over the hashes of a log's events. It keeps its right
// edge only, at most 63 hashes, so that it is saved in a line and goes on from
// there. The zero value is the tree of an empty log.
type Tree struct {
	size int64
	edge []tlog.Hash // heads of the complete subtrees, the largest first
}

// leaf returns the hash of the tree's leaf for an event: over the 32 bytes of the
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
	if err != nil {
		return err
	}
	for full := t.size; full&1 == 1; full >>= 1 {
		h = tlog.NodeHash(t.edge[len(t.edge)-1], h)
		t.edge = t.edge[:len(t.edge)-1]
	}
	t.edge = append(t.edge, h)
	t.size++
	return nil
}

func (t Tree) clone() Tree { return Tree{t.size, slices.Clone(t.edge)} }

// Size returns the number of events.
func (t *Tree) Size() int64 { return t.size }

// Root returns the head of the tree.
func (t *Tree) Root() tlog.Hash {
	if t.size == 0 {
		empty, _ := tlog.TreeHash(0, nil) // reads nothing
		return empty
	}
	h := t.edge[len(t.edge)-1]
	for i := len(t.edge) - 2; i >= 0; i-- {
		h = tlog.NodeHash(t.edge[i], h)
	}
	return h
}

// MarshalText writes the size and the edge.
func (t *Tree) MarshalText() ([]byte, error) {
	fields := []string{strconv.FormatInt(t.size, 10)}
	for _, h := range t.edge {
		fields = append(fields, h.String())
	}
	return []byte(strings.Join(fields, " ")), nil
}

// UnmarshalText reads what MarshalText writes. Whether it is the tree of a log is
// seen only by building that again.
func (t *Tree) UnmarshalText(text []byte) error {
	fields := strings.Split(string(text), " ")
	size, err := strconv.ParseInt(fields[0], 10, 64)
	if err != nil || size < 0 || bits.OnesCount64(uint64(size)) != len(fields)-1 {
		return fmt.Errorf("%w: its size and hashes do not form a tree", ErrMalformed)
	}
	read := Tree{size: size}
	for _, field := range fields[1:] {
		h, err := tlog.ParseHash(field)
		if err != nil {
			return fmt.Errorf("%w: a hash of its tree: %w", ErrMalformed, err)
		}
		read.edge = append(read.edge, h)
	}
	*t = read
	return nil
}
