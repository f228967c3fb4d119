// This file finds words that mix letters of several writing systems.

package hidden

import (
	"unicode"
	"unicode/utf8"

	"toolcrib/review/rules/scan/letters"
)

// FindMixed returns the byte ranges of the words in text that mix Latin letters with letters of
// another writing system that imitate Latin letters. Such a mixture can make a word look like
// another word (UTS #39, section 5, mixed-script confusables). FindMixed skips a Latin abbreviation
// with a short inflection of the surrounding language, two words of different writing systems
// joined at a capital letter, and a Greek letter used as a symbol ("Δt", "µm", "β-carotene").
func FindMixed(text string) [][2]int {
	var found [][2]int
	for i := 0; i < len(text) && len(found) < MaxRuns; {
		start := i
		for i < len(text) && text[i] < utf8.RuneSelf {
			i++
		}
		for i > start && letters.IsLetter(text[i-1]) {
			i-- // include the ASCII letters directly before the first other character
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
	greek                            int // number of imitating letters that are Greek
	tail                             int // number of imitating letters after the last Latin letter
	switches                         int // number of changes between the writing systems
	compound                         bool
	last                             rune
}

// follow records whether the writing system changes between the previous letter and r.
func (w *spelling) follow(r rune) {
	if w.last != 0 && (w.last < utf8.RuneSelf) != (r < utf8.RuneSelf) {
		w.switches++
		w.compound = unicode.IsUpper(r)
	}
	w.last = r
}

// mixedWord counts the letters of the word at the start of text. It also returns the length of the
// word in bytes.
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

// mixed reports whether the word mixes writing systems and is not an exception; see FindMixed.
func (w *spelling) mixed() bool {
	switch {
	case w.latin == 0 || w.imitating == 0 || w.strange > 0:
		return false
	case w.greek == w.imitating && w.greek == 1 && w.latin <= 3:
		return false
	case w.upper == w.latin && w.imitating == w.tail && w.tail <= 3:
		return false
	case w.switches == 1 && w.compound && w.latin > 1 && w.imitating > 1:
		return false // two words in different writing systems, joined in a name: "XMLСтрока"
	}
	return true
}
