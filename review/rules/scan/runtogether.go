package scan

import "strings"

// longestWord is the length of the longest word looked for in a run of
// letters.
const longestWord = 16

// runTogether emits the words that the ASCII letters text[i:j] are made of,
// and reports whether they are.
func (s *reader) runTogether(i, j int) bool {
	return s.runTogetherText(strings.ToLower(s.text[i:j]), i, j)
}

// runTogetherText does the same for letters that stand at text[i:j] in some
// disguise. They have to be at least three known words with nothing left over.
func (s *reader) runTogetherText(letters string, i, j int) bool {
	// from[k] is where the word ends at k begins, reading from the left;
	// -1 when no sequence of words ends there.
	var from [maxRunTogether + 1]int16
	for k := 1; k <= len(letters); k++ {
		from[k] = -1
	}
	for p := range len(letters) {
		if p > 0 && from[p] < 0 {
			continue
		}
		h := hashSeed
		for k := p; k < len(letters) && k-p < longestWord; k++ {
			h = (h ^ uint64(letters[k])) * hashPrime
			if k > p && from[k+1] < 0 && s.g.lex.words.get(h) != 0 {
				from[k+1] = int16(p)
			}
		}
	}
	if from[len(letters)] < 0 {
		return false
	}
	var cuts []int
	for k := len(letters); k > 0; k = int(from[k]) {
		cuts = append(cuts, k)
	}
	if len(cuts) < 3 {
		return false
	}
	start := 0
	exact := j-i == len(letters)
	for n := len(cuts) - 1; n >= 0; n-- {
		t := token{start: int32(i), end: int32(j), hide: RunTogether}
		if exact {
			t.start, t.end = int32(i+start), int32(i+cuts[n])
		}
		t.id = s.g.lex.words.get(hash(letters[start:cuts[n]]))
		s.emit(t)
		start = cuts[n]
	}
	return true
}
