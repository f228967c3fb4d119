package tokens

import (
	"crypto/sha256"
	"sync"
)

// maxKnown bounds what an encoding remembers: some 4 MB.
const maxKnown = 1 << 16

// encoding is one vocabulary with the lengths it was asked for.
type encoding struct {
	vocabulary func() (*vocabulary, error) // unpacks it when first called

	mu    sync.Mutex
	known map[[sha256.Size]byte]int
}

func newEncoding(load func() (*vocabulary, error)) *encoding {
	return &encoding{vocabulary: load, known: map[[sha256.Size]byte]int{}}
}

// count returns the length of each text in tokens.
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
		clear(e.known) // texts in use are soon counted again
	}
	e.known[p.sum] = n
	return n, nil
}
