package overlap

import (
	"cmp"
	"slices"
)

// Span is a part of a text in bytes; End is exclusive.
type Span struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// Passage is a run of words that two texts have in common, apart from case,
// accents, punctuation and separators.
type Passage struct {
	A     Span `json:"a"` // where it stands in the first text
	B     Span `json:"b"` // where it stands in the second
	Words int  `json:"words"`
}

const (
	// passageWords sets how many words make a passage; fewer are turns of
	// phrase.
	passageWords = 6
	// maxPassages limits how many passages are of use to somebody who wants to see
	// what two texts share.
	maxPassages = 10
	// maxPlaces limits how many places of the same passageWords in the second text
	// are looked at.
	maxPlaces = 8
)

// Common returns the runs of at least 6 words that a and b have in common, the
// longest first, at most 10. Runs do not overlap in a. It takes time linear in
// the length of the texts, for which a longer run may be missed in a text that
// repeats itself many times over.
func Common(a, b string) []Passage {
	as, bs := placesIn(a), placesIn(b)
	if len(as) < passageWords || len(bs) < passageWords {
		return nil
	}
	begins := beginnings(bs)
	var passages []Passage
	for i := 0; i+passageWords <= len(as); {
		from, length, places := 0, 0, 0
		for j := begins.first[run(as[i:])]; j > 0 && places < maxPlaces; j = begins.next[j-1] {
			if n := alike(as[i:], bs[j-1:]); n > length {
				from, length = int(j-1), n
			}
			places++
		}
		if length < passageWords { // a collision of hashes at most
			i++
			continue
		}
		passages = append(passages, Passage{
			A:     Span{as[i].start, as[i+length-1].end},
			B:     Span{bs[from].start, bs[from+length-1].end},
			Words: length,
		})
		i += length
	}
	slices.SortStableFunc(passages, func(p, q Passage) int { return -cmp.Compare(p.Words, q.Words) })
	return slices.Clip(passages[:min(len(passages), maxPassages)])
}

// place is a folded word and its place in the text.
type place struct {
	hash       uint64
	start, end int
}

func placesIn(text string) []place {
	ps := make([]place, 0, len(text)/6+1) // a word and its space
	words(text, func(w word) { ps = append(ps, place{hash(w.folded), w.start, w.end}) })
	return ps
}

// starts describes where each run of passageWords words begins: by its hash the first
// place, and by a place the next one of the same hash, both counted from 1 and 0
// for none.
type starts struct {
	first map[uint64]int32
	next  []int32
}

// beginnings returns where each run of passageWords words begins.
func beginnings(ps []place) starts {
	s := starts{first: make(map[uint64]int32, len(ps)), next: make([]int32, len(ps))}
	for i := len(ps) - passageWords; i >= 0; i-- {
		h := run(ps[i:])
		s.next[i] = s.first[h]
		s.first[h] = int32(i) + 1 //nolint:gosec // texts are far smaller
	}
	return s
}

// run returns a hash of the first passageWords words.
func run(ps []place) uint64 {
	var h uint64
	for _, p := range ps[:passageWords] {
		h = mix(h + p.hash)
	}
	return h
}

// alike returns how many words a and b begin with in common.
func alike(a, b []place) int {
	n := 0
	for n < len(a) && n < len(b) && a[n].hash == b[n].hash {
		n++
	}
	return n
}
