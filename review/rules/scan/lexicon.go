// This file compiles the lexicon and maps words and phrases to concepts.

package scan

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"toolcrib/review/rules/scan/letters"
)

// Set is a set of concepts. Each named concept has a separate bit. The concepts for literal words
// of patterns are numerous and share the last 64 bits. If such a bit is 1, the set may contain any
// concept that shares the bit.
type Set [5]uint64

const (
	maxBits  = 5 * 64
	maxNamed = 4 * 64 // the number of the first concept for literal words
)

// bit returns the index of the bit for concept c in a Set.
func bit(c uint16) uint16 {
	if c < maxNamed {
		return c
	}
	return maxNamed + c%(maxBits-maxNamed)
}

func (s *Set) add(c uint16)      { c = bit(c); s[c>>6] |= 1 << (c & 63) }
func (s *Set) has(c uint16) bool { c = bit(c); return s[c>>6]&(1<<(c&63)) != 0 }

func (s *Set) union(o *Set) { s[0] |= o[0]; s[1] |= o[1]; s[2] |= o[2]; s[3] |= o[3]; s[4] |= o[4] }

func (s *Set) meets(o *Set) bool {
	return s[0]&o[0]|s[1]&o[1]|s[2]&o[2]|s[3]&o[3]|s[4]&o[4] != 0
}

// Entry assigns words and phrases to a concept.
type Entry struct {
	Concept string // a name without spaces; several entries may share it
	// Words contains lexemes, separated by commas or line breaks. A lexeme is a word or phrase in
	// any writing system, and is folded in the same way as text. A final "~" marks a word as a verb
	// and includes all its regular forms. A final "^" marks a word as a noun and includes its
	// plural.
	Words string
}

// form is a set of inflections.
type form uint8

const (
	base    form = 1 << iota // the form in a dictionary, and the imperative
	third                    // "reads"
	past                     // "asked", and irregular forms that the lexicon lists separately
	ing                      // "sending"
	anyForm = base | third | past | ing
)

// word contains the concepts of a word in the lexicon, and the phrases that begin with the word.
type word struct {
	set Set
	// opens is the node of the phrases that begin with the word, or 0.
	opens uint32
}

// meaning is a concept that a word or phrase has, and the form of the word or phrase.
type meaning struct {
	concept uint16
	form    form
}

// meanings maps numbers of words or nodes to their concepts. The lexicon first collects all
// entries. The build method then moves them to a single list, which avoids many small lists.
type meanings struct {
	entered []entered
	list    []meaning
	ends    []uint32 // end of the meanings of each number in list; see build
}

type entered struct {
	of uint32
	meaning
}

// get returns the meanings of n in the order in which they were entered.
func (m *meanings) get(n uint32) []meaning { return m.list[m.ends[n]:m.ends[n+1]] }

// build moves the collected entries to the list. All numbers must be below n.
func (m *meanings) build(n int) {
	m.ends = make([]uint32, n+2) // ends[k+1] is initially the start of the range of k; each meaning that is added to the range advances ends[k+1]
	for _, e := range m.entered {
		m.ends[e.of+2]++
	}
	for i := range n {
		m.ends[i+2] += m.ends[i+1]
	}
	m.list = make([]meaning, len(m.entered))
	for _, e := range m.entered {
		m.list[m.ends[e.of+1]] = e.meaning
		m.ends[e.of+1]++
	}
	m.entered = nil
}

// lexicon is a compiled set of entries.
type lexicon struct {
	words    table
	list     []word
	means    meanings // of words
	concepts map[string]uint16
	names    []string // names of the named concepts, by number
	named    uint16   // number of named concepts
	literals uint16   // number of concepts for literal words of a pattern
	// phrases is an automaton that maps a node and the next word to the next node; see stepKey. A
	// node represents the words of a phrase that have been read. nodes is the number of nodes.
	phrases table
	nodes   uint32
	closes  meanings // meanings of the phrases that end at a node
	phrase  []uint32 // scratch space for the words of a phrase
	folds   letters.Cache
	// skeletons maps skeletons to words with at least minLeet letters. See letters.Skeleton.
	skeletons table
	// starts contains the first characters of words in writing systems without spaces.
	starts map[rune]bool
	// prefixes is a bitmap of the first three letters of all words with at least minJoined letters.
	prefixes [26*26*26/64 + 1]uint64
}

