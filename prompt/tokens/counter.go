// Package tokens counts the tokens of texts without a network connection. The vocabularies are
// embedded in the program and are unpacked when they are first used.
package tokens

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	_ "embed"
	"fmt"
	"math"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"toolcrib/internal/lists"
)

// Counts contains the length of a text in tokens, for each encoding.
type Counts struct {
	O200k  int `json:"o200k_base"`
	Cl100k int `json:"cl100k_base"`
}

// Counter counts tokens and caches the counts. It is safe for concurrent use.
type Counter struct {
	o200k, cl100k *encoding
}

// NewCounter returns a Counter with an empty cache.
func NewCounter() *Counter {
	return &Counter{o200k: newEncoding(o200k), cl100k: newEncoding(cl100k)}
}

// CountO200k returns the number of tokens of text in the encoding o200k_base.
func (c *Counter) CountO200k(text string) (int, error) {
	n, err := c.o200k.count([][]paragraph{paragraphs(text)})
	if err != nil {
		return 0, err
	}
	return n[0], nil
}

// Growth returns an upper limit for the number of additional tokens in newText, compared with
// oldText, in any encoding. It needs no vocabulary: each token has at least one byte, so the limit
// is the number of bytes in the paragraphs that only newText contains.
func Growth(oldText, newText string) int {
	there := map[[sha256.Size]byte]int{}
	for _, p := range paragraphs(oldText) {
		there[p.sum]++
	}
	bytes := 0
	for _, p := range paragraphs(newText) {
		if there[p.sum]--; there[p.sum] < 0 {
			bytes += len(p.text)
		}
	}
	return bytes
}

// CountAll returns the length of each text. It counts equal paragraphs of the texts, and paragraphs
// that were counted before, only once. Text that looks like a special token is counted as ordinary
// text.
func (c *Counter) CountAll(texts []string) ([]Counts, error) {
	split := lists.Map(texts, paragraphs)
	var cl100k []int
	var cl100kErr error
	var wg sync.WaitGroup
	wg.Go(func() { cl100k, cl100kErr = c.cl100k.count(split) })
	o200k, err := c.o200k.count(split)
	wg.Wait()
	if err == nil {
		err = cl100kErr
	}
	if err != nil {
		return nil, err
	}
	counts := make([]Counts, len(texts))
	for i := range counts {
		counts[i] = Counts{O200k: o200k[i], Cl100k: cl100k[i]}
	}
	return counts, nil
}

// maxKnown is the maximum number of entries in the cache of an encoding. A full cache uses about 4
// MB.
const maxKnown = 1 << 16

// encoding is a vocabulary with a cache of the counts of paragraphs.
type encoding struct {
	vocabulary func() (*vocabulary, error) // unpacks the vocabulary on the first call

	mu    sync.Mutex
	known map[[sha256.Size]byte]int
}

func newEncoding(load func() (*vocabulary, error)) *encoding {
	return &encoding{vocabulary: load, known: map[[sha256.Size]byte]int{}}
}

// count returns the number of tokens of each text.
func (e *encoding) count(texts [][]paragraph) ([]int, error) {
	counts := make([]int, len(texts))
	for i, text := range texts {
		for _, p := range text {
			n, err := e.paragraph(p)
			if err != nil {
				return nil, err
			}
			counts[i] += n
		}
	}
	return counts, nil
}

func (e *encoding) paragraph(p paragraph) (int, error) {
	e.mu.Lock()
	n, ok := e.known[p.sum]
	e.mu.Unlock()
	if ok {
		return n, nil
	}
	v, err := e.vocabulary()
	if err != nil {
		return 0, err
	}
	n = v.count(p.text)
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.known) >= maxKnown {
		clear(e.known) // texts in use will be counted again soon
	}
	e.known[p.sum] = n
	return n, nil
}

// The vocabularies of tiktoken (https://github.com/openai/tiktoken, license in LICENSE.tiktoken).
// TestVocabularies -update packs them. Each file contains the lengths of all tokens by rank, one
// byte for each, followed by the tokens themselves. A library with the vocabularies as Go maps
// would add 9 MB to the binary.
var (
	//go:embed o200k.flate
	packedO200k []byte
	//go:embed cl100k.flate
	packedCl100k []byte
)

