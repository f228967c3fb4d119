// This file computes, stores, and loads sketches.

package overlap

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// Sketch represents a set in 512 bits. The more similar two sets are, the more bits of their
// sketches agree. The zero Sketch represents the empty set, which is not similar to any set.
//
// Each bit is a sample of the set: the lowest bit of the smallest hash in a bin (b-bit minwise hashing with b = 1: P.
// Li, A. C. König, b-Bit minwise hashing, WWW 2010). Two samples are equal with probability J, the resemblance of the
// sets. Different samples agree in their lowest bit with probability 1/2. Therefore, (1+J)/2 of the bits are expected
// to agree.
//
// One bit of each of 512 samples is better than two bits of 256 samples or four bits of 128
// samples: its estimates have the smallest variance for J above about 0.4, and two sketches can be
// compared with eight operations on words and without masks.
//
// The samples are taken by fast similarity sketching (S. Dahlgaard, M. Knudsen, M. Thorup, Fast
// similarity sketching, FOCS 2017). Each round puts every element into a random bin, and rounds are
// repeated until no bin is empty. A large set usually needs one round instead of 512 hash
// functions. The samples of a small set are as good as those of 512 hash functions.
type Sketch [sketchWords]uint64

const (
	sketchWords = 8
	sketchBits  = 64 * sketchWords

	// throws is the maximum number of rounds that put the elements into random bins. After these
	// rounds, each bin that is still empty is filled separately. This ensures that the algorithm
	// terminates for a set with a single element, and for a set that was constructed to leave a bin
	// empty.
	throws = 64

	golden = 0x9e3779b97f4a7c15
)

// newSketch returns the sketch of the set of hashes. The argument may contain duplicates, and
// newSketch may reorder it.
func newSketch(set []uint64) Sketch {
	var s Sketch
	if len(set) == 0 {
		return s
	}
	var smallest [sketchBits]uint64 // smallest hash of each bin in this round; 0 for a bin that already has its sample
	for i := range smallest {
		smallest[i] = math.MaxUint64
	}
	empty := sketchBits
	take := func(bin int) {
		s[bin/64] |= (smallest[bin] & 1) << (bin % 64)
		smallest[bin] = 0
		empty--
	}
	var hit [sketchBits]uint16 // bins that received an element in this round
	for round := uint64(1); round <= throws && empty > 0; round++ {
		if round == 2 { // remove duplicates only now; a large set that leaves bins empty has many
			slices.Sort(set)
			set = slices.Compact(set)
		}
		hits := 0
		for _, element := range set {
			h := mix(element + round*golden)
			bin := h % sketchBits
			if smallest[bin] == math.MaxUint64 {
				hit[hits] = uint16(bin)
				hits++
			}
			smallest[bin] = min(smallest[bin], h/sketchBits)
		}
		for _, bin := range hit[:hits] {
			take(int(bin))
		}
	}
	for bin := range smallest {
		if smallest[bin] == 0 {
			continue
		}
		for _, element := range set {
			h := mix(element + (throws+1+uint64(bin))*golden)
			smallest[bin] = min(smallest[bin], h/sketchBits)
		}
		take(bin)
	}
	return s
}

// IsZero reports whether s is the sketch of the empty set.
func (s Sketch) IsZero() bool { return s == Sketch{} }

// resemblance returns the unbiased estimate 2·agreeing/512 - 1 for the given number of differing
// bits, or 0 if the estimate is negative. See deviation for the standard deviation of the estimate.
func resemblance(differing int) float64 {
	return max(0, 1-2*float64(differing)/sketchBits)
}

// deviation returns the standard deviation of the estimate for two sets with resemblance j. It is the standard
// deviation of 512 coin tosses, for example 0.041 for j = 0.4 and 0.031 for j = 0.7. For sets of a few hundred
// elements, the actual deviation is smaller, because no element is drawn twice.
func deviation(j float64) float64 {
	p := (1 + j) / 2
	return 2 * math.Sqrt(p*(1-p)/sketchBits)
}

// Set contains the word shingles of a text, or the content words of a purpose, for an exact
// comparison. It consists of distinct hashes in ascending order.
type Set []uint64

// TextSet returns the word shingles of texts. No shingle extends over two texts.
func TextSet(texts ...string) Set { return newSet(shingles(texts)) }

// shingles returns the hash of each sequence of shingleWords words in each text. The result may
// contain duplicates. A text with fewer words is a single shingle.
func shingles(texts []string) []uint64 {
	size := 0
	for _, text := range texts {
		size += len(text)
	}
	hashes := make([]uint64, 0, size/6+len(texts)) // on average, a word and a space have 6 bytes
	for _, text := range texts {
		var a, b uint64
		n := 0
		words(text, func(w word) {
			n++
			c := hash(w.folded)
			if n >= shingleWords {
				hashes = append(hashes, shingle(a, b, c))
			}
			a, b = b, c
		})
		if n > 0 && n < shingleWords {
			hashes = append(hashes, shingle(0, a, b))
		}
	}
	return hashes
}

