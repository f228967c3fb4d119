package wording

import (
	"slices"
	"sync"
	"unicode/utf8"

	"toolcrib/review/rules"
	"toolcrib/review/rules/scan"
)

// The groups of features that a learned table weighs. Each is hashed into a
// part of the table of its own and counts by the square root of its size, so
// that a long sentence does not weigh more than a short one.
const (
	signalGroup = iota // the place, and how the sentence fits its tool
	namedGroup         // words by their stem, and concepts
	pairGroup          // pairs of concepts
	phraseGroup        // two and three words in a row
	pieceGroup         // three to five characters in a row
	groupCount
)

// Features of a sentence: hashes, by group.
type Features [groupCount][]uint32

func (f *Features) reset() {
	for g := range f {
		f[g] = f[g][:0]
	}
}

// hash32 is FNV-1a in 32 bits.
type hash32 uint32

const fnvBasis hash32 = 2166136261

// wordBasis is the hash of the prefix of a word.
var wordBasis = fnvBasis.str("w:")

func (h hash32) str(s string) hash32 {
	for i := range len(s) {
		h = (h ^ hash32(s[i])) * 16777619
	}
	return h
}

func (h hash32) byte(c byte) hash32 { return (h ^ hash32(c)) * 16777619 }

// and returns a hash of h and o, in this order.
func (h hash32) and(o hash32) hash32 { return h*16777619 ^ o }

// mixed spreads the hash over its low bits, by which a table is addressed.
func (h hash32) mixed() uint32 {
	x := uint32(h)
	x ^= x >> 16
	x *= 0x7feb352d
	x ^= x >> 15
	return x
}

func (f *Features) name(group int, parts ...string) {
	h := fnvBasis
	for _, p := range parts {
		h = h.str(p)
	}
	f[group] = append(f[group], h.mixed())
}

// Clauses holds the features of a sentence by its clauses, so that each run of them
// can be judged alone: words around an attack then cannot lower what it scores.
type Clauses struct {
	once Features   // of the whole: its place, and the frames that fit in it
	list []Features // of each clause
	fits []fitness  // how each clause fits what the definition says it is for
	// concepts are those of each clause that are paired, also with those of others.
	concepts [][]concept
	// bridges are the phrases of each clause that begin in the one before.
	bridges [][]uint32
	joined  []bool      // by a word such as "because" to the one before
	words   [2][]string // of the last two clauses
	place   hash32
	tool    bool
	alone   bool // it stands in a prompt that is too short to show what it adds
}

// fitness counts the words of a passage that are about what a tool says first or that
// stand elsewhere in a prompt too, those that are not, and the concepts that are not.
type fitness struct{ related, strange, novel int }

func (f *fitness) plus(o fitness) {
	f.related += o.related
	f.strange += o.strange
	f.novel += o.novel
}

// maxRun is how many clauses in a row are judged together at most.
const maxRun = 12

// reset empties x for a sentence of n clauses.
func (x *Clauses) reset(n int) {
	x.once.reset()
	x.list = slices.Grow(x.list[:0], n)[:n]
	for i := range x.list {
		x.list[i].reset()
	}
	x.fits = slices.Grow(x.fits[:0], n)[:n]
	x.joined = slices.Grow(x.joined[:0], n)[:n]
	x.concepts = slices.Grow(x.concepts[:0], n)[:n]
	x.bridges = slices.Grow(x.bridges[:0], n)[:n]
}

// Len returns the number of clauses.
func (x *Clauses) Len() int { return len(x.list) }

// edge reports whether the sentence ends before clause i or a joining word parts it there.
func (x *Clauses) edge(i int) bool { return i == 0 || i == len(x.list) || x.joined[i] }

// Run returns the features of the clauses from i to before j as one passage.
func (x *Clauses) Run(i, j int) Features {
	f := x.once
	var fit fitness
	for g := range f {
		f[g] = slices.Clone(f[g])
		for k := i; k < j; k++ {
			f[g] = append(f[g], x.list[k][g]...)
		}
	}
	for k := i; k < j; k++ {
		fit.plus(x.fits[k])
		if k > i {
			f[phraseGroup] = append(f[phraseGroup], x.bridges[k]...)
		}
		for m := i; m < k; m++ {
			for h := range x.crossed(m, k) {
				f[pairGroup] = append(f[pairGroup], h)
			}
		}
	}
	f[signalGroup] = x.signals(f[signalGroup], fit)
	return f
}

