package checkpoint

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

// ErrProof is returned for invalid proofs.
var ErrProof = errors.New("invalid proof")

// Log has all hashes of a log's Merkle tree, about 64 bytes for each event, and
// makes proofs from them.
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
	return l.add(h)
}

// add adds a leaf.
func (l *Log) add(h tlog.Hash) error {
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
			return nil, l.short(l.size + 1)
		}
		hashes[i] = l.hashes[at]
	}
	return hashes, nil
}

func (l *Log) short(size int64) error {
	return fmt.Errorf("%w: the log has %d events, but the proof needs %d", ErrProof, l.size, size)
}

// ProveEvent returns a proof that the log contains event seq (counted from 1) at a
// checkpoint of size events.
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

// CheckEvent verifies a proof that event seq of the log of c has the given hash.
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

// ProveGrowth returns a proof that the log with size events extends the log with
// old events.
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

// CheckGrowth verifies a proof that the log of c extends the log of an earlier
// checkpoint.
func (c Checkpoint) CheckGrowth(old Checkpoint, proof tlog.TreeProof) error {
	if c.Genesis != old.Genesis {
		return fmt.Errorf("%w: the checkpoints belong to different logs", ErrProof)
	}
	if err := tlog.CheckTree(proof, c.Size, c.Root, old.Size, old.Root); err != nil {
		return fmt.Errorf("%w: %d events after %d: %w", ErrProof, c.Size, old.Size, err)
	}
	return nil
}

// The first lines of proof files. An inclusion proof is a C2SP tlog-proof without
// extra data; a consistency proof has the form that a C2SP tlog-witness receives.
const (
	inclusionFormat = "c2sp.org/tlog-proof@v1"
	indexLine       = "index "
	oldLine         = "old "
)

// Proof is a proof together with its checkpoint.
type Proof struct {
	Event  int64 // proves inclusion of this event, counted from 1; or
	Old    int64 // proves consistency with a checkpoint of this size
	Hashes []tlog.Hash
	Signed []byte // the signed checkpoint
}

// Encode returns the proof as the text of a proof file.
func (p Proof) Encode() []byte {
	var b bytes.Buffer
	if p.Event > 0 {
		fmt.Fprintf(&b, "%s\n%s%d\n", inclusionFormat, indexLine, p.Event-1)
	} else {
		fmt.Fprintf(&b, "%s%d\n", oldLine, p.Old)
	}
	for _, h := range p.Hashes {
		fmt.Fprintln(&b, h)
	}
	b.WriteByte('\n')
	b.Write(p.Signed)
	return b.Bytes()
}

// DecodeProof parses the output of Encode. It accepts nothing else and verifies no
// signature.
func DecodeProof(text []byte) (Proof, error) {
	var p Proof
	head, signed, _ := strings.Cut(string(text), "\n\n")
	lines := strings.Split(head, "\n")
	rest := lines[1:]
	var err error
	if old, ok := strings.CutPrefix(lines[0], oldLine); ok {
		p.Old, err = strconv.ParseInt(old, 10, 64)
	} else if lines[0] == inclusionFormat && len(rest) > 0 {
		var index int64
		index, err = strconv.ParseInt(strings.TrimPrefix(rest[0], indexLine), 10, 64)
		p.Event, rest = index+1, rest[1:]
	}
	for _, line := range rest {
		h, parseErr := tlog.ParseHash(line)
		if parseErr != nil {
			return Proof{}, fmt.Errorf("%w: %.80q is not a hash", ErrMalformed, line)
		}
		p.Hashes = append(p.Hashes, h)
	}
	p.Signed = []byte(signed)
	if err != nil || p.Event < 1 && p.Old < 1 || !bytes.Equal(p.Encode(), text) {
		return Proof{}, fmt.Errorf("%w: expected a tlog-proof or an old size, hashes, an empty line and a checkpoint", ErrMalformed)
	}
	return p, nil
}

// Tree is the Merkle tree over the hashes of a log's events. It keeps only its
// right edge, at most 63 hashes, so that it can be saved in one line and extended
// later. The zero value is the tree of an empty log.
type Tree struct {
	size int64
	edge []tlog.Hash // roots of the complete subtrees, largest first
}

// leaf returns the leaf hash for an event, computed over the 32 bytes of the
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

// add adds a leaf.
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
		empty, _ := tlog.TreeHash(0, nil) // does not use its reader
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
	fields := []string{strconv.FormatInt(t.size, 10)}
	for _, h := range t.edge {
		fields = append(fields, h.String())
	}
	return []byte(strings.Join(fields, " ")), nil
}

// UnmarshalText implements encoding.TextUnmarshaler. It cannot check that the
// hashes belong to a log.
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
