package tokens

import (
	"crypto/sha256"
	"strings"
)

// paragraph is a stretch of text that is tokenised on its own.
type paragraph struct {
	text string
	sum  [sha256.Size]byte
}

// paragraphs divides text after blank lines, so that the prompts of several
// channels, or of one before and after a change, fall into mostly the same
// pieces. It does so only where no token reaches across in either encoding:
// their patterns never carry on from a newline to anything but white space and
// "/" (see the split patterns of openai_public.py in tiktoken).
//
// A run of more than maxRun bytes of one kind is divided too, wherever it is.
func paragraphs(text string) []paragraph {
	var out []paragraph
	for text != "" {
		n := blankLine(text)
		if n > maxRun {
			n = longRun(text[:n])
		}
		out = append(out, paragraph{text: text[:n], sum: sha256.Sum256([]byte(text[:n]))})
		text = text[n:]
	}
	return out
}

// blankLine returns the length of text up to and with its first blank line
// that ends a token.
func blankLine(text string) int {
	for at := 0; ; {
		i := strings.Index(text[at:], "\n\n")
		if i < 0 {
			return len(text)
		}
		at += i + 2
		if at < len(text) && beginsToken(text[at]) {
			return at
		}
	}
}

// beginsToken reports whether c, after a newline, begins a new token: it is
// ASCII and neither white space nor a control character nor "/".
func beginsToken(c byte) bool { return ' ' < c && c < 0x7f && c != '/' }

// maxRun bounds a run of letters, of white space or of other characters, in
// bytes. The time to merge the pairs of a run grows with its square: a text of
// a million letters would take hours. No prose has such a run, and if a text
// does, its count is off by about one for every maxRun bytes of it.
const maxRun = 1024

// longRun returns where the first run of one kind in text becomes longer than
// maxRun, or the length of text.
func longRun(text string) int {
	start, last := 0, class(0xff)
	for i, r := range text {
		if k := kindOf(r); k != last {
			start, last = i, k
		} else if i-start >= maxRun {
			return i
		}
	}
	return len(text)
}

// kindOf returns the class of r that the patterns of the encodings keep together:
// word, number, space or, as 0, any other.
func kindOf(r rune) class {
	c := classOf(r)
	if c&(upper|lower) != 0 {
		return upper | lower
	}
	return c & (number | space)
}