// vocabulary counts tokens by byte pair encoding.
type vocabulary struct {
	ranks map[string]int32      // rank of each token
	piece func(text string) int // returns the length of the first piece of text
}

// The vocabularies, which are unpacked on first use.
var (
	o200k  = sync.OnceValues(func() (*vocabulary, error) { return unpack(packedO200k, pieceO200k, 199998) })
	cl100k = sync.OnceValues(func() (*vocabulary, error) { return unpack(packedCl100k, pieceCl100k, 100256) })
)

// unpack unpacks a vocabulary. size is the number of tokens in the vocabulary.
func unpack(packed []byte, piece func(string) int, size int) (*vocabulary, error) {
	var plain bytes.Buffer
	plain.Grow(9 * size) // the average length of a token is about 7 bytes
	if _, err := plain.ReadFrom(flate.NewReader(bytes.NewReader(packed))); err != nil || plain.Len() < size {
		return nil, fmt.Errorf("cannot unpack a vocabulary: %d bytes for %d tokens: %w", plain.Len(), size, err)
	}
	lengths := plain.Next(size)
	text := plain.String()
	v := &vocabulary{ranks: make(map[string]int32, size), piece: piece}
	for rank, length := range lengths {
		v.ranks[text[:length]] = int32(rank) //nolint:gosec // at most 200,000
		text = text[length:]
	}
	return v, nil
}

// count returns the number of tokens of text. It counts each byte that is not valid UTF-8 as
// U+FFFD.
func (v *vocabulary) count(text string) int {
	if !utf8.ValidString(text) {
		text = string([]rune(text))
	}
	n, letters := 0, []byte(text)
	for text != "" {
		end := v.piece(text)
		n += v.merge(letters[:end])
		text, letters = text[end:], letters[end:]
	}
	return n
}

// merge returns the number of tokens of piece. It repeatedly joins the two adjacent parts that
// together form the token with the lowest rank, until no two adjacent parts form a token.
func (v *vocabulary) merge(piece []byte) int {
	if _, ok := v.ranks[string(piece)]; ok {
		return 1
	}
	type part struct {
		start int
		rank  int32 // rank of the token that this part and the next part form
	}
	parts := make([]part, len(piece)+1)
	joined := func(i, end int) int32 {
		if end < len(parts) {
			if rank, ok := v.ranks[string(piece[parts[i].start:parts[end].start])]; ok {
				return rank
			}
		}
		return math.MaxInt32
	}
	for i := range parts {
		parts[i].start = i
	}
	for i := range parts {
		parts[i].rank = joined(i, i+2)
	}
	for {
		best := 0
		for i := range parts {
			if parts[i].rank < parts[best].rank {
				best = i
			}
		}
		if parts[best].rank == math.MaxInt32 {
			return len(parts) - 1
		}
		parts[best].rank = joined(best, best+3)
		if best > 0 {
			parts[best-1].rank = joined(best-1, best+2)
		}
		parts = append(parts[:best+1], parts[best+2:]...)
	}
}

// Both encodings divide a text into pieces before they merge the bytes of each piece to tokens. The
// patterns for the pieces are in openai_public.py of tiktoken. In the following notation, the names
// are the classes below, [\r\n] stands for newlines, and C is (?i:'s|'t|'re|'ve|'m|'ll|'d):
//
//	o200k:  [^\r\n letter number]? upper* lower+ C? | [^\r\n letter number]? upper+ lower* C? |
//	        number{1,3} | ␠?[^space letter number]+ [\r\n/]* | space*[\r\n]+ | space+(?!\S) | space+
//	cl100k: C | [^\r\n letter number]? letter+ |
//	        number{1,3} | ␠?[^space letter number]+ [\r\n]*  | space*[\r\n]+ | space+(?!\S) | space+
//
// The matching is written by hand, because a regular expression engine with lookahead took four
// fifths of the time of a count.

// class is a set of the character classes in the patterns.
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