// stepKey returns the key in lexicon.phrases for a transition. The transition begins at the node
// with the number state and reads the given word.
func stepKey(state, word uint32) uint64 { return (uint64(state)<<32 | uint64(word)) * hashPrime }

const (
	minLeet  = 4
	maxGlyph = 10 // maximum number of characters of a word in a writing system without spaces
)

func newLexicon() *lexicon {
	const usual = 1 << 14 // capacity that avoids reallocation
	return &lexicon{
		list: make([]word, 1, usual), concepts: map[string]uint16{}, nodes: 1, starts: map[rune]bool{},
		means: meanings{entered: make([]entered, 0, usual)}, closes: meanings{entered: make([]entered, 0, usual)},
	}
}

// concept returns the number of the named concept. It creates the concept if necessary.
func (l *lexicon) concept(name string) uint16 {
	c, ok := l.concepts[name]
	if !ok {
		if l.named == maxNamed {
			panic("scan: too many concepts")
		}
		c = l.named
		l.named++
		l.concepts[name] = c
		l.names = append(l.names, name)
	}
	return c
}

// literal returns the number of the concept that consists of exactly the given words of a pattern,
// such as "'before'|'prior_to'". It creates the concept if necessary.
func (l *lexicon) literal(words string) uint16 {
	c, ok := l.concepts[words]
	if !ok {
		c = maxNamed + l.literals
		l.literals++
		l.concepts[words] = c
		for w := range strings.SplitSeq(words, "|") {
			l.enterAll(c, strings.ReplaceAll(strings.Trim(w, "'"), "_", " "))
		}
	}
	return c
}

func (l *lexicon) add(e Entry) { l.enterAll(l.concept(e.Concept), e.Words) }

// enterAll assigns each lexeme in words to concept c.
func (l *lexicon) enterAll(c uint16, words string) {
	for len(words) > 0 {
		lexeme := words
		if i := strings.IndexAny(words, ",\n"); i >= 0 {
			lexeme, words = words[:i], words[i+1:]
		} else {
			words = ""
		}
		lexeme = strings.TrimSpace(lexeme)
		if lexeme == "" {
			continue
		}
		first, rest, _ := strings.Cut(lexeme, " ")
		if !inflects(first) {
			l.addLexeme(first, rest, meaning{c, base})
			continue
		}
		for _, f := range inflect(first) {
			l.addLexeme(f.text, rest, meaning{c, f.form})
		}
	}
}

// addLexeme adds the lexeme that consists of head, which is already inflected, and the words in
// tail.
func (l *lexicon) addLexeme(head, tail string, m meaning) {
	ids := l.appendIDs(l.phrase[:0], head)
	for w := range strings.FieldsSeq(tail) {
		if inflects(w) {
			for _, f := range inflect(w) {
				l.addPhrase(l.appendIDs(ids[:len(ids):len(ids)], f.text), m)
			}
			return
		}
		ids = l.appendIDs(ids, w)
	}
	l.phrase = ids
	l.addPhrase(ids, m)
}

func (l *lexicon) addPhrase(ids []uint32, m meaning) {
	switch len(ids) {
	case 0:
		panic("scan: an empty lexeme")
	case 1:
		l.list[ids[0]].set.add(m.concept)
		l.means.entered = append(l.means.entered, entered{ids[0], m})
		return
	}
	state := l.list[ids[0]].opens
	if state == 0 {
		state = l.node()
		l.list[ids[0]].opens = state
	}
	for _, id := range ids[1:] {
		key := stepKey(state, id)
		next := l.phrases.get(key)
		if next == 0 {
			next = l.node()
			l.phrases.put(key, next)
		}
		state = next
	}
	l.closes.entered = append(l.closes.entered, entered{state, m})
}

