// This file compiles a lexicon and frames into a grammar.

package scan

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"math/bits"
	"slices"
	"strings"
	"sync"

	"toolcrib/internal/lists"
	"toolcrib/review/rules/scan/disguise"
)

// Grammar is a compiled lexicon with compiled frames. It is immutable and safe for concurrent use.
type Grammar struct {
	lex     *lexicon
	groups  map[string]string
	parts   map[string]*part // cache of concepts, by names; used only while frames are compiled
	frames  []frame
	names   []string
	weights []int // estimated frequency of each concept, in an arbitrary unit
	// frequency is the estimated frequency of each common word.
	frequency map[string]int
	// byAnchor contains, for each concept, the frames with this concept in their anchor.
	byAnchor [][]uint16
	anchors  Set // the named concepts in byAnchor
	verbs    Set // the concepts with a verb among their entries

	// Concepts that the scanner treats specially; see Spec.
	url, email, host, path, phone, number, ident, quoted, tag, bracket, label, caps, account          uint16
	not, negator, negatorAfter, joining, unnegator, alternative, asking, reporting, reported, refusal uint16
	lead, tld, rot13, backwards                                                                       uint16
	readers                                                                                           sync.Pool
	sets                                                                                              sync.Map // cache of the results of Concept
}

// Spec is the source of a Grammar.
//
// The scanner itself recognizes these concepts: url, email, host, path, phone, number (digits),
// ident (a name such as read_file or a name in quotation marks), quoted (a single word in quotation
// marks), tag (a word in angle brackets), bracket (a word after "[" at the start of a word), label
// (a word before a colon), caps (a word in capitals), and account (an IBAN or a wallet address).
//
// Some concepts of the lexicon have a special meaning for the scanner: lead (words that may precede
// an imperative) and tld (top-level domains). Other concepts determine the Stance of a match: not,
// negator, negatorAfter (words that negate the words before them), joining (words that begin a
// clause), unnegator (words that cancel a negation), alternative ("or"), asking (words that
// introduce the speech of a third party), wReporting and wReported (words before and after a report
// of the acts of others), and refusal.
type Spec struct {
	Entries []Entry
	Groups  map[string]string // names of groups, with the concepts of each group joined by "|"
	Frames  []Frame
	// Common contains the words that are most frequent in the texts to scan, in descending order of
	// frequency. These words speed up scanning and do not affect the results.
	Common string
	// Coded contains common words. If two such words occur in ROT13 or backwards, the text is
	// decoded and scanned again.
	Coded string
}

// Compile builds a Grammar. It returns an error if a pattern is invalid or refers to an unknown
// concept.
func Compile(spec Spec) (*Grammar, error) {
	g := &Grammar{lex: newLexicon(), groups: spec.Groups, parts: map[string]*part{}}
	own := map[string]*uint16{
		"url": &g.url, "email": &g.email, "host": &g.host, "path": &g.path, "phone": &g.phone, "number": &g.number,
		"ident": &g.ident, "quoted": &g.quoted, "tag": &g.tag, "bracket": &g.bracket, "label": &g.label, "caps": &g.caps, "account": &g.account,
		"not": &g.not, "negator": &g.negator, "negatorAfter": &g.negatorAfter, "joining": &g.joining, "unnegator": &g.unnegator, "alternative": &g.alternative, "asking": &g.asking, "wReporting": &g.reporting, "wReported": &g.reported, "refusal": &g.refusal,
		"lead": &g.lead, "tld": &g.tld, "rot13": &g.rot13, "backwards": &g.backwards,
	}
	for _, name := range slices.Sorted(maps.Keys(own)) { // sorted, so that the concepts get the same numbers in every process
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
	g.lex.means.build(len(g.lex.list))
	g.lex.closes.build(int(g.lex.nodes))
	g.readers.New = func() any { return newReader(g) }
	return g, nil
}

// Concept returns the set of the named concepts. name consists of names of concepts or groups,
// joined by "|". If one of the names is unknown, the set is empty.
func (g *Grammar) Concept(name string) Set {
	if known, ok := g.sets.Load(name); ok {
		return *known.(*Set) //nolint:forcetypeassert // nothing else is stored
	}
	var set Set
	if p, err := g.concepts(name); err == nil {
		set = p.set
	}
	g.sets.Store(name, &set)
	return set
}

// Numbers yields the number of each named concept in s. Grammar.Names is indexed by these numbers.
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

// Names returns the names of the named concepts, indexed by their bit in a Set. Callers must not
// modify the result.
func (g *Grammar) Names() []string { return g.lex.names }

// Meets reports whether s and o have a common concept.
func (s Set) Meets(o Set) bool { return s.meets(&o) }

// index estimates the frequency of each concept. It then selects the rarest step of each frame as
// the anchor of the frame, and indexes the frames by the concepts of their anchors.
func (g *Grammar) index() {
	concepts := maxNamed + int(g.lex.literals)
	g.byAnchor = make([][]uint16, concepts)
	// The frequency of common words decreases with their rank (Zipf's law). All other words are
	// rare.
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
	for n := range g.frames {
		f := &g.frames[n]
		for i := range f.steps {
			if g.weight(&f.steps[i]) < g.weight(&f.steps[f.anchor]) {
				f.anchor = i
			}
		}
		others := slices.Delete(slices.Clone(f.steps), f.anchor, f.anchor+1)
		slices.SortStableFunc(others, func(a, b step) int { return cmp.Compare(g.weight(&a), g.weight(&b)) })
		f.others = lists.Map(others, func(st step) *part { return st.part })
		for _, c := range f.steps[f.anchor].members {
			g.byAnchor[c] = append(g.byAnchor[c], uint16(n))
			g.anchors.add(c)
		}
	}
}

// Weights are estimated frequencies, in an arbitrary unit.
const (
	weightFirst  = 100_000 // the most common word
	weightCommon = 1_200   // only literal words with a smaller weight are indexed
	weightRare   = 20      // a word that is not common
	weightPhrase = 2       // a phrase
	weightShape  = 2_000   // a concept that the scanner recognizes by the shape of the text
)
