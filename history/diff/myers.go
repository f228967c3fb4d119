// This file splits texts into lines, and implements the exact comparison.

package diff

import (
	"math"
	"slices"
	"strings"
)

// text is a string and the offsets of its lines. Only "\n" ends a line. A "\r" before it belongs to
// the line, so changing the line ends of a text changes its lines.
type text struct {
	s    string
	ends []int // ends[i] is the offset after line i, including its "\n"
}

func split(s string) text {
	t := text{s: s, ends: make([]int, 0, strings.Count(s, "\n")+1)}
	for at := 0; at < len(s); {
		i := strings.IndexByte(s[at:], '\n')
		if i < 0 {
			i = len(s) - at - 1
		}
		at += i + 1
		t.ends = append(t.ends, at)
	}
	return t
}

// len returns the number of lines.
func (t text) len() int { return len(t.ends) }

// start returns the offset of line i. It returns the length of the text if i is the number of lines.
func (t text) start(i int) int {
	if i == 0 {
		return 0
	}
	return t.ends[i-1]
}

// line returns line i, including its line feed.
func (t text) line(i int) string { return t.s[t.start(i):t.ends[i]] }

// slice returns the lines in r as a single string.
func (t text) slice(r Range) string { return t.s[t.start(r.Start):t.start(r.End)] }

// Range is a range of lines or other items. Start is the index of the first item, and End
// is the index after the last item.
type Range struct {
	Start, End int
}

// Len returns the number of items in r.
func (r Range) Len() int { return r.End - r.Start }

func (r Range) empty() bool { return r.Start == r.End }

