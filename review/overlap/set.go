package overlap

import "slices"

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
