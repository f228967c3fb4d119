package wording

import (
	"slices"
	"strings"
	"sync"
	"unicode"
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

// nameHash is the hash of a named feature.
func nameHash(name string) uint32 { return fnvBasis.str(name).mixed() }

// featuresOf collects the features of a sentence.
func (c *View) featuresOf(s *Sentence, f *Features) {
	f.reset()
	place := s.place()
	f.name(signalGroup, "@", place)
	if s.first && c.IsAction() { // in a prompt an order may stand anywhere
		f.name(signalGroup, "@first.", place)
	}
	for _, rule := range s.frames {
		f.name(namedGroup, "frame:", rule)
	}
	f.concepts(place, &s.concepts)
	words := tokens(s.Text, c.setting())
	if s.text.Param != "" {
		for w := range wordsIn(s.text.Param) {
			f.name(namedGroup, "param:", stem(w))
		}
	}
	c.wordFeatures(words, place, f)
	if !c.IsAction() {
		c.surroundings(s, words, f)
	}
	f.phrases(words)
	for _, w := range words {
		f.pieces(w)
	}
}

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

// maxPaired is how many concepts of a sentence are weighed in pairs.
const maxPaired = 24

// concepts adds the concepts of a sentence, with its place, and their pairs.
func (f *Features) concepts(place string, set *scan.Set) {
	all, at := conceptHashes(), fnvBasis.str(place)
	var list [maxPaired]hash32
	n := 0
	for i := range set.Numbers() {
		h := all[i]
		if h == 0 {
			continue
		}
		f[namedGroup] = append(f[namedGroup], h.mixed(), h.and(at).mixed())
		if n < len(list) {
			for _, first := range list[:n] {
				f[pairGroup] = append(f[pairGroup], first.and(h).mixed())
			}
			list[n] = h
			n++
		}
	}
}

// wordFeatures adds words by their stem and how they fit the tool: how many of
// them are about it, and how many occur nowhere else.
func (c *View) wordFeatures(words []string, place string, f *Features) {
	st := c.setting()
	related, strange := 0, 0
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
		case !c.IsAction():
		case st.about[w]:
			related++
		case st.count[w] < 2:
			strange++
		}
	}
	if !c.IsAction() {
		return
	}
	near, far := []string{"0", "1", "2", "3"}[min(related, 3)], []string{"0", "1", "2", "3", "4"}[min(strange/2, 4)]
	f.name(signalGroup, "@related", near)
	f.name(signalGroup, "@strange", far)
	f.name(signalGroup, "@related", near, "@", place)
	f.name(signalGroup, "@strange", far, "@", place)
	f.name(signalGroup, "@related", near, "@strange", far)
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

// unspaced reports whether r belongs to a script that puts no spaces between
// words.
func unspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// maxWords is how many words of a sentence are weighed.
const maxWords = 400

// tokens cuts text into words in lower case. Addresses, files and the names of
// tools become place holders, since only their kind counts.
func tokens(text string, st *setting) []string {
	list := make([]string, 0, 32)
	for chunk := range strings.FieldsSeq(scan.Fold(text)) {
		if len(list) >= maxWords {
			break
		}
		written := chunk
		chunk = strings.ToLower(chunk)
		switch {
		case strings.Contains(chunk, "://") || strings.HasPrefix(chunk, "www."):
			list = append(list, "~url")
			continue
		case strings.IndexByte(chunk, '@') > 0 && strings.Contains(chunk, "."):
			list = append(list, "~mail")
			continue
		case strings.HasPrefix(chunk, "~/") || strings.HasPrefix(chunk, "/") && strings.Count(chunk, "/") > 1:
			list = append(list, "~path")
		}
		list = cutWords(list, chunk, strings.IndexByte(written, '_') > 0 && written == strings.ToUpper(written), st)
	}
	return list
}

// cutWords adds the words of a chunk without spaces. Names in capitals, such as
// those of variables of the environment, are no tools.
func cutWords(list []string, chunk string, capitals bool, st *setting) []string {
	for word := range strings.FieldsFuncSeq(chunk, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '\'' }) {
		if i := strings.IndexByte(word, '_'); i > 0 && i < len(word)-1 {
			switch {
			case capitals:
				list = append(list, "~constant")
			case st.another(word):
				list = append(list, "~other")
			default:
				list = append(list, "~own")
			}
		}
		for part := range strings.FieldsFuncSeq(word, func(r rune) bool { return r == '_' || r == '\'' }) {
			switch c := part[0]; {
			case c >= '0' && c <= '9':
				list = append(list, "0")
			default:
				list = append(list, part)
			}
		}
	}
	return list
}
