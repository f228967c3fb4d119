package builtin

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"toolcrib/internal/folding"
)

// NameKey returns a key for comparing names. It ignores letter case and the amount
// of white space.
func NameKey(name string) string {
	return strings.ToLower(norm.NFC.String(strings.Join(strings.Fields(name), " ")))
}

// fold normalizes a word for comparison: it removes letter case, accents and the
// differences between forms of a letter.
func fold(s string) string {
	var b strings.Builder
	for _, r := range s {
		for _, d := range folding.Decompose(r) {
			if !accent(d) {
				b.WriteRune(unicode.ToLower(d))
			}
		}
	}
	return b.String()
}

// accent reports whether r is a mark that people omit: an accent, a vowel point, or
// a voicing mark of kana. Marks of scripts such as Devanagari are letters.
func accent(r rune) bool {
	switch {
	case r >= 0x0300 && r <= 0x036f, r >= 0x0591 && r <= 0x05c7, r >= 0x064b && r <= 0x065f, r == 0x3099, r == 0x309a:
		return true
	}
	return false
}

// maxWord limits a word, in characters; the rest is ignored.
const maxWord = 40

// words returns the folded words of a text in order. For scripts without spaces, it
// returns overlapping pairs of letters.
func words(s string) []string {
	var out []string
	var word []rune
	var run []rune  // letters of a script without spaces
	elided := false // the word follows an apostrophe
	flush := func() {
		if len(word) > 1 || len(word) == 1 && !elided { // a single letter is an ending: Anna's
			out = append(out, string(word[:min(len(word), maxWord)]))
		}
		word, elided = word[:0], false
		for i := range run {
			if i+1 < len(run) {
				out = append(out, string(run[i:i+2]))
			} else if i == 0 {
				out = append(out, string(run))
			}
		}
		run = run[:0]
	}
	for _, r := range fold(s) {
		switch {
		case folding.Unspaced(r):
			if len(word) > 0 {
				flush()
			}
			run = append(run, r)
		case unicode.IsLetter(r), unicode.IsNumber(r), unicode.IsMark(r):
			if len(run) > 0 {
				flush()
			}
			word = append(word, r)
		case r == '\'' || r == '’':
			flush()
			elided = true
		default:
			flush()
		}
	}
	flush()
	return out
}

// Lengths of prefixes that represent other forms of a word.
const (
	stemLength      = 5
	shortStemLength = 4 // of words that are only slightly longer
	shortWord       = 6
)

// stems returns the prefixes that a word shares with its other forms, or nil for a
// word of three letters. This works for all languages that inflect words by
// endings.
func stems(word string) []string {
	var out []string
	letters := []rune(word)
	if n := len(letters); n >= shortStemLength && n <= shortWord {
		out = append(out, string(letters[:shortStemLength]))
	}
	if len(letters) >= stemLength {
		out = append(out, string(letters[:stemLength]))
	}
	return out
}

// Terms are words and other search keys. Each kind has its own prefix, a character
// that does not occur in words.
const (
	wordMark = ":"
	stemMark = "~"
	gramMark = "^"
)

// textTerms returns the search terms of texts, their words and stems, without
// duplicates.
func textTerms(texts ...string) []string {
	var out []string
	seen := map[string]bool{}
	add := func(term string) {
		if !seen[term] {
			seen[term] = true
			out = append(out, term)
		}
	}
	for _, text := range texts {
		for _, w := range words(text) {
			add(wordMark + w)
			for _, s := range stems(w) {
				add(stemMark + s)
			}
		}
	}
	return out
}

// grams returns the trigrams of the words in a name, including word boundaries,
// without duplicates: similar spellings share most of them.
func grams(name string) []string {
	var out []string
	seen := map[string]bool{}
	for _, w := range words(name) {
		letters := []rune("_" + w + "_")
		for i := 0; i+3 <= len(letters); i++ {
			g := gramMark + string(letters[i:i+3])
			if !seen[g] {
				seen[g] = true
				out = append(out, g)
			}
		}
	}
	return out
}

// Weights of words that are found in another form.
const (
	otherForm = 0.6
	sameStem  = 0.3
)

// fit rates how well a word matches a list of words.
func fit(word string, among []string) float64 {
	best := 0.0
	for _, w := range among {
		if w == word {
			return 1
		}
		best = max(best, forms(word, w))
	}
	return best
}

// forms rates how likely two words are forms of the same word: they have a common
// prefix and short endings.
func forms(a, b string) float64 {
	x, y := []rune(a), []rune(b)
	same := 0
	for same < min(len(x), len(y)) && x[same] == y[same] {
		same++
	}
	switch rest := max(len(x), len(y)) - same; {
	case same == min(len(x), len(y)) && same >= shortStemLength && rest <= shortWord-shortStemLength:
		return otherForm
	case same < stemLength:
		return 0
	case rest <= 3:
		return otherForm
	}
	return sameStem
}
