package builtin

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// NameKey returns what names are compared by: letter case and the amount of
// white space make no difference.
func NameKey(name string) string {
	return strings.ToLower(norm.NFC.String(strings.Join(strings.Fields(name), " ")))
}

// fold returns what words are compared by: without letter case, accents and
// the differences between forms of a letter.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(unfold.Replace(s)))
}

// unfold writes letters that do not come apart under normalisation as people
// write them who do not have them.
var unfold = strings.NewReplacer("ß", "ss", "ẞ", "ss", "ø", "o", "Ø", "o", "ł", "l", "Ł", "l", "æ", "ae", "Æ", "ae", "œ", "oe", "Œ", "oe", "đ", "d", "Đ", "d", "ð", "d", "þ", "th")

// maxWord is how many characters of a word count.
const maxWord = 40

// words returns the words of a text, folded, in their order. Scripts that are
// written without spaces give pairs of letters that overlap.
func words(s string) []string {
	var out []string
	var word []rune
	var run []rune // letters of a script without spaces
	flush := func() {
		if len(word) > 0 {
			out = append(out, string(word[:min(len(word), maxWord)]))
			word = word[:0]
		}
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
		case unspaced(r):
			if len(word) > 0 {
				flush()
			}
			run = append(run, r)
		case unicode.IsLetter(r), unicode.IsNumber(r), unicode.Is(unicode.Mc, r):
			if len(run) > 0 {
				flush()
			}
			word = append(word, r)
		case r == '\'' || r == '’': // rock'n'roll is one word
		default:
			flush()
		}
	}
	flush()
	return out
}

// unspaced reports whether r is of a script whose words stand without spaces.
func unspaced(r rune) bool {
	return r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// stemLength is how many letters stand for a word whose ending differs.
const stemLength = 5

// stem returns the beginning that a word shares with its other forms, "" for a
// short word. That works alike in every language that changes endings.
func stem(word string) string {
	letters := 0
	for i := range word {
		if letters == stemLength {
			return word[:i]
		}
		letters++
	}
	if letters == stemLength {
		return word
	}
	return ""
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
			if s := stem(w); s != "" {
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
