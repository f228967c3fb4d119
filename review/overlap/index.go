// This file searches a large number of sketches.

package overlap

import (
	"cmp"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// Index is a list of sketches with ids. Loaded blocks remain in their stored form and are searched without decoding.
// The zero Index is empty and ready to use. Entries must not be added while another goroutine uses the Index.
type Index struct {
	blocks []block
	own    bool // whether entries can be added to the last block; a loaded block cannot grow
}

// block contains the ids and the sketches of consecutive entries in little-endian order.
type block struct{ ids, sketches []byte }

func (b block) len() int { return len(b.ids) / idSize }

func (b block) id(i int) int64 {
	return int64(binary.LittleEndian.Uint64(b.ids[i*idSize:])) //nolint:gosec // two's complement, there and back
}

// Match is an entry of an Index that may be similar to a query.
type Match struct {
	ID       int64
	Estimate float64 // estimated resemblance, from 0 to 1
}

// Len returns the number of sketches in x.
func (x *Index) Len() int {
	n := 0
	for _, b := range x.blocks {
		n += b.len()
	}
	return n
}

// IDs returns the ids of all entries, in the order of their addition.
func (x *Index) IDs() []int64 {
	ids := make([]int64, 0, x.Len())
	for _, b := range x.blocks {
		for i := range b.len() {
			ids = append(ids, b.id(i))
		}
	}
	return ids
}

// Add adds the sketch s with the given id, such as the row number of a tool.
func (x *Index) Add(id int64, s Sketch) {
	if !x.own {
		x.blocks, x.own = append(x.blocks, block{}), true
	}
	b := &x.blocks[len(x.blocks)-1]
	b.ids = binary.LittleEndian.AppendUint64(b.ids, uint64(id)) //nolint:gosec // two's complement, there and back
	for _, w := range s {
		b.sketches = binary.LittleEndian.AppendUint64(b.sketches, w)
	}
}

// First returns an index of the n oldest entries of x, or of all entries if x has fewer. It does not copy the
// entries, and entries can still be added to x.
func (x *Index) First(n int) Index {
	var first Index
	for _, b := range x.blocks {
		m := min(b.len(), n)
		if n -= m; m > 0 {
			first.blocks = append(first.blocks, block{ids: b.ids[:m*idSize], sketches: b.sketches[:m*sketchSize]})
		}
	}
	return first
}

// Scan returns the entries with an estimated resemblance to s of at least threshold, minus a small margin. It returns
// up to maxMatches entries, by decreasing estimate. Entries with the same estimate are in the order in which they were
// added.
//
// Estimates are inexact. The margin is chosen so that Scan misses fewer than 1 in 150 entries with a resemblance of
// exactly threshold. The results are only candidates, so callers must compare the sets exactly. Scan takes less than 10
// ns for each entry.
func (x *Index) Scan(s Sketch, threshold float64, maxMatches int) []Match {
	if s.IsZero() {
		return nil
	}
	limit := farthest(threshold)
	var matches []Match
	for _, b := range x.blocks {
		rest := b.sketches
		for i := 0; len(rest) >= sketchSize; i++ {
			stored := (*[sketchSize]byte)(rest)
			rest = rest[sketchSize:]
			if d := s.differingFrom(stored); d <= limit && *stored != [sketchSize]byte{} {
				matches = append(matches, Match{ID: b.id(i), Estimate: resemblance(d)})
				if len(matches) >= tooMany+2*maxMatches {
					matches, limit = likeliest(matches, maxMatches)
				}
			}
		}
	}
	if len(matches) > maxMatches {
		matches, _ = likeliest(matches, maxMatches)
	}
	slices.SortStableFunc(matches, func(a, b Match) int { return -cmp.Compare(a.Estimate, b.Estimate) })
	return matches
}

// tooMany limits the matches in Scan, which drops the less likely matches when it has 2*maxMatches + tooMany matches.
const tooMany = 256

// likeliest returns up to n matches with the largest estimates, in their original order. A further match would rank
// above the last returned match only if it had at most limit differing bits. likeliest overwrites matches.
func likeliest(matches []Match, n int) (best []Match, limit int) {
	const unlike = sketchBits / 2 // with this many differing bits, the estimate is 0
	differing := func(m Match) int { return int((1 - m.Estimate) * unlike) }
	var counts [unlike + 1]int
	for _, m := range matches {
		counts[differing(m)]++
	}
	last, of := 0, n // last: maximum number of differing bits in a result; of: number of results with exactly last differing bits
	for last < unlike && counts[last] < of {
		of -= counts[last]
		last++
	}
	best = matches[:0]
	for _, m := range matches {
		d := differing(m)
		if d == last {
			of--
		}
		if d < last || d == last && of >= 0 {
			best = append(best, m)
		}
	}
	return best, last - 1
}

// differingFrom returns the number of bits that differ between s and the stored sketch b.
func (s *Sketch) differingFrom(b *[sketchSize]byte) int {
	le := binary.LittleEndian
	return bits.OnesCount64(s[0]^le.Uint64(b[0:])) + bits.OnesCount64(s[1]^le.Uint64(b[8:])) +
		bits.OnesCount64(s[2]^le.Uint64(b[16:])) + bits.OnesCount64(s[3]^le.Uint64(b[24:])) +
		bits.OnesCount64(s[4]^le.Uint64(b[32:])) + bits.OnesCount64(s[5]^le.Uint64(b[40:])) +
		bits.OnesCount64(s[6]^le.Uint64(b[48:])) + bits.OnesCount64(s[7]^le.Uint64(b[56:]))
}

// Scan accepts estimates that are up to margin standard deviations below the requested resemblance. About 1 in 150
// estimates is even smaller.
const margin = 2.5

// farthest returns the maximum number of differing bits that Scan accepts for a resemblance of threshold.
func farthest(threshold float64) int {
	threshold = min(max(threshold, 0), 1)
	return int(math.Ceil((1 - threshold + margin*deviation(threshold)) / 2 * sketchBits))
}
