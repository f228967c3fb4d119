// This file compares two tools exactly.

package overlap

import (
	"cmp"
	"slices"
	"sync"

	"toolcrib/registry"
)

// Similarity measures how much two sets have in common, from 0 to 1. It is 0 if a set is empty.
type Similarity struct {
	Resemblance float64 `json:"resemblance"` // |A∩B| / |A∪B|
	Contained   float64 `json:"contained"`   // |A∩B| / |A|: the share of the first set that is in the second
}

// ToolPassage is a passage that the texts of two tools share.
type ToolPassage struct {
	Passage
	PathA string `json:"path_a"` // the key of the text: "prompt" or "description"
	PathB string `json:"path_b"`
}

// maxWords is the maximum number of shared words in a result.
const maxWords = 12

func similarity(a, b Set) Similarity { return similarityOf(a, b, a.shared(b)) }

// similarityOf returns the similarity of sets with the given number of shared elements.
func similarityOf(a, b Set, shared int) Similarity {
	if shared == 0 {
		return Similarity{}
	}
	return Similarity{Resemblance: float64(shared) / float64(len(a)+len(b)-shared), Contained: float64(shared) / float64(len(a))}
}

// TextOf returns the word shingles of the texts of t that a model reads: its prompt and its
// description.
func TextOf(t registry.Tool) Set {
	return TextSet(t.Prompt, t.Description)
}

// PurposeOf returns the purpose of t as a set of content words from its name and id, its goals, its
// short description, and its parameters. A word of weight n counts as n elements. The resemblance of
// such sets is the resemblance of weighted words: the sum of the smaller weights divided by the sum
// of the larger ones (O. Chum, J. Philbin, A. Zisserman, Near duplicate image detection: min-Hash
// and tf-idf weighting, BMVC 2008).
func PurposeOf(t registry.Tool) Set {
	var hashes []uint64
	for s, t := range purposeOf(t) {
		h := hash(s)
		for i := range t.Weight {
			hashes = append(hashes, mix(h+uint64(i)*golden)) //nolint:gosec // small
		}
	}
	return newSet(hashes)
}

type part struct{ path, text string }

func parts(t registry.Tool) []part {
	return []part{{"prompt", t.Prompt}, {"description", t.Description}}
}

// Passages returns the common passages of the texts of a and b, the longest first, at most 10. It
// takes time linear in the length of the texts.
func Passages(a, b registry.Tool) []ToolPassage {
	var found []ToolPassage
	for _, pa := range parts(a) {
		for _, pb := range parts(b) {
			for _, p := range Common(pa.text, pb.text) {
				found = append(found, ToolPassage{Passage: p, PathA: pa.path, PathB: pb.path})
			}
		}
	}
	slices.SortStableFunc(found, func(p, q ToolPassage) int { return -cmp.Compare(p.Words, q.Words) })
	return found[:min(len(found), maxPassages)]
}

// Words returns the content words that the purposes of a and b share, spelled as in a, the most
// significant first, at most 12.
func Words(a, b registry.Tool) []string {
	words, _ := purposeOf(a).shared(purposeOf(b), func(string) float64 { return 1 })
	return words
}

// shared returns the words that p and q share, spelled as in p, by decreasing weight, at most
// maxWords, and the total weight of all shared words. weight returns the weight of a stem.
func (p purpose) shared(q purpose, weight func(stem string) float64) (words []string, sum float64) {
	type both struct {
		word   string
		weight float64
	}
	var all []both
	fewer := p
	if len(q) < len(p) {
		fewer = q
	}
	for s := range fewer {
		t, inP := p[s]
		if u, inQ := q[s]; inP && inQ {
			all = append(all, both{t.Word, weight(s) * float64(min(t.Weight, u.Weight))})
		}
	}
	slices.SortFunc(all, func(x, y both) int {
		return cmp.Or(-cmp.Compare(x.weight, y.weight), cmp.Compare(x.word, y.word))
	})
	for i, w := range all {
		sum += w.weight
		if i < maxWords {
			words = append(words, w.word)
		}
	}
	return words, sum
}

