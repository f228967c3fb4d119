package diff

import (
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