// node allocates a node and returns its number.
func (l *lexicon) node() uint32 {
	l.nodes++
	return l.nodes - 1
}

// appendIDs splits s into words, as the scanner would, and appends the numbers of the words. It
// adds unknown words to the lexicon.
func (l *lexicon) appendIDs(ids []uint32, s string) []uint32 {
	if simple(s) {
		return append(ids, id(l, s))
	}
	before := len(ids)
	l.splitWords(s, func(w []byte) { ids = append(ids, id(l, w)) })
	if len(ids) == before {
		panic(fmt.Sprintf("scan: %q contains no word", s))
	}
	return ids
}

// splitWords folds s and calls visit for each of its words. It splits s in the same way as the
// reader does. visit must not retain its argument.
func (l *lexicon) splitWords(s string, visit func(word []byte)) {
	w := make([]byte, 0, len(s))
	end := func() {
		if len(w) > 0 && string(w) != "." {
			visit(w)
		}
		w = w[:0]
	}
	glyphs := false
	for i, r := range s {
		switch {
		case r == '\'' || r == '’':
		case r == '.' && (i == 0 || s[i-1] == ' '):
			end()
			w = append(w, '.')
		case r < utf8.RuneSelf && letters.IsWord(byte(r)):
			if glyphs {
				end()
			}
			glyphs = false
			w = append(w, letters.Lower(byte(r)))
		case r < utf8.RuneSelf:
			end()
		default:
			f := l.folds.Fold(r)
			switch f.Class {
			case letters.Skip:
			case letters.Letter, letters.Digit, letters.Unspaced:
				if glyphs != (f.Class == letters.Unspaced) {
					end()
				}
				glyphs = f.Class == letters.Unspaced
				w = append(w, f.Text...)
			case letters.Other, letters.Space:
				end()
			}
		}
	}
	end()
}

// simple reports whether s is a single word of lower-case ASCII letters.
func simple(s string) bool {
	for i := range len(s) {
		if s[i] < 'a' || s[i] > 'z' {
			return false
		}
	}
	return s != ""
}

// id returns the number of the word w in l. If w is unknown, id adds w to the lexicon and to its
// indexes by skeleton, prefix, and first character.
func id[T string | []byte](l *lexicon, w T) uint32 {
	h := hash(w)
	if id := l.words.get(h); id != 0 {
		return id
	}
	id, text := uint32(len(l.list)), string(w)
	l.list = append(l.list, word{})
	l.words.put(h, id)
	if len(text) >= minLeet {
		if h, ok := skeletonHash(text); ok && l.skeletons.get(h) == 0 {
			l.skeletons.put(h, id)
		}
	}
	if p := prefix(text); p >= 0 && len(text) >= minJoined {
		l.prefixes[p>>6] |= 1 << (p & 63)
	}
	if r, _ := utf8.DecodeRuneInString(text); letters.NoSpaces(r) {
		l.starts[r] = true
	}
	return id
}

// prefix returns the first three letters of s as an index in lexicon.prefixes, or -1 if s does not
// begin with three ASCII letters.
func prefix(s string) int {
	if len(s) < 3 {
		return -1
	}
	p := 0
	for i := range 3 {
		c := int(s[i] | 0x20)
		if c < 'a' || c > 'z' {
			return -1
		}
		p = 26*p + c - 'a'
	}
	return p
}

// skeletonHash returns the hash of the skeleton of s. It returns false if letters.Skeleton does not
// support a character of s.
func skeletonHash(s string) (h uint64, ok bool) {
	h = hashSeed
	for i := range len(s) {
		c := letters.Skeleton(s[i])
		if c == 0 {
			return 0, false
		}
		h = (h ^ uint64(c)) * hashPrime
	}
	return h, s != ""
}