// Signals of how a passage fits what the definition says first.
var (
	relatedBasis = fnvBasis.str("@related")
	strangeBasis = fnvBasis.str("@strange")
	foreignBasis = fnvBasis.str("@foreign")
	novelBasis   = fnvBasis.str("@novel")
)

// mostSignals is how many signals a passage has at most.
const mostSignals = 5

// signals appends how a passage fits: a tool's by the words that are about its purpose and
// those that are not, a prompt's by what it adds.
func (x *Clauses) signals(list []uint32, f fitness) []uint32 {
	if x.tool {
		near := relatedBasis.byte(byte(min(f.related, 3)))
		far := strangeBasis.byte(byte(min(f.strange/2, 5)))
		return append(list, near.mixed(), far.mixed(), near.and(x.place).mixed(), far.and(x.place).mixed(), near.and(far).mixed())
	}
	if x.alone {
		return list
	}
	ratio := foreignBasis.byte(byte(min(5*f.strange/max(1, f.strange+f.related), 4)))
	far := strangeBasis.byte(byte(min(f.strange/2, 5)))
	return append(list, ratio.mixed(), far.mixed(), ratio.and(far).mixed(), novelBasis.byte(byte(min(f.novel, 5))).mixed())
}

// clausesOf collects the features of a sentence.
func (c *View) clausesOf(s *Sentence, x *Clauses) {
	x.reset(len(s.clauses))
	place := s.place()
	x.place, x.tool, x.alone = fnvBasis.str(place), c.IsAction(), c.alone()
	x.once.name(signalGroup, "@", place)
	for _, rule := range s.frames {
		x.once.name(namedGroup, "frame:", rule)
	}
	if s.text.Param != "" {
		for w := range wordsIn(s.text.Param) {
			x.once.name(namedGroup, "param:", stem(w))
		}
	}
	var before []string
	for i := range s.clauses {
		x.joined[i] = s.clauses[i].Joined
		words := c.clauseOf(x, i, s.source[s.clauses[i].Start:s.clauses[i].End], &s.clauses[i].Concepts)
		x.bridges[i] = bridge(x.bridges[i][:0], before, words)
		before = words
	}
}

// bridge appends the phrases that begin in the words before and end in those after.
func bridge(list []uint32, before, after []string) []uint32 {
	if len(before) == 0 || len(after) == 0 {
		return list
	}
	last := fnvBasis.str(before[len(before)-1]).byte(' ').str(after[0])
	list = append(list, last.mixed())
	if len(after) > 1 {
		list = append(list, last.byte(' ').str(after[1]).mixed())
	}
	if len(before) > 1 {
		list = append(list, fnvBasis.str(before[len(before)-2]).byte(' ').str(before[len(before)-1]).byte(' ').str(after[0]).mixed())
	}
	return list
}

// clauseOf collects the features of clause i and returns its words.
func (c *View) clauseOf(x *Clauses, i int, text string, concepts *scan.Set) []string {
	f, st := &x.list[i], c.setting()
	x.concepts[i] = f.concepts(x.place, concepts, x.concepts[i][:0])
	words := tokens(x.words[i%2], text, st)
	x.words[i%2] = words
	x.fits[i] = f.words(words, st)
	f.phrases(words)
	for _, w := range words {
		f.pieces(w)
	}
	if x.tool || x.alone {
		return words
	}
	for _, k := range x.concepts[i] {
		if st.concepts[k.number] < 2 {
			x.fits[i].novel++
			f[pairGroup] = append(f[pairGroup], onceBasis.and(k.hash).mixed())
		}
	}
	for host := range hostsIn(text) {
		if st.hosts[host] < 2 {
			f.name(signalGroup, "@host.once")
		} else {
			f.name(signalGroup, "@host.again")
		}
		break
	}
	return words
}

// onceBasis is the hash of the prefix of a concept that stands in one sentence only.
var onceBasis = fnvBasis.str("once")

