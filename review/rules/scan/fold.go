package scan

import (
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// class is the kind of a character to the tokenizer.
type class uint8

const (
	other  class = iota // punctuation and symbols
	space               // white space
	letter              // part of a word
	digit
	skip     // nothing to the eye: invisible characters and combining marks
	unspaced // letter of a script that puts no spaces between words
)

// script is a bit for each writing system whose letters imitate Latin ones.
type script uint8

const (
	latin script = 1 << iota
	lookalike
	foreign
)

// folded is the plain form of a character.
type folded struct {
	class  class
	script script
	upper  bool
	// text is the character in lower case without accents and presentation;
	// ascii the Latin letter or digit it imitates, 0 when there is none.
	text  string
	ascii byte
}

// indicVowel reports whether r is a sign of the scripts of India that stands for a
// vowel or joins consonants: a letter of its word, which it neither ends nor only
// accents.
func indicVowel(r rune) bool {
	return r >= 0x0900 && r <= 0x0dff && unicode.In(r, unicode.Mn, unicode.Mc) && !nukta(r)
}

// nukta reports whether r is the dot below a letter, which composed letters have too.
func nukta(r rune) bool { return r == 0x093c || r == 0x09bc || r == 0x0a3c }

// imitates returns the ASCII character that r can be taken for, 0 if none.
var imitates = sync.OnceValue(func() map[rune]byte {
	m := make(map[rune]byte, 1024)
	for ascii, looks := range confusables {
		for _, r := range looks {
			m[r] = ascii
		}
	}
	return m
})

// foldRune folds one character outside ASCII.
func foldRune(r rune) folded {
	switch {
	case ignorable(r):
		return folded{class: skip}
	case indicVowel(r):
		return folded{class: letter, script: foreign, text: string(r)}
	case unicode.In(r, unicode.Mn, unicode.Me):
		return folded{class: skip}
	case unicode.IsSpace(r), unicode.Is(unicode.Z, r):
		return folded{class: space, text: " "}
	case noSpaces(r):
		return folded{class: unspaced, script: foreign, text: string(r)}
	}
	f := folded{script: scriptOf(r), upper: unicode.IsUpper(r) || unicode.IsTitle(r)}
	f.ascii = imitates()[r]
	for _, d := range decompose(r) {
		switch {
		case unicode.In(d, unicode.Mn, unicode.Me), d == '(' && r != d, d == ')' && r != d:
			// Accents, and the brackets of a parenthesised letter.
		case d < 0x80:
			f.text += string(unicode.ToLower(d))
			f.upper = f.upper || unicode.IsUpper(d)
		default:
			d = unicode.ToLower(d)
			if a := imitates()[d]; a != 0 {
				if f.ascii == 0 || f.text == "" {
					f.ascii = a
				}
				if f.script == latin {
					f.text += string(rune(a))
					continue
				}
			}
			f.text += string(d)
		}
	}
	if len(f.text) == 1 && isWord(f.text[0]) {
		f.ascii, f.script = f.text[0], latin
	}
	switch {
	case f.text == "":
		return folded{class: skip}
	case isDigits(f.text):
		f.class = digit
	case unicode.IsLetter(r), unicode.Is(unicode.Nl, r), f.ascii != 0, isWord(f.text[0]):
		f.class = letter
	default:
		f.class = other
	}
	return f
}

// decompose returns the full compatibility decomposition of r (NFKD of UAX
// #15), with the letters it leaves whole spelled out.
func decompose(r rune) []rune {
	switch r {
	case 'ß', 'ẞ':
		return []rune("ss")
	case 'æ', 'Æ':
		return []rune("ae")
	case 'œ', 'Œ':
		return []rune("oe")
	}
	if d := norm.NFKD.PropertiesString(string(r)).Decomposition(); d != nil {
		return []rune(string(d))
	}
	return []rune{r}
}

func scriptOf(r rune) script {
	switch {
	case unicode.Is(unicode.Latin, r):
		return latin
	case unicode.In(r, unicode.Cyrillic, unicode.Greek, unicode.Cherokee, unicode.Armenian, unicode.Coptic, unicode.Lisu):
		return lookalike
	case unicode.IsLetter(r):
		return foreign
	}
	return 0
}

// noSpaces reports whether r belongs to a script that runs words together.
func noSpaces(r rune) bool {
	switch {
	case r < 0x0e00:
		return false
	case r >= 0x4e00 && r <= 0x9fff, r >= 0x3041 && r <= 0x30fe, r >= 0xac00 && r <= 0xd7a3:
		return true
	case r >= 0x3400 && r <= 0x4dbf, r >= 0x20000 && r <= 0x3ffff:
		return true
	}
	return unicode.In(r, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) && unicode.IsLetter(r)
}

// isWord reports whether c is an ASCII letter or digit.
func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// skeleton maps the characters of leet spelling, and the letters they are confused
// with, to one representative each, so that "1gn0r3", "ignor€" and "ignore" have
// the same skeleton. It returns 0 for a character that replaces no letter.
func skeleton(c byte) byte {
	switch c {
	case 'i', 'l', '1', '!', '|', 'j':
		return 'l'
	case 'o', '0':
		return 'o'
	case 'e', '3':
		return 'e'
	case 'a', '4', '@':
		return 'a'
	case 's', '5', '$':
		return 's'
	case 't', '7', '+':
		return 't'
	case 'b', '8':
		return 'b'
	case 'g', '9', '6':
		return 'g'
	case 'z', '2':
		return 'z'
	}
	if c >= 'a' && c <= 'z' {
		return c
	}
	return 0
}
