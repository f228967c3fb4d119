// This file splits text into words for scoring.

package wording

import (
	"iter"
	"slices"
	"strings"
	"unicode"

	"toolcrib/review/rules/scan/letters"
)

// words returns the set of the words in list, which are separated by white space.
func words(list string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		set[w] = true
	}
	return set
}

// letterOrDigit reports whether r is an ASCII letter or digit.
func letterOrDigit(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}

// withoutLinks returns text without URLs, because the words in a URL do not belong to the sentence.
func withoutLinks(text string) string {
	if !strings.Contains(text, "://") {
		return text
	}
	var b strings.Builder
	for {
		start := strings.Index(text, "://")
		if start < 0 {
			return b.String() + text
		}
		end := start
		for start > 0 && letters.IsWord(text[start-1]) {
			start--
		}
		for end < len(text) && text[end] > ' ' && text[end] != ')' && text[end] != '"' {
			end++
		}
		b.WriteString(text[:start])
		text = text[end:]
	}
}

// stopWords are words that do not indicate the topic of a tool.
var stopWords = words("a an the of to and or in on for with from by is are be it this that as at if was were has have had been its which there then")

// stem returns w without regular English inflections. The result need not be a word, but it is
// the same for all forms of a word.
func stem(w string) string {
	n := len(w)
	switch {
	case n > 5 && strings.HasSuffix(w, "ing"):
		return strings.TrimSuffix(undouble(w[:n-3]), "e")
	case n > 4 && strings.HasSuffix(w, "ied"), n > 4 && strings.HasSuffix(w, "ies"):
		return w[:n-3] + "y"
	case n > 4 && strings.HasSuffix(w, "ed"):
		return strings.TrimSuffix(undouble(w[:n-2]), "e")
	case n > 4 && strings.HasSuffix(w, "es"):
		return w[:n-2]
	case n > 3 && strings.HasSuffix(w, "s") && w[n-2] != 's':
		return strings.TrimSuffix(w[:n-1], "e")
	case n > 4 && strings.HasSuffix(w, "e"):
		return w[:n-1]
	}
	return w
}

// stems returns the stems of the words in text.
func stems(text string) map[string]bool {
	set := map[string]bool{}
	for w := range wordsIn(text) {
		set[stem(w)] = true
	}
	return set
}

// undouble returns w without its last letter if that letter repeats the previous one and is neither
// l nor s.
func undouble(w string) string {
	if n := len(w); n > 3 && w[n-1] == w[n-2] && w[n-1] != 'l' && w[n-1] != 's' {
		return w[:n-1]
	}
	return w
}

// wordsOf returns the words that wordsIn yields, as a slice.
func wordsOf(text string) []string { return slices.Collect(wordsIn(text)) }

// Kinds of bytes in words. The kind of any other byte is 0.
const (
	small = iota + 1
	capital
	number
)

var wordBytes = func() (t [256]uint8) {
	for c := range t {
		switch b := byte(c); {
		case b >= 'a' && b <= 'z':
			t[c] = small
		case b >= 'A' && b <= 'Z':
			t[c] = capital
		case b >= '0' && b <= '9':
			t[c] = number
		}
	}
	return t
}()

// wordsIn yields the words of ASCII letters in text, in lower case. It splits names such as apiKey
// and api_key into words. For every number, it yields "0".
func wordsIn(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := 0; i < len(text); {
			start := i
			for i < len(text) {
				c := wordBytes[text[i]]
				if c == 0 && (i == start || text[i] != '\'' || i+1 == len(text) || wordBytes[text[i+1]|0x20] == 0) {
					break
				}
				if i > start && c != 0 {
					before := wordBytes[text[i-1]]
					if before == small && c == capital || before != 0 && (before == number) != (c == number) {
						break
					}
				}
				i++
			}
			if i == start {
				i++
			} else if !yield(normalize(text[start:i])) {
				return
			}
		}
	}
}

// normalize returns word in lower case without apostrophes, or "0" if word is a number.
func normalize(word string) string {
	if word[0] >= '0' && word[0] <= '9' {
		return "0"
	}
	word = strings.ToLower(word)
	if strings.IndexByte(word, '\'') >= 0 {
		return strings.ReplaceAll(word, "'", "")
	}
	return word
}