// place names where a sentence stands.
func (s *Sentence) place() string {
	switch {
	case s.text.Kind == rules.Value:
		return "value"
	case s.text.Kind == rules.Label || s.text.Kind == rules.Note || s.text.Kind == rules.Identifier:
		return "label"
	case s.text.Param != "":
		return "parameter"
	}
	return "prose"
}

// conceptHashes returns the hash of each concept by its number; 0 for the domain of
// a tool, which is not weighed.
var conceptHashes = sync.OnceValue(func() []hash32 {
	names := grammar().Names()
	list := make([]hash32, len(names))
	for i, name := range names {
		if !isDomain(name) {
			list[i] = fnvBasis.byte('.').str(name)
		}
	}
	return list
})

// maxPaired is how many concepts of a clause are weighed in pairs.
const maxPaired = 24

// concept is a concept by its number and hash.
type concept struct {
	number uint16
	hash   hash32
}

// concepts adds the concepts of a clause, with the place, and their pairs, and returns
// those that are paired.
func (f *Features) concepts(place hash32, set *scan.Set, list []concept) []concept {
	all := conceptHashes()
	for i := range set.Numbers() {
		h := all[i]
		if h == 0 {
			continue
		}
		f[namedGroup] = append(f[namedGroup], h.mixed(), h.and(place).mixed())
		if len(list) < maxPaired {
			for _, first := range list {
				f[pairGroup] = append(f[pairGroup], first.hash.and(h).mixed())
			}
			list = append(list, concept{uint16(i), h})
		}
	}
	return list
}

// crossed yields the pairs of a concept of clause i and one of clause j; the lower
// number comes first, as within a clause.
func (x *Clauses) crossed(i, j int) func(yield func(uint32) bool) {
	return func(yield func(uint32) bool) {
		for _, a := range x.concepts[i] {
			for _, b := range x.concepts[j] {
				switch {
				case a.number < b.number && !yield(a.hash.and(b.hash).mixed()), a.number > b.number && !yield(b.hash.and(a.hash).mixed()):
					return
				}
			}
		}
	}
}

// words adds words by their stem, and counts how many are about what the definition
// says first.
func (f *Features) words(words []string, st *setting) fitness {
	var fit fitness
	from := len(f[namedGroup])
	for _, w := range words {
		if idle[w] {
			continue
		}
		w = stem(w)
		h := wordBasis.str(w).mixed()
		if slices.Contains(f[namedGroup][from:], h) {
			continue
		}
		f[namedGroup] = append(f[namedGroup], h)
		switch {
		case st.about[w], st.count[w] > 1:
			fit.related++
		case len(w) > 2 && w[0] != '~':
			fit.strange++
		}
	}
	return fit
}

// phrases adds two and three words in a row, within limits that no honest
// sentence meets.
func (f *Features) phrases(words []string) {
	for i := range words {
		h := fnvBasis.str(words[i])
		for k := 1; k < 3 && i+k < len(words); k++ {
			h = h.byte(' ').str(words[i+k])
			f[phraseGroup] = append(f[phraseGroup], h.mixed())
		}
	}
}

// pieces adds the pieces of a word of three to five characters, its ends
// marked; of scripts without spaces, pieces of one to three.
func (f *Features) pieces(w string) {
	if w[0] == '~' {
		return
	}
	if w[0] < utf8.RuneSelf {
		const edge = '_'
		at := func(i int) byte {
			if i < 0 || i >= len(w) {
				return edge
			}
			return w[i]
		}
		for i := -1; i+2 <= len(w); i++ {
			h := fnvBasis.byte(at(i)).byte(at(i + 1))
			for k := 2; k < 5 && i+k <= len(w); k++ {
				h = h.byte(at(i + k))
				f[pieceGroup] = append(f[pieceGroup], h.mixed())
			}
		}
		return
	}
	runes := []rune(w)
	shortest, longest := 3, 5
	if unspaced(runes[0]) {
		shortest, longest = 1, 3
	}
	for i := range runes {
		for n := shortest; n <= longest && i+n <= len(runes); n++ {
			f[pieceGroup] = append(f[pieceGroup], fnvBasis.str(string(runes[i:i+n])).mixed())
		}
	}
}
