package overlap

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// Sketch stands for a set in 512 bits, such that two sketches agree in the
// more bits the more alike their sets are. The zero Sketch is that of the
// empty set, which is like nothing.
//
// Each bit is one sample of the set: the lowest bit of the smallest hash in a
// bin (b-bit minwise hashing with b = 1: P. Li, A. C. König, b-Bit minwise
// hashing, WWW 2010). Two samples are equal with probability J, the
// resemblance of the sets, and otherwise agree in their bit half of the time,
// so (1+J)/2 of the bits are expected to agree.
//
// One bit of 512 samples and not two of 256 or four of 128: around J = 0.4 and
// above its estimates scatter the least, and to compare two sketches takes
// eight words and nothing to mask.
//
// The samples are taken by fast similarity sketching (S. Dahlgaard, M. Knudsen,
// M. Thorup, Fast similarity sketching, FOCS 2017): a round throws every
// element into a random bin, and rounds follow each other until no bin is
// empty. A large set needs one round instead of 512 hash functions, and a
// small one is sampled as well as by 512.
type Sketch [sketchWords]uint64

const (
	sketchWords = 8
	sketchBits  = 64 * sketchWords

	// throws sets how many rounds throw elements at random. Bins that are empty
	// still get a round of their own, so that sets of one element, and those
	// made to miss a bin, end too.
	throws = 64

	golden = 0x9e3779b97f4a7c15
)

// newSketch returns the sketch of a set of hashes, some of which may come
// several times. It may change their order.
func newSketch(set []uint64) Sketch {
	var s Sketch
	if len(set) == 0 {
		return s
	}
	var smallest [sketchBits]uint64 // of this round; 0 in a bin that has its sample
	for i := range smallest {
		smallest[i] = math.MaxUint64
	}
	empty := sketchBits
	take := func(bin int) {
		s[bin/64] |= (smallest[bin] & 1) << (bin % 64)
		smallest[bin] = 0
		empty--
	}
	var hit [sketchBits]uint16 // the bins that something was thrown into
	for round := uint64(1); round <= throws && empty > 0; round++ {
		if round == 2 { // a large set that leaves bins empty repeats itself
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

// resemblance turns the number of differing bits into the unbiased estimate
// 2·agreeing/512 - 1, which is cut off at 0. It scatters: see deviation.
func resemblance(differing int) float64 {
	return max(0, 1-2*float64(differing)/sketchBits)
}

// deviation is the standard deviation of the estimate for sets of resemblance
// j, which is that of 512 tosses: 0.041 at j = 0.4, 0.031 at 0.7. For sets of
// few hundred elements it is less, as no element is drawn twice.
func deviation(j float64) float64 {
	p := (1 + j) / 2
	return 2 * math.Sqrt(p*(1-p)/sketchBits)
}

// Set holds the shingles of a text or the words of a purpose, for exact comparison:
// hashes in ascending order, each once.
type Set []uint64

// TextSet returns the word shingles of texts. No shingle spans two texts.
func TextSet(texts ...string) Set { return newSet(shingles(texts)) }

func shingles(texts []string) []uint64 {
	size := 0
	for _, text := range texts {
		size += len(text)
	}
	hashes := make([]uint64, 0, size/6+len(texts)) // a word and its space
	for _, text := range texts {
		hashes = appendShingles(hashes, text)
	}
	return hashes
}

func newSet(hashes []uint64) Set {
	slices.Sort(hashes)
	return slices.Compact(hashes)
}

// Sketch returns the sketch of s.
func (s Set) Sketch() Sketch { return newSketch(s) }

// shared returns |s∩t|.
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

// shingleWords sets how many words a shingle has. Three tell a copied sentence
// from a common turn of phrase and still survive an edit every few words.
const shingleWords = 3

// appendShingles adds the hash of every run of shingleWords words in text. A
// shorter text is one shingle. The same shingle may come several times.
func appendShingles(shingles []uint64, text string) []uint64 {
	var a, b uint64
	n := 0
	words(text, func(w word) {
		n++
		c := hash(w.folded)
		if n >= shingleWords {
			shingles = append(shingles, shingle(a, b, c))
		}
		a, b = b, c
	})
	if n > 0 && n < shingleWords {
		shingles = append(shingles, shingle(0, a, b))
	}
	return shingles
}

func shingle(a, b, c uint64) uint64 {
	return mix(a ^ bits.RotateLeft64(b, 21) ^ bits.RotateLeft64(c, 42))
}

// FNV-1a for 64 bits: G. Fowler, L. C. Noll, K.-P. Vo, D. Eastlake, The FNV
// non-cryptographic hash algorithm, RFC 9923.
const (
	fnvOffset = 0xcbf29ce484222325
	fnvPrime  = 0x100000001b3
)

// hash returns a hash of s that is the same on every machine and in every release,
// because stored sketches consist of it.
func hash[T []byte | string](s T) uint64 {
	h := uint64(fnvOffset)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * fnvPrime
	}
	return mix(h)
}

// mix spreads every bit of h over all bits: the last step of splitmix64
// (G. Steele, D. Lea, C. Flood, Fast splittable pseudorandom number generators,
// OOPSLA 2014).
func mix(h uint64) uint64 {
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

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
