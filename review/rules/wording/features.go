// This file extracts the features of a sentence for the learned tables.

package wording

import (
	"slices"
	"sync"
	"unicode/utf8"

	"toolcrib/review/rules"
	"toolcrib/review/rules/scan"
)

// A learned table scores these groups of features. The features of each group are hashed into a
// separate part of the table. The sum of a group is divided by the square root of its number of
// features, so a long sentence does not weigh more than a short one.
const (
	signalGroup = iota // position of the sentence, and how well it fits its definition
	namedGroup         // stems of words, and concepts
	pairGroup          // pairs of concepts
	phraseGroup        // sequences of two and three words
	pieceGroup         // sequences of three to five characters
	groupCount
)

// Features contains the hashed features of a sentence, by group.
type Features [groupCount][]uint32

func (f *Features) reset() {
	for g := range f {
		f[g] = f[g][:0]
	}
}

// hash32 is a 32-bit FNV-1a hash.
type hash32 uint32

const fnvBasis hash32 = 2166136261

// wordBasis is the hash of the prefix that all word features share.
var wordBasis = fnvBasis.str("w:")

func (h hash32) str(s string) hash32 {
	for i := range len(s) {
		h = (h ^ hash32(s[i])) * 16777619
	}
	return h
}

func (h hash32) byte(c byte) hash32 { return (h ^ hash32(c)) * 16777619 }

// and returns a hash that combines h with o. The result depends on the order of the two hashes.
func (h hash32) and(o hash32) hash32 { return h*16777619 ^ o }

// mixed returns h with all bits mixed into the low bits, which select the entry of the table.
func (h hash32) mixed() uint32 {
	x := uint32(h)
	x ^= x >> 16
	x *= 0x7feb352d
	x ^= x >> 15
	return x
}

// name adds a feature to the given group. The concatenated parts are the name of the feature.
func (f *Features) name(group int, parts ...string) {
	h := fnvBasis
	for _, p := range parts {
		h = h.str(p)
	}
	f[group] = append(f[group], h.mixed())
}

// Clauses contains the features of a sentence by clause. With these features, each run of
// consecutive clauses is scored separately. Harmless words around an attack then cannot lower the
// score of the attack.
type Clauses struct {
	wholeSentence Features   // features of the whole sentence: its position and the frames that match in it
	list          []Features // features of each clause
	fitness       []fit      // how well each clause fits the stated purpose of the definition
	// concepts contains the concepts of each clause that form pairs, both within a clause and
	// across clauses.
	concepts [][]concept
	// bridges contains, for each clause, the phrases that extend from the previous clause into this
	// clause.
	bridges       [][]uint32
	joined        []bool     // reports for each clause whether it is joined to the previous one by a word such as "because"
	words         [2][]*term // words of the last two clauses
	vocabulary    vocabulary
	place         hash32
	tool          bool
	inShortPrompt bool // the sentence is in a prompt that is too short to show whether the sentence fits
}

// fit describes how well a passage fits the definition. related is the number of words that occur
// in the purpose of a tool, or elsewhere in a prompt. strange is the number of all other words.
// novel is the number of concepts that do not occur elsewhere in a prompt.
type fit struct{ related, strange, novel int }

func (f *fit) add(o fit) {
	f.related += o.related
	f.strange += o.strange
	f.novel += o.novel
}

// maxRun is the maximum number of consecutive clauses that are scored together.
const maxRun = 12

// reset prepares x for a sentence of n clauses.
func (x *Clauses) reset(n int) {
	x.wholeSentence.reset()
	x.list = slices.Grow(x.list[:0], n)[:n]
	for i := range x.list {
		x.list[i].reset()
	}
	x.fitness = slices.Grow(x.fitness[:0], n)[:n]
	x.joined = slices.Grow(x.joined[:0], n)[:n]
	x.concepts = slices.Grow(x.concepts[:0], n)[:n]
	x.bridges = slices.Grow(x.bridges[:0], n)[:n]
}

func (x *Clauses) Len() int { return len(x.list) }

// isBoundary reports whether a run of clauses may naturally begin or end before clause i: at the
// start or the end of the sentence, or before a joining word.
func (x *Clauses) isBoundary(i int) bool { return i == 0 || i == len(x.list) || x.joined[i] }

// Run returns the features of the clauses in [i, j), combined as a single passage.
func (x *Clauses) Run(i, j int) Features {
	f := x.wholeSentence
	var fit fit
	for g := range f {
		f[g] = slices.Clone(f[g])
		for k := i; k < j; k++ {
			f[g] = append(f[g], x.list[k][g]...)
		}
	}
	for k := i; k < j; k++ {
		fit.add(x.fitness[k])
		if k > i {
			f[phraseGroup] = append(f[phraseGroup], x.bridges[k]...)
		}
		for m := i; m < k; m++ {
			for h := range x.conceptPairs(m, k) {
				f[pairGroup] = append(f[pairGroup], h)
			}
		}
	}
	f[signalGroup] = x.signals(f[signalGroup], fit)
	return f
}

// Hashes of the prefixes of the signals that describe how well a passage fits the definition.
var (
	relatedBasis = fnvBasis.str("@related")
	strangeBasis = fnvBasis.str("@strange")
	foreignBasis = fnvBasis.str("@foreign")
	novelBasis   = fnvBasis.str("@novel")
)

// mostSignals is the maximum number of signals of a passage.
const mostSignals = 5

