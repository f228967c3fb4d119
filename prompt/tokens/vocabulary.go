package tokens

import (
	"bytes"
	"compress/flate"
	_ "embed"
	"fmt"
	"io"
	"math"
	"sync"

	"github.com/dlclark/regexp2"
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

// How the encodings divide a text into pieces before they merge bytes to tokens:
// the patterns of openai_public.py in tiktoken.
const (
	patternO200k = `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|` +
		`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|` +
		`\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	patternCl100k = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
)

// vocabulary counts tokens by byte pair encoding.
type vocabulary struct {
	ranks  map[string]int32
	pieces *regexp2.Regexp
}

// Each vocabulary is unpacked once in a process, when it is first needed.
var (
	o200k  = sync.OnceValues(func() (*vocabulary, error) { return unpack(packedO200k, patternO200k, 199998) })
	cl100k = sync.OnceValues(func() (*vocabulary, error) { return unpack(packedCl100k, patternCl100k, 100256) })
)

// unpack reads a vocabulary of so many tokens.
func unpack(packed []byte, pattern string, size int) (*vocabulary, error) {
	plain, err := io.ReadAll(flate.NewReader(bytes.NewReader(packed)))
	if err != nil || len(plain) < size {
		return nil, fmt.Errorf("unpack a vocabulary: %d bytes for %d tokens: %w", len(plain), size, err)
	}
	v := &vocabulary{ranks: make(map[string]int32, size), pieces: regexp2.MustCompile(pattern, regexp2.None)}
	text, at := string(plain[size:]), 0
	for rank, length := range plain[:size] {
		v.ranks[text[at:at+int(length)]] = int32(rank)
		at += int(length)
	}
	return v, nil
}

// count returns the length of text in tokens.
func (v *vocabulary) count(text string) (int, error) {
	n := 0
	match, err := v.pieces.FindStringMatch(text)
	for ; err == nil && match != nil; match, err = v.pieces.FindNextMatch(match) {
		n += v.merge(match.String())
	}
	return n, err
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
