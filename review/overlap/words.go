package overlap

import (
	"unicode"
	"unicode/utf8"

	"toolcrib/internal/folding"
)

// word is a word of a text, folded, and its bytes in the text.
type word struct {
	folded     []byte // valid only until the next word
	start, end int
}

// words calls found for each word of text in turn: a run of letters and
// digits, folded. Case, accents, punctuation and invisible characters make no
// difference; in scripts without spaces every character is a word.
func words(text string, found func(word)) {
	var f folder
	var w word
	open := false
	finish := func() {
		if open {
			found(w)
		}
		w.folded, open = w.folded[:0], false
	}
	begin := func(at int) {
		if !open {
			w.start, open = at, true
		}
	}
	for i := 0; i < len(text); {
		at, c := i, text[i]
		if c < utf8.RuneSelf {
			i++
			switch l := lower(c); {
			case l != 0:
				begin(at)
				w.folded, w.end = append(w.folded, l), i
			case c != '\'':
				finish()
			}
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		switch folded := f.fold(r); folded.class {
		case boundary:
			finish()
		case nothing:
		case glyph:
			finish()
			begin(at)
			w.folded, w.end = append(w.folded, folded.text...), i
			finish()
		case letter:
			begin(at)
			w.folded, w.end = append(w.folded, folded.text...), i
		}
	}
	finish()
}

// lower returns what an ASCII letter or digit is compared as, 0 for all else.
func lower(c byte) byte {
	switch {
	case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
		return c
	case c >= 'A' && c <= 'Z':
		return c | 0x20
	}
	return 0
}

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
