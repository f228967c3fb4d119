package overlap

import "unicode/utf8"

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