func newSet(hashes []uint64) Set {
	slices.Sort(hashes)
	return slices.Compact(hashes)
}

// Sketch returns the sketch of s.
func (s Set) Sketch() Sketch { return newSketch(s) }

// shared returns the number of elements in both s and t.
func (s Set) shared(t Set) int {
	n := 0
	for len(s) > 0 && len(t) > 0 {
		switch {
		case s[0] < t[0]:
			s = s[1:]
		case s[0] > t[0]:
			t = t[1:]
		default:
			n++
			s, t = s[1:], t[1:]
		}
	}
	return n
}

// filter is a set with a Bloom filter, which quickly rules out most elements that the set does not
// contain.
type filter struct {
	set  Set
	bits []uint64
}

func (s Set) filter() filter {
	f := filter{s, make([]uint64, 1<<bits.Len(uint(len(s)/8)))}
	for _, h := range s {
		f.bits[h>>8&uint64(len(f.bits)-1)] |= 1 << (h & 63)
	}
	return f
}

// shared returns the number of elements in both t and the set of f.
func (f filter) shared(t Set) int {
	n := 0
	for _, h := range t {
		if f.bits[h>>8&uint64(len(f.bits)-1)]&(1<<(h&63)) != 0 {
			if _, ok := slices.BinarySearch(f.set, h); ok {
				n++
			}
		}
	}
	return n
}

// shingleWords is the number of words in a shingle. Different texts rarely share sequences of three words, apart from
// common phrases. An edited copy still has most sequences of the original.
const shingleWords = 3

func shingle(a, b, c uint64) uint64 {
	return mix(a ^ bits.RotateLeft64(b, 21) ^ bits.RotateLeft64(c, 42))
}

// FNV-1a for 64 bits: G. Fowler, L. C. Noll, K.-P. Vo, D. Eastlake, The FNV
// non-cryptographic hash algorithm, RFC 9923.
const (
	fnvOffset = 0xcbf29ce484222325
	fnvPrime  = 0x100000001b3
)

// hash returns a hash of s. It must return the same hash on all machines and in all releases,
// because stored sketches depend on it.
func hash[T []byte | string](s T) uint64 {
	h := uint64(fnvOffset)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * fnvPrime
	}
	return mix(h)
}

// mix distributes each bit of h over all bits of the result. It is the last step of splitmix64 (G.
// Steele, D. Lea, C. Flood, Fast splittable pseudorandom number generators, OOPSLA 2014).
func mix(h uint64) uint64 {
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

// Version is the version of the tokenizer and of the hashed features. It must be increased whenever
// a change affects sketches, because sketches of different versions cannot be compared.
const Version = 1

// Errors of Load.
var (
	// ErrVersion indicates that another version wrote the stored sketches. They must be computed
	// again from the definitions.
	ErrVersion = errors.New("the sketches were written by another version")
	// ErrDamaged indicates that the stored sketches are damaged.
	ErrDamaged = errors.New("the sketches are damaged")
)

// An index is stored as one or more consecutive blocks:
//
//	"ovl", the version (1 byte), the number n of entries (4 bytes),
//	n ids (8 bytes each), n sketches (64 bytes each)
//
// All numbers are little-endian. To add an entry to a stored index, a block with this entry is
// appended.
const (
	magic      = "ovl"
	headSize   = len(magic) + 1 + 4
	idSize     = 8
	sketchSize = sketchBits / 8
)

// AppendBinary appends the entries of x to b as a single block. The error is always nil.
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

// Load adds the entries of all blocks in b to x. If Load returns an error, which wraps ErrVersion
// or ErrDamaged, x is unchanged. x refers to b, so the caller must not modify b afterwards.
func (x *Index) Load(b []byte) error {
	var blocks []block
	for len(b) > 0 {
		if len(b) < headSize || string(b[:len(magic)]) != magic {
			return fmt.Errorf("%w: expected the start of a block", ErrDamaged)
		}
		if v := b[len(magic)]; v != Version {
			return fmt.Errorf("%w: %d, not %d", ErrVersion, v, Version)
		}
		n := int(binary.LittleEndian.Uint32(b[headSize-4:]))
		if n > (len(b)-headSize)/(idSize+sketchSize) {
			return fmt.Errorf("%w: %d entries do not fit into %d bytes", ErrDamaged, n, len(b))
		}
		ids, sketches := headSize+n*idSize, headSize+n*(idSize+sketchSize)
		blocks = append(blocks, block{ids: b[headSize:ids], sketches: b[ids:sketches]})
		b = b[sketches:]
	}
	x.blocks, x.own = append(x.blocks, blocks...), false
	return nil
}
