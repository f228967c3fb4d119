package overlap

import (
	"cmp"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// Index is many sketches, one after the other in memory, in their stored form, so
// that a loaded block is searched in place. The zero Index is empty and ready to
// use. It must not be added to while it is used.
type Index struct {
	blocks []block
	own    bool // the last block was not loaded and can grow
}

// block is some entries: their ids and their sketches, in little-endian order.
type block struct{ ids, sketches []byte }

func (b block) len() int { return len(b.ids) / idSize }

func (b block) id(i int) int64 {
	return int64(binary.LittleEndian.Uint64(b.ids[i*idSize:])) //nolint:gosec // two's complement, there and back
}

// Match is an entry of an Index that may resemble the query.
type Match struct {
	ID       int64
	Estimate float64 // of the resemblance, from 0 to 1
}

// Len returns how many sketches x holds.
func (x *Index) Len() int {
	n := 0
	for _, b := range x.blocks {
		n += b.len()
	}
	return n
}

// IDs returns the ids of the sketches, in the order in which they were added.
func (x *Index) IDs() []int64 {
	ids := make([]int64, 0, x.Len())
	for _, b := range x.blocks {
		for i := range b.len() {
			ids = append(ids, b.id(i))
		}
	}
	return ids
}

// Add adds a sketch under an id, such as the row number of a tool.
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

// First returns the n entries of x that were added first, or all when they are
// fewer. Nothing is copied; x may be added to.
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

// Scan returns the entries whose resemblance to s may be least or more, at most
// most of them: those of the largest estimate first and equal ones in the order they
// were added. The estimate may be smaller than least by so much that of the
// entries with that resemblance less than 1 in 150 are missed, so what Scan
// returns are candidates: compare the texts. Scan takes time in proportion to
// the number of sketches, less than 10 ns for each.
func (x *Index) Scan(s Sketch, least float64, most int) []Match {
	if s.IsZero() {
		return nil
	}
	limit := farthest(least)
	var matches []Match
	for _, b := range x.blocks {
		rest := b.sketches
		for i := 0; len(rest) >= sketchSize; i++ {
			stored := (*[sketchSize]byte)(rest)
			rest = rest[sketchSize:]
			if d := s.differingFrom(stored); d <= limit && *stored != [sketchSize]byte{} {
				matches = append(matches, Match{ID: b.id(i), Estimate: resemblance(d)})
				if len(matches) >= tooMany+2*most {
					matches, limit = likeliest(matches, most)
				}
			}
		}
	}
	if len(matches) > most {
		matches, _ = likeliest(matches, most)
	}
	slices.SortStableFunc(matches, func(a, b Match) int { return -cmp.Compare(a.Estimate, b.Estimate) })
	return matches
}

// tooMany sets how many matches are kept beyond those that are asked for, before
// the less likely ones are dropped.
const tooMany = 256

// likeliest returns the matches of the largest estimate, so many, in the order
// they have, and in how many bits at most one may differ that belongs before the
// last of them. It overwrites matches.
func likeliest(matches []Match, most int) (kept []Match, limit int) {
	const unlike = sketchBits / 2 // the estimate is 0 from there on
	differing := func(m Match) int { return int((1 - m.Estimate) * unlike) }
	var counts [unlike + 1]int
	for _, m := range matches {
		counts[differing(m)]++
	}
	last, of := 0, most // the most bits of one that is kept, and how many of those
	for last < unlike && counts[last] < of {
		of -= counts[last]
		last++
	}
	kept = matches[:0]
	for _, m := range matches {
		d := differing(m)
		if d == last {
			of--
		}
		if d < last || d == last && of >= 0 {
			kept = append(kept, m)
		}
	}
	return kept, last - 1
}

// differingFrom counts the bits in which s and a stored sketch differ.
func (s *Sketch) differingFrom(b *[sketchSize]byte) int {
	le := binary.LittleEndian
	return bits.OnesCount64(s[0]^le.Uint64(b[0:])) + bits.OnesCount64(s[1]^le.Uint64(b[8:])) +
		bits.OnesCount64(s[2]^le.Uint64(b[16:])) + bits.OnesCount64(s[3]^le.Uint64(b[24:])) +
		bits.OnesCount64(s[4]^le.Uint64(b[32:])) + bits.OnesCount64(s[5]^le.Uint64(b[40:])) +
		bits.OnesCount64(s[6]^le.Uint64(b[48:])) + bits.OnesCount64(s[7]^le.Uint64(b[56:]))
}

// margin sets how many standard deviations an estimate may be too small: one in
// 150 is smaller still.
const margin = 2.5

// farthest returns in how many bits the sketches of sets of resemblance least
// may differ.
func farthest(least float64) int {
	least = min(max(least, 0), 1)
	return int(math.Ceil((1 - least + margin*deviation(least)) / 2 * sketchBits))
}
