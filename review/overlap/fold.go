package overlap

import (
	"unicode"
	"unicode/utf8"

	"toolcrib/internal/folding"
)

// class is the role of a character in words.
type class uint8

const (
	boundary class = iota // white space, punctuation, symbols
	letter                // part of a word; digits too
	nothing               // neither seen nor heard: invisible characters, accents
	glyph                 // a word by itself: scripts that put no space between words
)

// folded is a character without compatibility forms, accents and case.
type folded struct {
	class class
	text  string
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
	for _, d := range folding.Decompose(r) {
		if unicode.In(d, unicode.L, unicode.N, unicode.Mc) {
			b = utf8.AppendRune(b, unicode.ToLower(d))
		}
	}
	switch {
	case len(b) == 0:
		return folded{class: boundary}
	case folding.Unspaced(r):
		return folded{class: glyph, text: string(b)}
	}
	return folded{class: letter, text: string(b)}
}

// folder caches folded characters: a text has few different ones.
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
