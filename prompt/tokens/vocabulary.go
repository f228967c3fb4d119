package tokens

import (
	"bytes"
	"compress/flate"
	_ "embed"
	"fmt"
	"io"
	"math"
	"sync"
	"unicode/utf8"
)

// The vocabularies of tiktoken (https://github.com/openai/tiktoken, licence in
// LICENSE.tiktoken), packed by TestVocabularies -update: the lengths of all tokens by rank, one byte each,
// then the tokens. As Go maps of a library they took 9 MB of the program.
var (
	//go:embed o200k.flate
	packedO200k []byte
	//go:embed cl100k.flate
	packedCl100k []byte
)

// vocabulary counts tokens by byte pair encoding.
type vocabulary struct {
	ranks map[string]int32
	piece func(text string) int // the length of the first piece of a text
}

// Each vocabulary is unpacked once in a process, when it is first needed.
var (
	o200k  = sync.OnceValues(func() (*vocabulary, error) { return unpack(packedO200k, pieceO200k, 199998) })
	cl100k = sync.OnceValues(func() (*vocabulary, error) { return unpack(packedCl100k, pieceCl100k, 100256) })
)

// unpack reads a vocabulary of so many tokens.
func unpack(packed []byte, piece func(string) int, size int) (*vocabulary, error) {
	plain, err := io.ReadAll(flate.NewReader(bytes.NewReader(packed)))
	if err != nil || len(plain) < size {
		return nil, fmt.Errorf("unpack a vocabulary: %d bytes for %d tokens: %w", len(plain), size, err)
	}
	v := &vocabulary{ranks: make(map[string]int32, size), piece: piece}
	text, at := string(plain[size:]), 0
	for rank, length := range plain[:size] {
		v.ranks[text[at:at+int(length)]] = int32(rank)
		at += int(length)
	}
	return v, nil
}

// count returns the length of text in tokens. Bytes that are no UTF-8 count as
// U+FFFD each.
func (v *vocabulary) count(text string) int {
	if !utf8.ValidString(text) {
		text = string([]rune(text))
	}
	n := 0
	for text != "" {
		end := v.piece(text)
		n += v.merge(text[:end])
		text = text[end:]
	}
	return n
}

// merge returns how many tokens are left of piece when adjacent parts have been
// joined, those of the lowest rank first, as long as two of them are a token.
func (v *vocabulary) merge(piece string) int {
	if _, ok := v.ranks[piece]; ok {
		return 1
	}
	type part struct {
		start int
		rank  int32 // of the part joined with the next one
	}
	parts := make([]part, len(piece)+1)
	joined := func(i, end int) int32 {
		if end < len(parts) {
			if rank, ok := v.ranks[piece[parts[i].start:parts[end].start]]; ok {
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
