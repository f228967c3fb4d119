package scan

import (
	"fmt"
	"iter"
	"maps"
	"math/bits"
	"slices"
	"strings"
	"sync"

	"toolcrib/review/rules/scan/disguise"
)

// Grammar is a lexicon and the frames to look for in its terms. It is
// immutable and safe for concurrent use.
type Grammar struct {
	lex     *lexicon
	groups  map[string]string
	parts   map[string]*part // by their names, while frames are compiled; nil afterwards
	frames  []frame
	names   []string
	weights []int // by concept: how often it is met, in some unit
	// frequency is how often a common word is met.
	frequency map[string]int
	// byAnchor lists, for each concept, the frames whose anchor it can fill.
	byAnchor [][]uint16
	anchors  Set // the named concepts among these
	verbs    Set // the concepts that have a verb

	// What the shape of the text gives.
	url, email, host, path, phone, number, ident, quoted, tag, bracket, label, caps, account          uint16
	not, negator, negatorAfter, joining, unnegator, alternative, asking, reporting, reported, refusal uint16
	lead, tld, rot13, backwards                                                                       uint16
	readers                                                                                           sync.Pool
}

// Spec is the source of a Grammar.
//
// Some concepts are the scanner's own: url, email, host, path, phone, number
// (digits), ident (a name such as read_file or a name in quotation marks),
// quoted (a single word in quotation marks), tag (a word in angle brackets),
// bracket (the first word in square brackets at the start of a word), label (a
// word followed by a colon), caps (a word in capitals), account (an IBAN or
// the address of a wallet). It takes meaning from two of the lexicon: lead
// (words that may precede an imperative) and tld (top-level domains), and, for
// the Stance of a match, from not, negator, negatorAfter (words that negate what stands
// before them), joining (words that
// begin a clause), unnegator (words that take a negation back), alternative ("or"), asking (words by which somebody else speaks),
// wReporting and wReported (words that tell what others do, before and after it) and
// refusal.
type Spec struct {
	Entries []Entry
	Groups  map[string]string // a name for several concepts joined by "|"
	Frames  []Frame
	// Common lists frequent words of the texts to be scanned, the most
	// frequent first. It makes scanning fast and changes nothing else.
	Common string
	// Coded lists common words. Two of them in ROT13 or written backwards
	// betray a text that has to be turned back before it is read.
	Coded string
}

// Compile builds a Grammar. It fails on a pattern that does not parse or names a
// concept without words.
func Compile(spec Spec) (*Grammar, error) {
	g := &Grammar{lex: newLexicon(), groups: spec.Groups, parts: map[string]*part{}}
	own := map[string]*uint16{
		"url": &g.url, "email": &g.email, "host": &g.host, "path": &g.path, "phone": &g.phone, "number": &g.number,
		"ident": &g.ident, "quoted": &g.quoted, "tag": &g.tag, "bracket": &g.bracket, "label": &g.label, "caps": &g.caps, "account": &g.account,
		"not": &g.not, "negator": &g.negator, "negatorAfter": &g.negatorAfter, "joining": &g.joining, "unnegator": &g.unnegator, "alternative": &g.alternative, "asking": &g.asking, "wReporting": &g.reporting, "wReported": &g.reported, "refusal": &g.refusal,
		"lead": &g.lead, "tld": &g.tld, "rot13": &g.rot13, "backwards": &g.backwards,
	}
	for _, name := range slices.Sorted(maps.Keys(own)) { // the same numbers in every process
		*own[name] = g.lex.concept(name)
	}
	for _, e := range spec.Entries {
		g.lex.add(e)
		if strings.Contains(e.Words, "~") {
			g.verbs.add(g.lex.concept(e.Concept))
		}
	}
	for w := range strings.FieldsSeq(spec.Coded) {
		g.lex.add(Entry{"rot13", disguise.ToRot13(w)})
		g.lex.add(Entry{"backwards", disguise.Backwards(w)})
	}
	g.frequency = map[string]int{}
	for rank, w := range strings.Fields(spec.Common) {
		if g.frequency[w] == 0 {
			g.frequency[w] = weightFirst / (rank + 3)
		}
	}
	g.frames, g.names = make([]frame, 0, len(spec.Frames)), make([]string, 0, len(spec.Frames))
	for _, f := range spec.Frames {
		c, err := g.compile(f)
		if err != nil {
			return nil, fmt.Errorf("%s: %q: %w", f.Name, f.Pattern, err)
		}
		g.frames = append(g.frames, c)
		g.names = append(g.names, f.Name)
	}
	g.parts = nil
	g.index()
	g.lex.means.layOut(len(g.lex.list))
	g.lex.closes.layOut(int(g.lex.nodes))
	g.readers.New = func() any { return newReader(g) }
	return g, nil
}

// Concept returns the set that holds the named concept, or the members of the
// named group. It is empty when there is no such name.
func (g *Grammar) Concept(name string) Set {
	p, err := g.concepts(name)
	if err != nil {
		return Set{}
	}
	return p.set
}

// Each yields the names of the concepts in s, in the order in which the lexicon
// has them.
func (g *Grammar) Each(s Set) iter.Seq[string] {
	return func(yield func(string) bool) {
		for n := range s.Numbers() {
			if !yield(g.lex.names[n]) {
				return
			}
		}
	}
}

// Numbers yields the places in Names of the concepts in s.
func (s *Set) Numbers() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, word := range s[:maxNamed/64] {
			for ; word != 0; word &= word - 1 {
				if !yield(i<<6 + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}

// first returns the name of the first named concept in s, "" when there is none.
func (g *Grammar) first(s Set) string {
	for name := range g.Each(s) {
		return name
	}
	return ""
}

// Names lists the named concepts, by the number of their bit in a Set. It is not
// to be changed.
func (g *Grammar) Names() []string { return g.lex.names }

// Meets reports whether s and o have a concept in common.
func (s Set) Meets(o Set) bool { return s.meets(&o) }

// index lists the frames by the concepts of their rarest step.
func (g *Grammar) index() {
	concepts := maxNamed + int(g.lex.literals)
	g.byAnchor = make([][]uint16, concepts)
	g.weigh(concepts)
	for n := range g.frames {
		f := &g.frames[n]
		for i := range f.steps {
			if g.weight(&f.steps[i]) < g.weight(&f.steps[f.anchor]) {
				f.anchor = i
			}
		}
		for _, c := range f.steps[f.anchor].members {
			g.byAnchor[c] = append(g.byAnchor[c], uint16(n))
			g.anchors.add(c)
		}
	}
}

// Weights of words: the most common one, any that is not common, a phrase, and
// what shape gives.
const (
	weightFirst  = 100_000
	weightCommon = 1_200 // noted only where it is asked for
	weightRare   = 20
	weightPhrase = 2
	weightShape  = 2_000
)

// weigh estimates how often each concept is met: the frequency of a common
// word falls with its rank (Zipf's law), the others are rare.
func (g *Grammar) weigh(concepts int) {
	g.weights = make([]int, concepts)
	frequency := map[uint32]int{}
	for w, n := range g.frequency {
		frequency[g.lex.words.get(hash(w))] = n
	}
	for _, e := range g.lex.means.entered {
		g.weights[e.concept] += max(weightRare, frequency[e.of])
	}
	for _, e := range g.lex.closes.entered {
		g.weights[e.concept] += weightPhrase
	}
	for _, c := range []uint16{g.url, g.email, g.host, g.path, g.phone, g.number, g.ident, g.quoted, g.tag, g.bracket, g.label, g.caps, g.account} {
		g.weights[c] += weightShape
	}
}
