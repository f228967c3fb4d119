package overlap

import (
	"math/bits"
	"slices"
)

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
