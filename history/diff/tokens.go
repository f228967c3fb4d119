package diff

import (
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// class describes what a token is made of.
type class uint8

const (
	other class = iota // one character: punctuation, a symbol, an ideograph, an invisible
	word               // letters, digits and "_"
	space              // a run of white space
)

// token is the unit in which lines are compared: text[start:end].
type token struct {
	start, end int32
	id         int32 // equal for equal tokens
	class      class
}

func (t token) len() int { return int(t.end - t.start) }

// tokenize appends the tokens of line to ts. Characters are those a reader
// sees (extended grapheme clusters, Unicode Standard Annex 29), so that no
// token begins with a combining mark or tears a flag apart.
func tokenize(ts []token, line string, ids *interner) []token {
	last := class(255) // of the token before, unless that cannot be continued
	add := func(start, end int, c class, single bool) {
		if c == last && !single {
			ts[len(ts)-1].end = int32(end)
			return
		}
		ts = append(ts, token{start: int32(start), end: int32(end), class: c})
		if last = c; single {
			last = 255
		}
	}
	first := len(ts)
	at := 0
	for at < len(line) && line[at] < utf8.RuneSelf && (at+1 == len(line) || line[at+1] < utf8.RuneSelf) {
		c, single := classify(rune(line[at]))
		add(at, at+1, c, single)
		at++
	}
	if at < len(line) { // from the first character that is not ASCII, or may be continued by one
		rest := graphemes.FromString(line[at:])
		for rest.Next() {
			r, _ := utf8.DecodeRuneInString(rest.Value())
			c, single := classify(r)
			add(at+rest.Start(), at+rest.End(), c, single)
		}
	}
	for i := first; i < len(ts); i++ {
		ts[i].id = ids.number(line[ts[i].start:ts[i].end])
	}
	return ts
}

// classify returns the class of a character by its first code point, and
// whether it is a token of its own.
func classify(r rune) (c class, single bool) {
	switch {
	case r == '_', r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
		return word, false
	case r == ' ', r == '\t':
		return space, false
	case r < utf8.RuneSelf:
		return other, true
	case unicode.IsSpace(r):
		return space, false
	case unicode.In(r, unspaced...):
		return word, true
	case unicode.IsLetter(r), unicode.IsDigit(r):
		return word, false
	}
	return other, true
}

// unspaced are the scripts that are written without spaces between words, so
// that a run of letters is not a word.
var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan, unicode.Yi,
}
