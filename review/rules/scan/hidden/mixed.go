// This file finds words that mix letters of several scripts.

package hidden

import (
	"unicode"
	"unicode/utf8"

	"toolcrib/review/rules/scan/letters"
)

// FindMixed returns the words of text that mix Latin letters with letters of another script that
// imitate Latin ones, which is a way to make a word look like another (UTS #39, section 5,
// mixed-script confusables). It skips a Latin abbreviation with a short inflection of the
// surrounding language, two words of different scripts joined at a capital letter, and a Greek
// letter used as a symbol ("Δt", "µm", "β-carotene").
func FindMixed(text string) [][2]int {
	var found [][2]int
	for i := 0; i < len(text) && len(found) < MaxRuns; {
		start := i
		for i < len(text) && text[i] < utf8.RuneSelf {
			i++
		}
		for i > start && letters.IsLetter(text[i-1]) {
			i-- // words that consist of ASCII letters are not mixed
		}
		if i == len(text) {
			break
		}
		w, n := mixedWord(text[i:])
		if w.mixed() {
			found = append(found, [2]int{i, i + n})
		}
		i += max(n, 1)
	}
	return found
}

// spelling counts the letters of a word.
type spelling struct {
	latin, upper, imitating, strange int
	greek                            int // Greek letters among the imitating ones
	tail                             int // imitating letters after the last Latin one
	switches                         int // number of changes between the scripts
	compound                         bool
	last                             rune
}

// follow records the change of script, if any, between the previous letter and r.
func (w *spelling) follow(r rune) {
	if w.last != 0 && (w.last < utf8.RuneSelf) != (r < utf8.RuneSelf) {
		w.switches++
		w.compound = unicode.IsUpper(r)
	}
	w.last = r
}

// mixedWord reads the word at the start of text and returns its length in bytes.
func mixedWord(text string) (w spelling, n int) {
	for n < len(text) {
		r, size := utf8.DecodeRuneInString(text[n:])
		switch {
		case r < utf8.RuneSelf:
			if !letters.IsLetter(byte(r)) {
				return w, max(n, size)
			}
			w.follow(r)
			w.latin++
			w.tail = 0
			if letters.IsUpper(byte(r)) {
				w.upper++
			}
		case letters.Ignorable(r), unicode.Is(unicode.Mn, r):
		case !unicode.IsLetter(r):
			return w, max(n, size)
		case letters.ScriptOf(r) == letters.Imitating:
			w.follow(r)
			if letters.Imitates(r) == 0 {
				w.strange++
				break
			}
			w.imitating++
			w.tail++
			if unicode.Is(unicode.Greek, r) {
				w.greek++
			}
		}
		n += size
	}
	return w, n
}

// mixed reports whether the word mixes scripts and no exception of FindMixed applies.
func (w *spelling) mixed() bool {
	switch {
	case w.latin == 0 || w.imitating == 0 || w.strange > 0:
		return false
	case w.greek == w.imitating && w.greek == 1 && w.latin <= 3:
		return false
	case w.upper == w.latin && w.imitating == w.tail && w.tail <= 3:
		return false
	case w.switches == 1 && w.compound && w.latin > 1 && w.imitating > 1:
		return false // one word in each script, joined in a name: "XMLСтрока"
	}
	return true
}
