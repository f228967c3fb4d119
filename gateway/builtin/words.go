package builtin

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"toolcrib/internal/folding"
)

// NameKey returns what names are compared by: letter case and the amount of
// white space make no difference.
func NameKey(name string) string {
	return strings.ToLower(norm.NFC.String(strings.Join(strings.Fields(name), " ")))
}

// fold returns what words are compared by: without letter case, accents and
// the differences between forms of a letter.
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

// accent reports whether r is a mark that people leave out: an accent, a vowel
// point, or what makes a syllable of kana a voiced one. In scripts such as
// Devanagari marks are letters.
func accent(r rune) bool {
	switch {
	case r >= 0x0300 && r <= 0x036f, r >= 0x0591 && r <= 0x05c7, r >= 0x064b && r <= 0x065f, r == 0x3099, r == 0x309a:
		return true
	}
	return false
}

// maxWord limits how many characters of a word count.
const maxWord = 40

// words returns the words of a text, folded, in their order. Scripts that are
// written without spaces give pairs of letters that overlap.
func words(s string) []string {
	var out []string
	var word []rune
	var run []rune  // letters of a script without spaces
	elided := false // the word follows an apostrophe
	flush := func() {
		if len(word) > 1 || len(word) == 1 && !elided { // a letter alone is an ending: Anna's
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

// Numbers of letters at the beginning of a word that stand for it in another form.
const (
	stemLength      = 5
	shortStemLength = 4 // of words that are hardly longer
	shortWord       = 6
)

// stems returns the beginnings that a word shares with its other forms, none
// for one of three letters. That works alike in every language that changes
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

// Terms are words and what else something is found by, each kind behind a
// character that no word has.
const (
	wordMark = ":"
	stemMark = "~"
	gramMark = "^"
)

// textTerms returns what texts are found by: their words and stems, each once.
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

// grams returns the groups of three letters in the words of a name, with its
// edges, each once: names that are spelt alike share most of them.
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

// fit rates how well a word is found among others.
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

// forms rates how likely two words are forms of one: they begin alike, and what
// follows is short.
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
