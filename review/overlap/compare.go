// This file compares two tools exactly.

package overlap

import (
	"cmp"
	"slices"
	"sync"

	"toolcrib/registry"
)

// Similarity describes how much two sets A and B have in common. Its values are between 0 and 1, and
// 0 if either set is empty.
type Similarity struct {
	Resemblance float64 `json:"resemblance"` // |A∩B| / |A∪B|
	Contained   float64 `json:"contained"`   // |A∩B| / |A|, the share of the first set that the second set contains
}

// ToolPassage is a passage that a text of one tool and a text of another tool share.
type ToolPassage struct {
	Passage
	PathA string `json:"path_a"` // key of the text of the first tool: "prompt" or "description"
	PathB string `json:"path_b"`
}

// maxWords is the maximum number of shared words that a result lists.
const maxWords = 12

func similarity(a, b Set) Similarity { return similarityOf(a, b, a.shared(b)) }

// similarityOf returns the similarity of a and b. shared is the number of their common elements.
func similarityOf(a, b Set, shared int) Similarity {
	if shared == 0 {
		return Similarity{}
	}
	return Similarity{Resemblance: float64(shared) / float64(len(a)+len(b)-shared), Contained: float64(shared) / float64(len(a))}
}

// TextOf returns the word shingles of the prompt and the description of t, which are the texts that
// a model reads.
func TextOf(t registry.Tool) Set {
	return TextSet(t.Prompt, t.Description)
}

// PurposeOf returns the purpose of t as a set. The set contains the content words of the name and
// the id, the goals, the short description, and the names of the parameters. A word with weight n is
// represented by n elements. The resemblance of two such sets is therefore the resemblance of
// weighted words: the sum of the smaller weights divided by the sum of the larger weights (O. Chum,
// J. Philbin, A. Zisserman, Near duplicate image detection: min-Hash and tf-idf weighting, BMVC
// 2008).
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

// Passages returns the passages that the texts of a and b share, longest first and at most 10. It
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

// Words returns the content words that the purposes of a and b share, most significant first and at most 12. The words
// have the spelling that they have in a.
func Words(a, b registry.Tool) []string {
	words, _ := purposeOf(a).shared(purposeOf(b), func(string) float64 { return 1 })
	return words
}

// shared returns the words that p and q share, and the total weight of all shared words. It returns
// at most maxWords words, by decreasing weight and spelled as in p. weight returns the weight of a
// stem.
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

// Fingerprint contains the words of a tool in a form that can be compared with the fingerprints of
// many other tools. It is safe for concurrent use.
type Fingerprint struct {
	text, purpose Set
	sketches      func() (text, purpose Sketch)
}

// NewFingerprint returns the fingerprint of t. It takes time linear in the length of the texts of t.
func NewFingerprint(t registry.Tool) *Fingerprint {
	f := &Fingerprint{text: TextOf(t), purpose: PurposeOf(t)}
	f.sketches = sync.OnceValues(func() (Sketch, Sketch) { return f.text.Sketch(), f.purpose.Sketch() })
	return f
}

// Text compares the texts of f and other exactly. It takes time linear in the number of words. Use Text for the
// candidates that Index.Scan returns, and for small sets such as the core tools.
func (f *Fingerprint) Text(other *Fingerprint) Similarity { return similarity(f.text, other.text) }

// Purpose compares the purposes of f and other exactly, like Text.
func (f *Fingerprint) Purpose(other *Fingerprint) Similarity {
	return similarity(f.purpose, other.purpose)
}

// Sketches returns the sketches of the text and of the purpose of the tool.
func (f *Fingerprint) Sketches() (text, purpose Sketch) { return f.sketches() }

// Span is a byte range of a text. End is exclusive.
type Span struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// Passage is a sequence of words that two texts share. Case, accents, punctuation, and separators
// are ignored.
type Passage struct {
	A     Span `json:"a"` // position in the first text
	B     Span `json:"b"` // position in the second text
	Words int  `json:"words"`
}

const (
	// passageWords is the minimum number of words in a passage. Shorter sequences are often common
	// phrases.
	passageWords = 6
	// maxPassages is the maximum number of passages in a result. Readers do not need more.
	maxPassages = 10
	// maxPlaces is the maximum number of positions in the second text that are examined for each position in the first
	// text.
	maxPlaces = 8
)

// Common returns the sequences of at least 6 words that a and b share, longest first and at most 10.
// The sequences do not overlap in a. Common takes time linear in the length of the texts. To
// guarantee this, it may miss the longest sequence in a text with many repetitions.
func Common(a, b string) []Passage {
	as, bs := placesIn(a), placesIn(b)
	if len(as) < passageWords || len(bs) < passageWords {
		return nil
	}
	// The variables first and next form linked lists. Each list contains the positions in bs where equal sequences of
	// passageWords words begin. first maps the hash of a sequence to its first position. next maps a position to the
	// next position with the same hash. Positions are counted from 1, and 0 ends a list.
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
		if length < passageWords { // only the hashes of the sequences are equal
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

// place is the hash of a folded word and the byte range of the word in the text.
type place struct {
	hash       uint64
	start, end int
}

func placesIn(text string) []place {
	ps := make([]place, 0, len(text)/6+1) // an average word and a space
	words(text, func(w word) { ps = append(ps, place{hash(w.folded), w.start, w.end}) })
	return ps
}

// run returns a hash of the first passageWords words of ps.
func run(ps []place) uint64 {
	var h uint64
	for _, p := range ps[:passageWords] {
		h = mix(h + p.hash)
	}
	return h
}

// alike returns the number of equal words at the beginning of a and b.
func alike(a, b []place) int {
	n := 0
	for n < len(a) && n < len(b) && a[n].hash == b[n].hash {
		n++
	}
	return n
}