// unspaced reports whether r belongs to a writing system without spaces between words.
func unspaced(r rune) bool {
	return r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// maxWords is the maximum number of words that are scored in a clause.
const maxWords = 400

// term is a word with its features.
type term struct {
	text   string // the word in lower case, or the placeholder that replaces it
	stem   string // "" for a stop word
	phrase hash32 // hash of a phrase that begins with the word
	named  uint32 // the feature of the stem
	pieces []uint32
}

// vocabulary caches the term of each word, because most words occur many times.
type vocabulary struct {
	terms  map[string]*term
	pieces []uint32 // the features of all terms
	lower  []byte   // scratch space
}

// These limits prevent a vocabulary from keeping all words of a large text.
const (
	maxVocabulary = 1 << 13
	maxKept       = 32 // maximum length in bytes of a cached word
)

// term returns the term of word. word may contain capital letters only in ASCII.
func (v *vocabulary) term(word string) *term {
	v.lower = v.lower[:0]
	for i := range len(word) {
		v.lower = append(v.lower, letters.Lower(word[i]))
	}
	if t, ok := v.terms[string(v.lower)]; ok {
		return t
	}
	if len(v.terms) == maxVocabulary || v.terms == nil {
		v.terms, v.pieces = map[string]*term{}, nil
	}
	word = string(v.lower)
	t := &term{text: word, phrase: fnvBasis.str(word)}
	if !stopWords[word] {
		t.stem = stem(word)
		t.named = wordBasis.str(t.stem).mixed()
	}
	if len(word) > maxKept {
		t.pieces = pieces(nil, word)
		return t
	}
	before := len(v.pieces)
	v.pieces = pieces(v.pieces, word)
	t.pieces = v.pieces[before:len(v.pieces):len(v.pieces)]
	v.terms[word] = t
	return t
}

// split splits text into words and returns their terms. It overwrites list to avoid an allocation.
func (v *vocabulary) split(list []*term, text string, st *scoringContext) []*term {
	list = list[:0]
	for chunk := range strings.FieldsSeq(letters.Fold(text)) {
		if len(list) >= maxWords {
			break
		}
		end := len(chunk)
		for end > 0 && strings.IndexByte(".,:;!?)\"`*", chunk[end-1]) >= 0 {
			end--
		}
		if word := chunk[:end]; onlyLetters(word) && !strings.EqualFold(word, "args") { // the common case
			list = append(list, v.term(word))
			continue
		}
		for _, word := range tokens(chunk, st) {
			list = append(list, v.term(word))
		}
	}
	return list
}

// onlyLetters reports whether all bytes of a word are ASCII letters.
func onlyLetters(word string) bool {
	for i := range len(word) {
		if !letters.IsLetter(word[i]) {
			return false
		}
	}
	return word != ""
}

// tokens splits a piece of text without spaces into words in lower case. It replaces addresses,
// file paths, and tool names by placeholders, because only their kind matters. Names in capital
// letters with underscores are taken for environment variables, not for tools.
func tokens(written string, st *scoringContext) []string {
	chunk := strings.ToLower(written)
	var list []string
	switch {
	case strings.Contains(chunk, "://") || strings.HasPrefix(chunk, "www."):
		return []string{"~url"}
	case strings.IndexByte(chunk, '@') > 0 && strings.Contains(chunk, "."):
		return []string{"~mail"}
	case strings.HasPrefix(chunk, "~/") || strings.HasPrefix(chunk, "/") && strings.Count(chunk, "/") > 1:
		list = append(list, "~path")
	}
	capitals := strings.IndexByte(written, '_') > 0 && written == strings.ToUpper(written)
	for word := range strings.FieldsFuncSeq(chunk, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '\'' }) {
		if i := strings.IndexByte(word, '_'); i > 0 && i < len(word)-1 {
			switch {
			case capitals:
				list = append(list, "~constant")
			case st.isForeignName(word):
				list = append(list, "~other")
			default:
				list = append(list, "~own")
			}
		}
		for part := range strings.FieldsFuncSeq(word, func(r rune) bool { return r == '_' || r == '\'' }) {
			switch c := part[0]; {
			case part == "args": // the heading of the parameters in a docstring
			case c >= '0' && c <= '9':
				list = append(list, "0")
			default:
				list = append(list, part)
			}
		}
	}
	return list
}