// Fingerprint contains the words of a tool for comparing it with many others. It is safe for
// concurrent use.
type Fingerprint struct {
	text, purpose Set
	sketches      func() (text, purpose Sketch)
}

// NewFingerprint returns the fingerprint of t. It takes time linear in the length of its texts.
func NewFingerprint(t registry.Tool) *Fingerprint {
	f := &Fingerprint{text: TextOf(t), purpose: PurposeOf(t)}
	f.sketches = sync.OnceValues(func() (Sketch, Sketch) { return f.text.Sketch(), f.purpose.Sketch() })
	return f
}

// Text compares the texts of f and other exactly. It takes time linear in the number of words, and
// is meant for the matches of Index.Scan and for the few core tools.
func (f *Fingerprint) Text(other *Fingerprint) Similarity { return similarity(f.text, other.text) }

// Purpose compares the purposes of f and other exactly; see Text.
func (f *Fingerprint) Purpose(other *Fingerprint) Similarity {
	return similarity(f.purpose, other.purpose)
}

// Sketches returns the sketches of the text and of the purpose.
func (f *Fingerprint) Sketches() (text, purpose Sketch) { return f.sketches() }

// Span is a part of a text in bytes; End is exclusive.
type Span struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// Passage is a sequence of words that two texts share, apart from case, accents, punctuation, and
// separators.
type Passage struct {
	A     Span `json:"a"` // position in the first text
	B     Span `json:"b"` // position in the second text
	Words int  `json:"words"`
}

const (
	// passageWords is the minimum number of words of a passage. Shorter sequences are common
	// phrases.
	passageWords = 6
	// maxPassages limits the number of passages, because readers do not need more.
	maxPassages = 10
	// maxPlaces limits the number of occurrences of the same words in the second text that are
	// examined.
	maxPlaces = 8
)

// Common returns the sequences of at least 6 words that a and b share, the longest first, at most
// 10. They do not overlap in a. To take time linear in the length of the texts, it may miss a
// longer sequence in a text with many repetitions.
func Common(a, b string) []Passage {
	as, bs := placesIn(a), placesIn(b)
	if len(as) < passageWords || len(bs) < passageWords {
		return nil
	}
	// The positions in bs at which sequences of passageWords words begin: first maps the hash of a
	// sequence to its first position, and next maps each position to the next one with the same
	// hash. Positions are counted from 1; 0 means none.
	first, next := make(map[uint64]int32, len(bs)), make([]int32, len(bs))
	for i := len(bs) - passageWords; i >= 0; i-- {
		h := run(bs[i:])
		next[i] = first[h]
		first[h] = int32(i) + 1 //nolint:gosec // texts are far smaller
	}
	var passages []Passage
	for i := 0; i+passageWords <= len(as); {
		from, length, places := 0, 0, 0
		for j := first[run(as[i:])]; j > 0 && places < maxPlaces; j = next[j-1] {
			if n := alike(as[i:], bs[j-1:]); n > length {
				from, length = int(j-1), n
			}
			places++
		}
		if length < passageWords { // at most a hash collision
			i++
			continue
		}
		passages = append(passages, Passage{
			A:     Span{as[i].start, as[i+length-1].end},
			B:     Span{bs[from].start, bs[from+length-1].end},
			Words: length,
		})
		i += length
	}
	slices.SortStableFunc(passages, func(p, q Passage) int { return -cmp.Compare(p.Words, q.Words) })
	return slices.Clip(passages[:min(len(passages), maxPassages)])
}

// place is a folded word and its position in the text.
type place struct {
	hash       uint64
	start, end int
}

func placesIn(text string) []place {
	ps := make([]place, 0, len(text)/6+1) // an average word and a space
	words(text, func(w word) { ps = append(ps, place{hash(w.folded), w.start, w.end}) })
	return ps
}

// run returns a hash of the first passageWords words.
func run(ps []place) uint64 {
	var h uint64
	for _, p := range ps[:passageWords] {
		h = mix(h + p.hash)
	}
	return h
}

// alike returns the number of words at the beginning of a and b that are equal.
func alike(a, b []place) int {
	n := 0
	for n < len(a) && n < len(b) && a[n].hash == b[n].hash {
		n++
	}
	return n
}
