// This file splits a text into pieces, as the encodings do before merging bytes.

package tokens

import (
	"crypto/sha256"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The encodings divide a text into pieces before they merge bytes to tokens, by
// patterns in openai_public.py of tiktoken. With the classes below, \r and \n for
// the newlines and C for (?i:'s|'t|'re|'ve|'m|'ll|'d), they are:
//
//	o200k:  [^\r\n letter number]? upper* lower+ C? | [^\r\n letter number]? upper+ lower* C? |
//	        number{1,3} | ␠?[^space letter number]+ [\r\n/]* | space*[\r\n]+ | space+(?!\S) | space+
//	cl100k: C | [^\r\n letter number]? letter+ |
//	        number{1,3} | ␠?[^space letter number]+ [\r\n]*  | space*[\r\n]+ | space+(?!\S) | space+
//
// The matching is written by hand: an engine for regular expressions with lookahead
// took four fifths of the time of a count.

// class is the set of character classes that the patterns use.
type class uint8

const (
	upper   class = 1 << iota // \p{Lu} \p{Lt} \p{Lm} \p{Lo} \p{M}
	lower                     // \p{Ll} \p{Lm} \p{Lo} \p{M}
	letter                    // \p{L}
	number                    // \p{N}
	space                     // \s
	newline                   // \r \n
	slash                     // /
)

func classOf(r rune) class {
	switch {
	case 'a' <= r && r <= 'z':
		return lower | letter
	case 'A' <= r && r <= 'Z':
		return upper | letter
	case '0' <= r && r <= '9':
		return number
	case r == '\n', r == '\r':
		return newline | space
	case r == '/':
		return slash
	case unicode.IsSpace(r):
		return space
	case r < utf8.RuneSelf:
		return 0
	case unicode.In(r, unicode.Lu, unicode.Lt):
		return upper | letter
	case unicode.Is(unicode.Ll, r):
		return lower | letter
	case unicode.IsLetter(r):
		return upper | lower | letter
	case unicode.IsMark(r):
		return upper | lower
	case unicode.IsNumber(r):
		return number
	}
	return 0
}

// prefixLen returns the length of the longest prefix of text whose characters have one of
// the given classes.
func prefixLen(text string, of class) int {
	for i, r := range text {
		if classOf(r)&of == 0 {
			return i
		}
	}
	return len(text)
}

// pieceO200k returns the length of the first piece of a non-empty text in the
// encoding o200k_base.
func pieceO200k(text string) int {
	if n := word(text, lowerEnd); n > 0 {
		return n + contraction(text[n:])
	}
	if n := word(text, func(text string) int { return prefixLen(text, upper) }); n > 0 {
		return n + contraction(text[n:])
	}
	return nonWord(text, newline|slash)
}

// pieceCl100k returns the length of the first piece of a non-empty text in the
// encoding cl100k_base.
func pieceCl100k(text string) int {
	if n := contraction(text); n > 0 {
		return n
	}
	if n := word(text, func(text string) int { return prefixLen(text, letter) }); n > 0 {
		return n
	}
	return nonWord(text, newline)
}

// word returns the length of the letters that match finds at the start of text,
// including one other character before them, or 0.
func word(text string, match func(string) int) int {
	first, size := utf8.DecodeRuneInString(text)
	if classOf(first)&(letter|number|newline) == 0 {
		if n := match(text[size:]); n > 0 {
			return size + n
		}
	}
	return match(text)
}

// lowerEnd matches upper* lower+. If no lower-only characters follow, the match
// ends with the last character that is both upper and lower.
func lowerEnd(text string) int {
	n, both := 0, 0
	for i, r := range text {
		c := classOf(r)
		if c&upper == 0 {
			break
		}
		n = i + utf8.RuneLen(r)
		if c&lower != 0 {
			both = n
		}
	}
	if rest := prefixLen(text[n:], lower); rest > 0 {
		return n + rest
	}
	return both
}

// contraction returns the length of 's, 't, 're, 've, 'm, 'll or 'd at the start of
// text, ignoring case, or 0.
func contraction(text string) int {
	if text == "" || text[0] != '\'' {
		return 0
	}
	for _, end := range [...]string{"s", "t", "re", "ve", "m", "ll", "d"} {
		if n := 1 + len(end); len(text) >= n && strings.EqualFold(text[1:n], end) {
			return n
		}
	}
	return 0
}

// nonWord returns the length of the first piece of a text that does not start with
// a word. After characters that are neither space nor word, the piece includes
// characters of the classes after.
func nonWord(text string, after class) int {
	first, size := utf8.DecodeRuneInString(text)
	if classOf(first) == number { // up to three
		count := 0
		for i, r := range text {
			if count == 3 || classOf(r) != number {
				return i
			}
			count++
		}
		return len(text)
	}
	start := 0
	if first == ' ' {
		start = size
	}
	if n := start + symbols(text[start:]); n > start {
		return n + prefixLen(text[n:], after)
	}
	n := prefixLen(text, space)
	if last := strings.LastIndexAny(text[:n], "\r\n"); last >= 0 {
		return last + 1
	}
	if _, last := utf8.DecodeLastRuneInString(text[:n]); n < len(text) && n > last {
		return n - last // the last space belongs to the next piece
	}
	return n
}

// symbols returns the length of the characters at the start of text that are
// neither space, letter nor number.
func symbols(text string) int {
	for i, r := range text {
		if classOf(r)&(space|letter|number) != 0 {
			return i
		}
	}
	return len(text)
}

// paragraph is a part of a text that is tokenized independently.
type paragraph struct {
	text string
	sum  [sha256.Size]byte
}

// paragraphs splits text after blank lines, so that prompts of several channels, or
// before and after a change, mostly share their parts. It splits only where no
// token crosses in either encoding: after a newline, the patterns continue only
// with white space and "/" (see openai_public.py in tiktoken).
//
// It also splits runs of more than maxRun bytes of one kind.
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

// blankLine returns the length of text up to and including its first blank line
// that ends a token.
func blankLine(text string) int {
	for at := 0; ; {
		i := strings.Index(text[at:], "\n\n")
		if i < 0 {
			return len(text)
		}
		at += i + 2
		// Printable ASCII other than "/" and space always starts a new token after a newline.
		if at < len(text) && ' ' < text[at] && text[at] < 0x7f && text[at] != '/' {
			return at
		}
	}
}

// maxRun limits a run of letters, white space or other characters, in bytes. The
// time to merge a run grows quadratically: a million letters would take hours.
// Prose has no such runs; for other texts, the count is off by about one for each
// maxRun bytes.
const maxRun = 1024

// longRun returns the offset at which the first run of one kind exceeds maxRun, or
// the length of text.
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

// kindOf returns the kind of r for runs: word, number, space, or 0 for others.
func kindOf(r rune) class {
	c := classOf(r)
	if c&(upper|lower) != 0 {
		return upper | lower
	}
	return c & (number | space)
}