// signals appends the signals that describe how well a passage fits the definition. In a tool, they
// depend on the numbers of related and unrelated words. In a prompt, they depend on the words and
// concepts that do not occur elsewhere.
func (x *Clauses) signals(list []uint32, f fit) []uint32 {
	if x.tool {
		near := relatedBasis.byte(byte(min(f.related, 3)))
		far := strangeBasis.byte(byte(min(f.strange/2, 5)))
		return append(list, near.mixed(), far.mixed(), near.and(x.place).mixed(), far.and(x.place).mixed(), near.and(far).mixed())
	}
	if x.inShortPrompt {
		return list
	}
	ratio := foreignBasis.byte(byte(min(5*f.strange/max(1, f.strange+f.related), 4)))
	far := strangeBasis.byte(byte(min(f.strange/2, 5)))
	return append(list, ratio.mixed(), far.mixed(), ratio.and(far).mixed(), novelBasis.byte(byte(min(f.novel, 5))).mixed())
}

// clausesOf stores the features of s in x.
func (c *View) clausesOf(s *Sentence, x *Clauses) {
	x.reset(len(s.clauses))
	place := s.place()
	x.place, x.tool, x.inShortPrompt = fnvBasis.str(place), c.IsAction(), c.isShortPrompt()
	x.wholeSentence.name(signalGroup, "@", place)
	for _, rule := range s.frames {
		x.wholeSentence.name(namedGroup, "frame:", rule)
	}
	if s.text.Param != "" {
		for w := range wordsIn(s.text.Param) {
			x.wholeSentence.name(namedGroup, "param:", stem(w))
		}
	}
	var before []*term
	for i := range s.clauses {
		x.joined[i] = s.clauses[i].Joined
		words := c.clauseOf(x, i, s.source[s.clauses[i].Start:s.clauses[i].End], &s.clauses[i].Concepts)
		x.bridges[i] = bridge(x.bridges[i][:0], before, words)
		before = words
	}
}

// bridge appends the phrases that extend across the boundary of two clauses. prev contains the
// words of the first clause, and next contains the words of the second clause.
func bridge(list []uint32, prev, next []*term) []uint32 {
	if len(prev) == 0 || len(next) == 0 {
		return list
	}
	last := prev[len(prev)-1].phrase.then(next[0])
	list = append(list, last.mixed())
	if len(next) > 1 {
		list = append(list, last.then(next[1]).mixed())
	}
	if len(prev) > 1 {
		list = append(list, prev[len(prev)-2].phrase.then(prev[len(prev)-1]).then(next[0]).mixed())
	}
	return list
}

// clauseOf stores the features of clause i in x and returns the words of the clause.
func (c *View) clauseOf(x *Clauses, i int, text string, concepts *scan.Set) []*term {
	f, st := &x.list[i], c.scoringContext()
	x.concepts[i] = f.concepts(x.place, concepts, x.concepts[i][:0])
	words := x.vocabulary.split(x.words[i%2], text, st)
	x.words[i%2] = words
	x.fitness[i] = f.words(words, st)
	f.phrases(words)
	for _, w := range words {
		f[pieceGroup] = append(f[pieceGroup], w.pieces...)
	}
	if x.tool || x.inShortPrompt {
		return words
	}
	for _, k := range x.concepts[i] {
		if st.concepts[k.number] < 2 {
			x.fitness[i].novel++
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

// onceBasis is the hash of the prefix of the features for concepts that occur in only one sentence.
var onceBasis = fnvBasis.str("once")

// place returns the feature for the kind of text that contains s.
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

// conceptHashes returns the hash of each concept, indexed by number. The hash is 0 for a concept
// about the domain of a tool, because such concepts are not scored.
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

// maxPaired is the maximum number of concepts of a clause that form pairs.
const maxPaired = 24

type concept struct {
	number uint16
	hash   hash32
}

// concepts adds the features of the concepts in set: each concept alone, combined with the place,
// and in pairs. It appends the concepts that form pairs to list and returns list.
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

// conceptPairs yields the feature of each pair of a concept of clause i and a concept of clause j.
// The concept with the lower number is the first of the pair, as in pairs within a clause.
func (x *Clauses) conceptPairs(i, j int) func(yield func(uint32) bool) {
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

// words adds the feature of the stem of each given word. The result counts the words that fit the
// definition and the words that do not.
func (f *Features) words(words []*term, st *scoringContext) fit {
	var fit fit
	from := len(f[namedGroup])
	for _, w := range words {
		if w.stem == "" || slices.Contains(f[namedGroup][from:], w.named) {
			continue
		}
		f[namedGroup] = append(f[namedGroup], w.named)
		switch {
		case st.topics[w.stem], st.count[w.stem] > 1:
			fit.related++
		case len(w.stem) > 2 && w.stem[0] != '~':
			fit.strange++
		}
	}
	return fit
}

// then extends a phrase by the word w and returns the new hash of the phrase. h is the hash of the
// phrase before the extension.
func (h hash32) then(w *term) hash32 { return h.byte(' ').str(w.text) }

// phrases adds the features of all sequences of two and three words.
func (f *Features) phrases(words []*term) {
	for i := range words {
		h := words[i].phrase
		for k := 1; k < 3 && i+k < len(words); k++ {
			h = h.then(words[i+k])
			f[phraseGroup] = append(f[phraseGroup], h.mixed())
		}
	}
}

// pieces appends the features of all sequences of three to five characters in w, including a mark
// for each end of w. In writing systems without spaces, the sequences have one to three characters.
func pieces(list []uint32, w string) []uint32 {
	if w[0] == '~' {
		return list
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
				list = append(list, h.mixed())
			}
		}
		return list
	}
	runes := []rune(w)
	shortest, longest := 3, 5
	if unspaced(runes[0]) {
		shortest, longest = 1, 3
	}
	for i := range runes {
		for n := shortest; n <= longest && i+n <= len(runes); n++ {
			list = append(list, fnvBasis.str(string(runes[i:i+n])).mixed())
		}
	}
	return list
}
