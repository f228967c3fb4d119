package overlap

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// Version changes whenever the sketch of a text does: with the tokenizer or the
// hashed features. Sketches of different versions cannot be compared.
const Version = 1

// What stored sketches are refused for.
var (
	// ErrVersion reports that sketches were made by another version and must be
	// rebuilt from the definitions.
	ErrVersion = errors.New("sketches of another version")
	// ErrDamaged reports that bytes differ from those written.
	ErrDamaged = errors.New("damaged sketches")
)

// A stored index is one block or several, one after the other:
//
//	"ovl", the version (1 byte), the number n of entries (4 bytes),
//	n ids (8 bytes each), n sketches (64 bytes each)
//
// with all numbers in little-endian order. As blocks follow each other, an
// entry is added to a stored index by appending a block of one.
const (
	magic      = "ovl"
	headSize   = len(magic) + 1 + 4
	idSize     = 8
	sketchSize = sketchBits / 8
)

// AppendBinary appends x to b as one block. The error is always nil.
func (x *Index) AppendBinary(b []byte) ([]byte, error) {
	n := x.Len()
	b = slices.Grow(b, headSize+n*(idSize+sketchSize))
	b = append(b, magic...)
	b = append(b, Version)
	b = binary.LittleEndian.AppendUint32(b, uint32(n)) //nolint:gosec // no index is that large
	for _, each := range x.blocks {
		b = append(b, each.ids...)
	}
	for _, each := range x.blocks {
		b = append(b, each.sketches...)
	}
	return b, nil
}

// Load adds the entries of all blocks in b to x. It returns ErrVersion or
// ErrDamaged, in which case x is as before. x keeps b, which must not change.
func (x *Index) Load(b []byte) error {
	var blocks []block
	for len(b) > 0 {
		n, err := entries(b)
		if err != nil {
			return err
		}
		ids, sketches := headSize+n*idSize, headSize+n*(idSize+sketchSize)
		blocks = append(blocks, block{ids: b[headSize:ids], sketches: b[ids:sketches]})
		b = b[sketches:]
	}
	x.blocks, x.own = append(x.blocks, blocks...), false
	return nil
}

// entries returns how many entries the first block in b has, all of which are
// there.
func entries(b []byte) (int, error) {
	if len(b) < headSize || string(b[:len(magic)]) != magic {
		return 0, fmt.Errorf("%w: expected the start of a block", ErrDamaged)
	}
	if v := b[len(magic)]; v != Version {
		return 0, fmt.Errorf("%w: %d, not %d", ErrVersion, v, Version)
	}
	n := int64(binary.LittleEndian.Uint32(b[headSize-4:]))
	if int64(headSize)+n*(idSize+sketchSize) > int64(len(b)) {
		return 0, fmt.Errorf("%w: %d entries do not fit into %d bytes", ErrDamaged, n, len(b))
	}
	return int(n), nil
}

// AppendBinary appends s to b: the version (1 byte) and 64 bytes. The error is
// always nil.
func (s Sketch) AppendBinary(b []byte) ([]byte, error) {
	return s.appendWords(append(b, Version)), nil
}

func (s Sketch) appendWords(b []byte) []byte {
	for _, w := range s {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return b
}

// UnmarshalBinary reads what AppendBinary wrote. It returns ErrVersion or
// ErrDamaged.
func (s *Sketch) UnmarshalBinary(b []byte) error {
	switch {
	case len(b) > 0 && b[0] != Version:
		return fmt.Errorf("%w: %d, not %d", ErrVersion, b[0], Version)
	case len(b) != 1+sketchSize:
		return fmt.Errorf("%w: %d bytes, not %d", ErrDamaged, len(b), 1+sketchSize)
	}
	for i := range s {
		s[i] = binary.LittleEndian.Uint64(b[1+8*i:])
	}
	return nil
}
