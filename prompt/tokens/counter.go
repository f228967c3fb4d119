// Package tokens counts what a text costs in tokens, without a network: the
// vocabularies are compiled in. They are unpacked on the first count and not
// before.
package tokens

import (
	"crypto/sha256"
	"sync"
)

// Counts is the length of a text in tokens.
type Counts struct {
	O200k  int // by the encoding o200k_base
	Cl100k int // by the encoding cl100k_base
}

// Counter counts tokens and caches the counts. It may be used by several
// goroutines.
type Counter struct {
	o200k, cl100k *encoding
}

// NewCounter returns a Counter that has not loaded anything yet.
func NewCounter() *Counter {
	return &Counter{o200k: newEncoding(o200k), cl100k: newEncoding(cl100k)}
}

// CountO200k returns the length of text by the encoding o200k_base alone.
func (c *Counter) CountO200k(text string) (int, error) {
	n, err := c.o200k.count([][]paragraph{paragraphs(text)})
	if err != nil {
		return 0, err
	}
	return n[0], nil
}

// Growth returns a number of tokens by which after is at most longer than
// before, in either encoding, without loading a vocabulary: the bytes of the
// paragraphs that only after has. A token has one byte at least.
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

// CountAll returns the length of each text. Parts that the texts share, with each
// other or with texts counted before, are counted once. Text that looks like a
// special token is counted as the text it is.
func (c *Counter) CountAll(texts []string) ([]Counts, error) {
	split := make([][]paragraph, len(texts))
	for i, t := range texts {
		split[i] = paragraphs(t)
	}
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
