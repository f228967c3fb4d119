package overlap

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// class is what a character is to the reader of words.
type class uint8

const (
	boundary class = iota // white space, punctuation, symbols
	letter                // part of a word; digits too
	nothing               // neither seen nor heard: invisible characters, accents
	glyph                 // a word by itself: scripts that put no space between words
)

// folded is a character reduced to what it reads as: compatibility forms,
// accents and case are gone.
type folded struct {
	class class
	text  string
}

// unspaced are the scripts that run words together.
var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

// fold reduces a character outside ASCII.
func fold(r rune) folded {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point):
		return folded{class: nothing}
	case r == '’': // the apostrophe of "don’t"
		return folded{class: nothing}
	case !unicode.In(r, unicode.L, unicode.N, unicode.Mc, unicode.So):
		return folded{class: boundary}
	}
	var b []byte
	for _, d := range decompose(r) {
		if unicode.In(d, unicode.L, unicode.N, unicode.Mc) {
			b = utf8.AppendRune(b, unicode.ToLower(d))
		}
	}
	switch {
	case len(b) == 0:
		return folded{class: boundary}
	case unicode.In(r, unspaced...) && unicode.IsLetter(r):
		return folded{class: glyph, text: string(b)}
	}
	return folded{class: letter, text: string(b)}
}

// decompose returns the full compatibility decomposition of r (NFKD, UAX #15).
func decompose(r rune) string {
	if d := norm.NFKD.PropertiesString(string(r)).Decomposition(); d != nil {
		return string(d)
	}
	return string(r)
}

// folder remembers what it has folded: the characters of a text are few.
type folder struct {
	cache *[cached]struct {
		r rune
		f folded
	}
}

const cached = 1 << 10

func (f *folder) fold(r rune) folded {
	if f.cache == nil {
		f.cache = new([cached]struct {
			r rune
			f folded
		})
	}
	e := &f.cache[uint32(r)%cached]
	if e.r != r {
		e.r, e.f = r, fold(r)
	}
	return e.f
}
