// This file splits text into words for scoring.

package wording

import (
	"iter"
	"slices"
	"strings"
	"unicode"

	"toolcrib/review/rules/scan/letters"
)

// words parses a space-separated list into a set.
func words(list string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		set[w] = true
	}
	return set
}

// LetterOrDigit reports whether r is an ASCII letter or digit.
func LetterOrDigit(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}

// withoutLinks returns text without URLs, because their words do not belong to the sentence.
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
		for start > 0 && LetterOrDigit(rune(text[start-1])) {
			start--
		}
		for end < len(text) && text[end] > ' ' && text[end] != ')' && text[end] != '"' {
			end++
		}
		b.WriteString(text[:start])
		text = text[end:]
	}
}

// stopWords are words that say nothing about the topic of a tool.
var stopWords = words("a an the of to and or in on for with from by is are be it this that as at if was were has have had been its which there then")

// stem returns w without regular English inflections. It is approximate: it only has to map all
// forms of a word to the same stem.
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

// undouble removes the last letter of w if it is a repetition, except for l and s.
func undouble(w string) string {
	if n := len(w); n > 3 && w[n-1] == w[n-2] && w[n-1] != 'l' && w[n-1] != 's' {
		return w[:n-1]
	}
	return w
}

// wordsOf returns the words that wordsIn yields.
func wordsOf(text string) []string { return slices.Collect(wordsIn(text)) }

// wordsIn yields the words of ASCII letters in text, in lower case. It splits names such as apiKey
// and api_key and yields "0" for every number.
func wordsIn(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		start := -1
		for i := 0; i <= len(text); i++ {
			if i < len(text) && text[i] == '\'' && start >= 0 && i+1 < len(text) && LetterOrDigit(rune(text[i+1]|0x20)) {
				continue
			}
			in := i < len(text) && LetterOrDigit(rune(text[i]))
			if start >= 0 && (!in || startsWord(text[i-1], text[i])) {
				if !yield(normalize(text[start:i])) {
					return
				}
				start = -1
			}
			if in && start < 0 {
				start = i
			}
		}
	}
}

// startsWord reports whether a new word begins between two adjacent letters or digits.
func startsWord(before, after byte) bool {
	digit := func(c byte) bool { return c >= '0' && c <= '9' }
	return after >= 'A' && after <= 'Z' && before >= 'a' && before <= 'z' || before != '\'' && digit(before) != digit(after)
}

// normalize returns the plain form of a word: lower case, no apostrophes, and "0" for a number.
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

// unspaced reports whether r belongs to a script that is written without spaces between words.
func unspaced(r rune) bool {
	return r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// maxWords limits the number of words that are scored in a clause.
const maxWords = 400

// tokens splits text into lower-case words. It returns them in list, which it overwrites. It
// replaces addresses, file paths, and tool names with placeholders, because only their kind
// matters.
func tokens(list []string, text string, st *scoringContext) []string {
	list = list[:0]
	for chunk := range strings.FieldsSeq(letters.Fold(text)) {
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
		list = splitWords(list, chunk, strings.IndexByte(written, '_') > 0 && written == strings.ToUpper(written), st)
	}
	return list
}

// lowerLetters reports whether a word consists of the letters a to z.
func lowerLetters(word string) bool {
	for i := range len(word) {
		if word[i] < 'a' || word[i] > 'z' {
			return false
		}
	}
	return word != ""
}

// splitWords appends the words of a chunk without spaces to list. Names in capitals are taken for
// environment variables, not for tools.
func splitWords(list []string, chunk string, capitals bool, st *scoringContext) []string {
	if word := strings.TrimRight(chunk, ".,:;!?)\"`*"); word != "args" && lowerLetters(word) { // the common case
		return append(list, word)
	}
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
