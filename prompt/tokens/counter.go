// Package tokens counts the tokens of texts without a network connection: the
// vocabularies are embedded, and unpacked by the first count.
package tokens

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	_ "embed"
	"fmt"
	"hash/maphash"
	"math"
	"math/bits"
	"sync"
	"unicode/utf8"

	"toolcrib/internal/lists"
)

// Counts is the length of a text in tokens.
type Counts struct {
	O200k  int // in the encoding o200k_base
	Cl100k int // in the encoding cl100k_base
}

// Counter counts tokens and caches the counts. It is safe for concurrent use.
type Counter struct {
	o200k, cl100k *encoding
}

// NewCounter returns a Counter. It loads vocabularies on first use.
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

// Growth returns an upper bound of the number of tokens by which after exceeds
// before in any encoding, without loading a vocabulary. The bound is the number of
// bytes in paragraphs that only after contains, because every token has at least
// one byte.
func Growth(before, after string) int {
	there := map[[sha256.Size]byte]int{}
	for _, p := range paragraphs(before) {
		there[p.sum]++
	}
	bytes := 0
	for _, p := range paragraphs(after) {
		if there[p.sum]--; there[p.sum] < 0 {
			bytes += len(p.text)
		}
	}
	return bytes
}

// CountAll returns the length of each text. It counts parts that occur in several
// texts, or in earlier ones, only once. Text that looks like a special token is
// counted as plain text.
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

// maxKnown limits the cache of an encoding to about 4 MB.
const maxKnown = 1 << 16

// encoding is a vocabulary with a cache of counts.
type encoding struct {
	vocabulary func() (*vocabulary, error) // unpacked by the first call

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
		clear(e.known) // texts in use are counted again soon
	}
	e.known[p.sum] = n
	return n, nil
}

// The vocabularies of tiktoken (https://github.com/openai/tiktoken, license in
// LICENSE.tiktoken), packed by TestVocabularies -update: the lengths of all tokens
// by rank, one byte each, followed by the tokens. As Go maps in a library they took
// 9 MB of the binary.
var (
	//go:embed o200k.flate
	packedO200k []byte
	//go:embed cl100k.flate
	packedCl100k []byte
)

// vocabulary counts tokens by byte pair encoding.
//
// It is a hash table with open addressing and linear probing: filling a Go map with
// 200,000 strings took three times as long, and most processes need it for a single
// count.
type vocabulary struct {
	text   []byte   // all tokens, by rank
	starts []uint32 // offset of each token in text, and the end of the last
	// A slot has rank+1 in the low rankBits bits and bits of the hash above them,
	// so that few other tokens are compared. At most half of the slots are used.
	slots []uint32
	seed  maphash.Seed
	piece func(text string) int // returns the length of a text's first piece
}

const rankBits = 18

// find returns the slot of token, or the free slot where it belongs, and the bits
// of the slot above the rank.
func (v *vocabulary) find(token []byte) (slot, tag uint32) {
	h := maphash.Bytes(v.seed, token)
	mask, tag := uint32(len(v.slots)-1), uint32(h>>32)&^(1<<rankBits-1) //nolint:gosec // bits of a hash
	for i := uint32(h) & mask; ; i = (i + 1) & mask {                   //nolint:gosec // likewise
		switch s := v.slots[i]; {
		case s == 0:
			return i, tag
		case s&^(1<<rankBits-1) == tag:
			if rank := s&(1<<rankBits-1) - 1; bytes.Equal(v.text[v.starts[rank]:v.starts[rank+1]], token) {
				return i, tag
			}
		}
	}
}

// rank returns the rank of token, and false if it is not a token.
func (v *vocabulary) rank(token []byte) (int32, bool) {
	i, _ := v.find(token)
	s := v.slots[i]
	return int32(s&(1<<rankBits-1)) - 1, s != 0 //nolint:gosec // 18 bits
}

// Each vocabulary is unpacked once, on first use.
var (
	o200k  = sync.OnceValues(func() (*vocabulary, error) { return unpack(packedO200k, pieceO200k, 199998) })
	cl100k = sync.OnceValues(func() (*vocabulary, error) { return unpack(packedCl100k, pieceCl100k, 100256) })
)

// unpack unpacks a vocabulary of size tokens.
func unpack(packed []byte, piece func(string) int, size int) (*vocabulary, error) {
	var plain bytes.Buffer
	plain.Grow(9 * size) // tokens have about 7 letters
	if _, err := plain.ReadFrom(flate.NewReader(bytes.NewReader(packed))); err != nil || plain.Len() < size {
		return nil, fmt.Errorf("cannot unpack a vocabulary: %d bytes for %d tokens: %w", plain.Len(), size, err)
	}
	lengths := plain.Next(size)
	v := &vocabulary{
		text: plain.Bytes(), starts: make([]uint32, 1, size+1), seed: maphash.MakeSeed(), piece: piece,
		slots: make([]uint32, 1<<bits.Len(uint(2*size))), //nolint:gosec // not negative
	}
	for rank, length := range lengths {
		start := v.starts[rank]
		v.starts = append(v.starts, start+uint32(length))
		i, tag := v.find(v.text[start:v.starts[rank+1]])
		v.slots[i] = tag | uint32(rank+1) //nolint:gosec // small
	}
	return v, nil
}

// count returns the number of tokens of text. Each byte that is not UTF-8 counts as
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

// merge returns the number of tokens of piece: it joins adjacent parts that form a
// token, lowest rank first, as long as there are any.
func (v *vocabulary) merge(piece []byte) int {
	if _, ok := v.rank(piece); ok {
		return 1
	}
	type part struct {
		start int
		rank  int32 // rank of this part joined with the next
	}
	parts := make([]part, len(piece)+1)
	joined := func(i, end int) int32 {
		if end < len(parts) {
			if rank, ok := v.rank(piece[parts[i].start:parts[end].start]); ok {
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