// prefixLen returns the length of the longest prefix of text that contains only characters of the
// given classes.
func prefixLen(text string, classes class) int {
	for i, r := range text {
		if classOf(r)&classes == 0 {
			return i
		}
	}
	return len(text)
}

// pieceO200k returns the length of the first piece of text in the encoding o200k_base. text must
// not be empty.
func pieceO200k(text string) int {
	if n := word(text, lowerEnd); n > 0 {
		return n + contraction(text[n:])
	}
	if n := word(text, func(text string) int { return prefixLen(text, upper) }); n > 0 {
		return n + contraction(text[n:])
	}
	return nonWord(text, newline|slash)
}

// pieceCl100k returns the length of the first piece of text in the encoding cl100k_base. text must
// not be empty.
func pieceCl100k(text string) int {
	if n := contraction(text); n > 0 {
		return n
	}
	if n := word(text, func(text string) int { return prefixLen(text, letter) }); n > 0 {
		return n
	}
	return nonWord(text, newline)
}

// word returns the length of the word at the beginning of text, or 0 if there is no word. match
// returns the length of the letters at the beginning of its argument. The word may begin with a
// character that is not a letter, a number, or a newline.
func word(text string, match func(string) int) int {
	first, size := utf8.DecodeRuneInString(text)
	if classOf(first)&(letter|number|newline) == 0 {
		if n := match(text[size:]); n > 0 {
			return size + n
		}
	}
	return match(text)
}

// lowerEnd returns the length of the match of upper* lower+ at the beginning of text, or 0. Some
// characters belong to both classes. If the text has no character that belongs only to lower, the
// match ends after the last character that belongs to both.
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

// contraction returns the length of 's, 't, 're, 've, 'm, 'll, or 'd at the beginning of text,
// ignoring case. It returns 0 if there is none.
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

// nonWord returns the length of the first piece of a text that does not begin with a word. If the
// piece contains characters that are neither white space, letters, nor numbers, it also includes
// the characters after them, as long as these are of the classes in trailing.
func nonWord(text string, trailing class) int {
	first, size := utf8.DecodeRuneInString(text)
	if classOf(first) == number { // a piece contains at most three numbers
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
		return n + prefixLen(text[n:], trailing)
	}
	n := prefixLen(text, space)
	if last := strings.LastIndexAny(text[:n], "\r\n"); last >= 0 {
		return last + 1
	}
	if _, last := utf8.DecodeLastRuneInString(text[:n]); n < len(text) && n > last {
		return n - last // the last white space character belongs to the next piece
	}
	return n
}

// symbols returns the number of bytes at the beginning of text that are neither white space,
// letters, nor numbers.
func symbols(text string) int {
	for i, r := range text {
		if classOf(r)&(space|letter|number) != 0 {
			return i
		}
	}
	return len(text)
}

// paragraph is a part of a text. Its tokens do not depend on the other parts.
type paragraph struct {
	text string
	sum  [sha256.Size]byte
}

// paragraphs splits text after blank lines. Prompts for different channels, and prompts before and
// after a change, therefore have most paragraphs in common. paragraphs splits only where no token
// of either encoding can extend across the split: after a newline, the patterns continue only with
// white space and "/" (see openai_public.py in tiktoken).
//
// paragraphs also splits runs of more than maxRun bytes of one kind; see maxRun.
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

// blankLine returns the length of text up to and including its first blank line after which a new
// token must begin.
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

// maxRun is the maximum length in bytes of a run of letters, of white space, or of other
// characters. The time for merging a run grows quadratically, and a million letters would take
// hours. Prose contains no longer runs. For other texts, the count is wrong by about one token for
// each maxRun bytes.
const maxRun = 1024

// longRun returns the offset where a run of one kind first exceeds maxRun bytes. If there is no
// such run, it returns the length of text.
func longRun(text string) int {
	start, last := 0, class(0xff)
	for i, r := range text {
		kind := classOf(r) & (upper | lower | number | space) // letters or marks, numbers, white space, or 0 for all other characters
		if kind&(upper|lower) != 0 {
			kind = upper | lower
		}
		if kind != last {
			start, last = i, kind
		} else if i-start >= maxRun {
			return i
		}
	}
	return len(text)
}
