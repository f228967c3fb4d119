// Package letters folds each character to the plain letter that the character is or imitates.
package letters

import (
	_ "embed" // the confusable characters
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Class determines how the scanner reads a character.
type Class uint8

// The classes of characters.
const (
	Other  Class = iota // punctuation and symbols
	Space               // white space
	Letter              // part of a word
	Digit
	Skip     // invisible characters and combining marks
	Unspaced // letter of a writing system without spaces between words
)

// Imitates returns the ASCII character that r resembles, or 0 if r resembles none.
func Imitates(r rune) byte { return imitations()[r] }

// Script is a set of groups of writing systems. It distinguishes only whether letters can imitate
// Latin letters.
type Script uint8

// The groups: Latin, the writing systems with letters that imitate Latin letters, and all others.
const (
	Latin Script = 1 << iota
	Imitating
	Foreign
)

// Folded is the plain form of a character.
type Folded struct {
	Class  Class
	Script Script
	Upper  bool
	// Text is the character in lower case, without accents and presentation forms. ASCII is the
	// ASCII letter or digit that the character is or imitates, or 0.
	Text  string
	ASCII byte
}

//go:embed confusables.txt
var confusables string

// imitations returns a map from characters to the ASCII characters that they resemble.
var imitations = sync.OnceValue(func() map[rune]byte {
	m := make(map[rune]byte, 1024)
	for line := range strings.Lines(confusables) {
		for field := range strings.FieldsSeq(line[1:]) {
			if r, err := strconv.ParseUint(field, 16, 32); err == nil && line[0] != '#' {
				m[rune(r)] = line[0]
			}
		}
	}
	return m
})

// foldRune returns the folded form of r, which must not be an ASCII character.
func foldRune(r rune) Folded {
	switch {
	case Ignorable(r):
		return Folded{Class: Skip}
	case r >= 0x0900 && r <= 0x0dff && unicode.In(r, unicode.Mn, unicode.Mc) && r != 0x093c && r != 0x09bc && r != 0x0a3c:
		// In Indic writing systems, a sign that represents a vowel or joins consonants is a letter
		// of its word and not an accent. The dot below a letter (nukta) is an exception, because it
		// also occurs in composed letters.
		return Folded{Class: Letter, Script: Foreign, Text: string(r)}
	case unicode.In(r, unicode.Mn, unicode.Me):
		return Folded{Class: Skip}
	case unicode.IsSpace(r), unicode.Is(unicode.Z, r):
		return Folded{Class: Space, Text: " "}
	case NoSpaces(r):
		return Folded{Class: Unspaced, Script: Foreign, Text: string(r)}
	}
	f := Folded{Script: ScriptOf(r), Upper: unicode.IsUpper(r) || unicode.IsTitle(r)}
	f.ASCII = imitations()[r]
	for _, d := range decompose(r) {
		switch {
		case unicode.In(d, unicode.Mn, unicode.Me), d == '(' && r != d, d == ')' && r != d:
			// Drop accents and the brackets of a parenthesized letter.
		case d < 0x80:
			f.Text += string(unicode.ToLower(d))
			f.Upper = f.Upper || unicode.IsUpper(d)
		default:
			d = unicode.ToLower(d)
			if a := imitations()[d]; a != 0 {
				if f.ASCII == 0 || f.Text == "" {
					f.ASCII = a
				}
				if f.Script == Latin {
					f.Text += string(rune(a))
					continue
				}
			}
			f.Text += string(d)
		}
	}
	if len(f.Text) == 1 && IsWord(f.Text[0]) {
		f.ASCII, f.Script = f.Text[0], Latin
	}
	switch {
	case f.Text == "":
		return Folded{Class: Skip}
	case IsDigits(f.Text):
		f.Class = Digit
	case unicode.IsLetter(r), unicode.Is(unicode.Nl, r), f.ASCII != 0, IsWord(f.Text[0]):
		f.Class = Letter
	default:
		f.Class = Other
	}
	return f
}

// decompose returns the full compatibility decomposition of r (NFKD of UAX #15). It also decomposes
// ß, æ, and œ, which NFKD leaves unchanged.
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

// ScriptOf returns the group of the writing system of r, or 0 if r is not a letter.
func ScriptOf(r rune) Script {
	switch {
	case unicode.Is(unicode.Latin, r):
		return Latin
	case unicode.In(r, unicode.Cyrillic, unicode.Greek, unicode.Cherokee, unicode.Armenian, unicode.Coptic, unicode.Lisu):
		return Imitating
	case unicode.IsLetter(r):
		return Foreign
	}
	return 0
}

// NoSpaces reports whether r belongs to a writing system that is treated as having no spaces
// between words.
func NoSpaces(r rune) bool {
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

// IsWord reports whether c is an ASCII letter or digit.
func IsWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// IsDigits reports whether s is not empty and consists of ASCII digits.
func IsDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// Skeleton maps letters and leet symbols to letters. The result is the same for characters that
// look similar. For example, "1gn0r3" and "ignore" have the same skeleton. It returns 0 unless c is
// a lower-case letter or a leet symbol.
func Skeleton(c byte) byte {
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

// Fold returns text with every character outside ASCII in its plain form. It converts letters that
// imitate ASCII letters, styled letters, and accented letters to plain lower-case letters, and
// removes invisible characters and combining marks. It does not change ASCII characters.
func Fold(text string) string {
	if Plain(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	cache := caches.Get().(*Cache) //nolint:forcetypeassert // nothing else is stored
	defer caches.Put(cache)
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			b.WriteByte(c)
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		switch f := cache.Fold(r); {
		case f.Class == Skip:
		case f.ASCII != 0:
			b.WriteByte(f.ASCII)
		default:
			b.WriteString(f.Text)
		}
		i += n
	}
	return b.String()
}

// Cache caches the folded forms of characters outside ASCII. Most texts contain only a few
// different characters outside ASCII.
type Cache [256]struct {
	r rune
	f Folded
}

var caches = sync.Pool{New: func() any { return new(Cache) }}

// Fold returns the folded form of r, which must not be an ASCII character. The result is valid
// until the next call.
func (c *Cache) Fold(r rune) *Folded {
	e := &c[uint32(r)%uint32(len(c))]
	if e.r != r {
		e.r, e.f = r, foldRune(r)
	}
	return &e.f
}

// Lower returns the ASCII letter c in lower case.
func Lower(c byte) byte {
	if IsUpper(c) {
		return c | 0x20
	}
	return c
}

// Ignorable reports whether r is an invisible character.
func Ignorable(r rune) bool {
	switch {
	case r < 0xad:
		return false
	case r == 0xad, r == 0x34f, r == 0x61c, r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5, r == 0x2800, r == 0x3164, r == 0xffa0:
		return true
	case r >= 0x180b && r <= 0x180f, r >= 0x200b && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x206f:
		return true
	case r >= 0xfe00 && r <= 0xfe0f, r == 0xfeff, r >= 0xfff0 && r <= 0xfffb, r >= 0x1bca0 && r <= 0x1bca3:
		return true
	case r >= 0x1d173 && r <= 0x1d17a, r >= 0xe0000 && r <= 0xe0fff:
		return true
	}
	return false
}

// Plain reports whether text consists of printable ASCII, line feeds, and tabs, and therefore
// cannot contain hidden characters.
func Plain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < 0x20 && c != '\n' && c != '\t' || c >= 0x7f {
			return false
		}
	}
	return true
}

// IsLetter reports whether c is an ASCII letter.
func IsLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// IsUpper reports whether c is an ASCII letter in upper case.
func IsUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

// IsASCII reports whether s consists of ASCII characters.
func IsASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
