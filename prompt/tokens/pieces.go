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
// They are matched by hand: in an engine of regular expressions with lookahead, the
// matching took four fifths of a count.

// class is the set of classes of a character that the patterns ask for.
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

// run returns the length of the characters at the beginning of text that are of
// one of the classes.
func run(text string, of class) int {
	for i, r := range text {
		if classOf(r)&of == 0 {
			return i
		}
	}
	return len(text)
}

// pieceO200k returns the length of the first piece of text, which is not empty,
// in the encoding o200k_base.
func pieceO200k(text string) int {
	if n := word(text, lowerEnd); n > 0 {
		return n + contraction(text[n:])
	}
	if n := word(text, func(text string) int { return run(text, upper) }); n > 0 {
		return n + contraction(text[n:])
	}
	return nonWord(text, newline|slash)
}

// pieceCl100k returns the length of the first piece of text, which is not empty,
// in the encoding cl100k_base.
func pieceCl100k(text string) int {
	if n := contraction(text); n > 0 {
		return n
	}
	if n := word(text, func(text string) int { return run(text, letter) }); n > 0 {
		return n
	}
	return nonWord(text, newline)
}

// word returns the length of the letters that match finds at the beginning of
// text, with one other character before them where there is one; 0 where there
// are none.
func word(text string, match func(string) int) int {
	first, size := utf8.DecodeRuneInString(text)
	if classOf(first)&(letter|number|newline) == 0 {
		if n := match(text[size:]); n > 0 {
			return size + n
		}
	}
	return match(text)
}

// lowerEnd matches upper* lower+. Where nothing that is only lower follows, the
// last character that is both ends the match.
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
	if rest := run(text[n:], lower); rest > 0 {
		return n + rest
	}
	return both
}

// contraction returns the length of 's, 't, 're, 've, 'm, 'll or 'd at the
// beginning of text, in either case, or 0.
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

// nonWord returns the length of the first piece of a text that begins with no
// word. What is neither space nor word takes the characters of classes after with
// it.
func nonWord(text string, after class) int {
	first, size := utf8.DecodeRuneInString(text)
	if classOf(first) == number {
		return numbers(text)
	}
	start := 0
	if first == ' ' {
		start = size
	}
	if n := start + symbols(text[start:]); n > start {
		return n + run(text[n:], after)
	}
	n := run(text, space)
	if last := strings.LastIndexAny(text[:n], "\r\n"); last >= 0 {
		return last + 1
	}
	if _, last := utf8.DecodeLastRuneInString(text[:n]); n < len(text) && n > last {
		return n - last // the last one belongs to what follows
	}
	return n
}

// numbers returns the length of up to three numbers.
func numbers(text string) int {
	count := 0
	for i, r := range text {
		if count == 3 || classOf(r) != number {
			return i
		}
		count++
	}
	return len(text)
}

// symbols returns the length of the characters that are neither space nor letter
// nor number.
func symbols(text string) int {
	for i, r := range text {
		if classOf(r)&(space|letter|number) != 0 {
			return i
		}
	}
	return len(text)
}

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