// grow returns a slice of n zero elements. It reuses the memory of s if possible.
func grow[T any](s []T, n int) []T {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

// interner assigns numbers to strings, starting with 0. Equal strings have the same
// number.
type interner struct {
	numbers map[string]int32
	keys    []string
}

// newInterner returns an interner with capacity for about n strings.
func newInterner(n int) *interner {
	return &interner{numbers: make(map[string]int32, n), keys: make([]string, 0, n)}
}

func (t *interner) number(s string) int32 {
	n, known := t.numbers[s]
	if !known {
		n = int32(len(t.keys))
		t.numbers[s], t.keys = n, append(t.keys, s)
	}
	return n
}

// len returns the number of different strings.
func (t *interner) len() int { return len(t.keys) }

// exact finds the fewest possible changes between the sequences of c.compact and marks them. limit
// is the maximum number of steps. If the search exceeds the limit, or is expected to exceed it,
// exact marks nothing and returns false.
//
// It implements the linear-space variant of the algorithm by Myers (1986, section 4b). Two searches,
// one from each end, meet at a point of a shortest path. The parts before and after that point are
// then solved in the same way.
func (c *comparer) exact(limit int) bool {
	k := &c.compact
	whole := trim(k.a, k.b, box{0, len(k.a), 0, len(k.b)})
	// Round n has at least n steps, and there are no more rounds than items. This bounds the number
	// of diagonals.
	rounds := min(whole.size(), int(math.Sqrt(float64(2*limit)))) + 2
	c.fwd, c.bwd = grow(c.fwd, 2*rounds+3), grow(c.bwd, 2*rounds+3)
	s := search{
		c: c, origin: rounds + 1, limit: limit, steps: limit,
		fwd: wave{reach: c.fwd}, bwd: wave{reach: c.bwd},
	}
	ok := s.halve(whole)
	c.budget -= limit - s.steps
	return ok
}

// search is the state of a call of exact.
type search struct {
	c        *comparer
	fwd, bwd wave
	origin   int // index of a wave's start diagonal in wave.reach
	limit    int
	steps    int  // remaining steps
	within   bool // whether the remaining searches cannot exceed the limit
}

// wave is the frontier of the forward or the backward search.
type wave struct {
	reach    []int32 // furthest x for each diagonal x-y
	zero     int     // index of diagonal 0 in reach
	min, max int     // outermost diagonals
}

// halve solves the fragment f, which must be trimmed, by dividing it at a point of a shortest path.
func (s *search) halve(f box) bool {
	if f.x0 == f.x1 || f.y0 == f.y1 {
		s.c.markDel(f.x0, f.x1)
		s.c.markIns(f.y0, f.y1)
		return true
	}
	a, b := s.c.compact.a, s.c.compact.b
	x, d, ok := s.meet(a[f.x0:f.x1], b[f.y0:f.y1])
	if !ok {
		return false
	}
	// The searches of both parts together require no more steps than the search of the whole
	// fragment.
	s.within = true
	x, y := f.x0+x, f.y0+x-d
	s.halve(trim(a, b, box{f.x0, x, f.y0, y}))
	s.halve(trim(a, b, box{x, f.x1, y, f.y1}))
	return true
}

// meet returns a point near the middle of a shortest path, as its x and its diagonal.
func (s *search) meet(a, b []int32) (x, d int, ok bool) {
	delta := len(a) - len(b) // diagonal on which both sequences end
	s.fwd.start(s.origin, 0, 0)
	s.bwd.start(s.origin, delta, int32(len(a)))
	for round := 1; ; round++ {
		s.fwd.widen(len(a), len(b), -1)
		if x, d, ok = s.forward(a, b, delta&1 != 0); ok {
			return x, d, true
		}
		s.bwd.widen(len(a), len(b), math.MaxInt32)
		if x, d, ok = s.backward(a, b, delta&1 == 0); ok {
			return x, d, true
		}
		if !s.within && (s.steps < 0 || s.hopeless(round, len(a), len(b))) {
			return 0, 0, false
		}
	}
}

// start initializes w with a single point, which is at x on diagonal d.
func (w *wave) start(origin, d int, x int32) {
	w.zero, w.min, w.max = origin-d, d, d
	w.reach[origin] = x
}

// widen adds a diagonal on each side. At the border of the fragment, which has n and m items, widen
// removes a diagonal instead, because each round searches every second diagonal.
func (w *wave) widen(n, m int, nowhere int32) {
	if w.min > -m {
		w.min--
		w.reach[w.zero+w.min-1] = nowhere
	} else {
		w.min++
	}
	if w.max < n {
		w.max++
		w.reach[w.zero+w.max+1] = nowhere
	} else {
		w.max--
	}
}

// forward advances the forward search by one change, on every second diagonal. If check is set and
// the two searches meet, forward returns the meeting point.
func (s *search) forward(a, b []int32, check bool) (x, d int, met bool) {
	reach, zero := s.fwd.reach, s.fwd.zero
	for d := s.fwd.max; d >= s.fwd.min; d -= 2 {
		from := max(int(reach[zero+d+1]), int(reach[zero+d-1])+1) // insertion or deletion
		x := from
		for y := x - d; x < len(a) && y < len(b) && a[x] == b[y]; y++ {
			x++
		}
		s.steps -= 1 + x - from
		reach[zero+d] = int32(x)
		if check && s.bwd.min <= d && d <= s.bwd.max && int(s.bwd.reach[s.bwd.zero+d]) <= x {
			return x, d, true
		}
	}
	return 0, 0, false
}

// backward is like forward, but advances the search from the end.
func (s *search) backward(a, b []int32, check bool) (x, d int, met bool) {
	reach, zero := s.bwd.reach, s.bwd.zero
	for d := s.bwd.max; d >= s.bwd.min; d -= 2 {
		from := min(int(reach[zero+d-1]), int(reach[zero+d+1])-1)
		x := from
		for y := x - d; x > 0 && y > 0 && a[x-1] == b[y-1]; y-- {
			x--
		}
		s.steps -= 1 + from - x
		reach[zero+d] = int32(x)
		if check && s.fwd.min <= d && d <= s.fwd.max && int(s.fwd.reach[s.fwd.zero+d]) >= x {
			return x, d, true
		}
	}
	return 0, 0, false
}

// hopeless reports whether the search, at its current pace, would exceed its limit several times
// over. It estimates the number of steps only if round is a power of two and at least 1/32 of the
// limit is used. Otherwise it returns false.
func (s *search) hopeless(round, n, m int) bool {
	if round&(round-1) != 0 || s.limit-s.steps < s.limit/32 {
		return false
	}
	ahead, behind := 0, n+m // x+y of the furthest point of each search
	for d := s.fwd.min; d <= s.fwd.max; d++ {
		ahead = max(ahead, 2*int(s.fwd.reach[s.fwd.zero+d])-d)
	}
	for d := s.bwd.min; d <= s.bwd.max; d++ {
		behind = min(behind, 2*int(s.bwd.reach[s.bwd.zero+d])-d)
	}
	rounds := float64(round) * float64(n+m) / float64(ahead+n+m-behind+1)
	return rounds*rounds > 8*float64(s.limit)
}
