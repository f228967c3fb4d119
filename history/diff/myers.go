package diff

import (
	"math"
	"slices"
	"strings"
)

// text is a string with the places where its lines end. Only "\n" ends a line;
// a "\r" before it is part of the line, so a change of line ends is a change
// of the lines.
type text struct {
	s    string
	ends []int // ends[i] is the offset behind line i and its "\n"
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

// start returns the offset at which line i begins; i may be len.
func (t text) start(i int) int {
	if i == 0 {
		return 0
	}
	return t.ends[i-1]
}

// line returns line i with its "\n".
func (t text) line(i int) string { return t.s[t.start(i):t.ends[i]] }

// slice returns the lines of r.
func (t text) slice(r Range) string { return t.s[t.start(r.Start):t.start(r.End)] }

// bare returns line i without its "\n", and whether it had one.
func (t text) bare(i int) (line string, newline bool) {
	return strings.CutSuffix(t.line(i), "\n")
}

// Range is a run of lines (or other items): Start is the first, counted from
// 0, and End is behind the last.
type Range struct {
	Start, End int
}

// Len returns how many lines r holds.
func (r Range) Len() int { return r.End - r.Start }

func (r Range) empty() bool { return r.Start == r.End }

// grow lengthens s to n zeroed elements, keeping its memory when it can.
func grow[T any](s []T, n int) []T {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

// interner numbers strings: equal ones get the same number, from 0 in the
// order of first sight.
type interner struct {
	numbers map[string]int32
	keys    []string
}

// newInterner returns an interner with room for about n strings.
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

// len returns how many numbers were given out.
func (t *interner) len() int { return len(t.keys) }

// exact compares c.compact with the fewest possible changes and marks them. It
// marks nothing and returns false when that takes more than limit steps, or is
// sure to.
//
// It is the linear-space refinement of Myers (1986, section 4b): the search
// runs from both ends, the place where the two meet lies on a shortest path,
// and the two halves are solved in the same way.
func (c *comparer) exact(limit int) bool {
	k := &c.compact
	whole := trim(k.a, k.b, box{0, len(k.a), 0, len(k.b)})
	// Round n takes at least n steps, and there are never more rounds than items.
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

// search is one run of exact.
type search struct {
	c        *comparer
	fwd, bwd wave
	origin   int // where the diagonal a wave starts on stands in it
	limit    int
	steps    int  // that are left of limit
	within   bool // the limit cannot be exceeded any more
}

// wave is the front of the search in one direction.
type wave struct {
	reach    []int32 // for each diagonal x-y, the furthest x
	zero     int     // where diagonal 0 stands in reach
	min, max int     // the outermost diagonals
}

// halve solves the trimmed fragment f.
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
	// The halves together take no more than the whole did.
	s.within = true
	x, y := f.x0+x, f.y0+x-d
	s.halve(trim(a, b, box{f.x0, x, f.y0, y}))
	s.halve(trim(a, b, box{x, f.x1, y, f.y1}))
	return true
}

// meet returns a point of a shortest path about half-way: its x and diagonal.
func (s *search) meet(a, b []int32) (x, d int, ok bool) {
	delta := len(a) - len(b) // the diagonal that ends in the far corner
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

// start puts w on the diagonal d, at x.
func (w *wave) start(origin, d int, x int32) {
	w.zero, w.min, w.max = origin-d, d, d
	w.reach[origin] = x
}

// widen takes in the next diagonal on either side. Instead of leaving the
// fragment of n and m items it draws back by one, which keeps every second
// diagonal.
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

// forward goes one change further from the beginning on every second diagonal.
// If check is set it reports where it met the backward search.
func (s *search) forward(a, b []int32, check bool) (x, d int, met bool) {
	reach, zero := s.fwd.reach, s.fwd.zero
	for d := s.fwd.max; d >= s.fwd.min; d -= 2 {
		from := max(int(reach[zero+d+1]), int(reach[zero+d-1])+1) // inserted or deleted
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

// backward is forward from the end.
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

// hopeless reports whether, at the pace of the rounds so far, the search would
// take many times its limit. It looks when 1/32 of the limit is spent, and
// then whenever the rounds have doubled.
func (s *search) hopeless(round, n, m int) bool {
	if round&(round-1) != 0 || s.limit-s.steps < s.limit/32 {
		return false
	}
	ahead, behind := 0, n+m // x+y of the foremost points
	for d := s.fwd.min; d <= s.fwd.max; d++ {
		ahead = max(ahead, 2*int(s.fwd.reach[s.fwd.zero+d])-d)
	}
	for d := s.bwd.min; d <= s.bwd.max; d++ {
		behind = min(behind, 2*int(s.bwd.reach[s.bwd.zero+d])-d)
	}
	rounds := float64(round) * float64(n+m) / float64(ahead+n+m-behind+1)
	return rounds*rounds > 8*float64(s.limit)
}
