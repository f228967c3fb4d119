package scan

import (
	"unicode/utf8"

	"toolcrib/review/rules/scan/disguise"
	"toolcrib/review/rules/scan/letters"
)

// minMended is the length of the shortest word that is put together from
// pieces.
const minMended = 6

// mend puts words together that spaces or hyphens broke ("ig nore prev ious").
// It reports whether it put together at least two: one alone is chance ("for
// get", "pass word").
func (s *sentence) mend() bool {
	var merges []merge
	for i := 0; i+1 < s.n; i++ {
		if id, n := s.mended(i); id != 0 {
			merges = append(merges, merge{i, n, id})
			i += n - 1
		}
	}
	if len(merges) < 2 {
		return false
	}
	k := 0
	for i := 0; i < s.n; i++ {
		t := s.tokens[i]
		if len(merges) > 0 && merges[0].at == i {
			m := merges[0]
			merges = merges[1:]
			t.end, t.id, t.hide = s.tokens[i+m.n-1].end, m.id, t.hide|disguise.Split
			i += m.n - 1
		}
		t.pos = int32(k)
		s.tokens[k] = t
		k++
	}
	s.n = k
	s.extras = s.extras[:0]
	return true
}

// merge is a known word put together from n tokens.
type merge struct {
	at, n int
	id    uint32
}

// mended returns the known word that the two or three words from i on make up,
// at least one of which is none by itself, and how many they are.
func (s *sentence) mended(i int) (id uint32, n int) {
	first := &s.tokens[i]
	if !s.scrap(first) && !s.scrap(&s.tokens[i+1]) {
		return 0, 0
	}
	if p := prefix(s.text[first.start:first.end]); p >= 0 && s.g.lex.prefixes[p>>6]&(1<<(p&63)) == 0 || !s.piece(first) {
		return 0, 0
	}
	h, size := hashSeed, 0
	unknown := 0
	for k := i; k < s.n && k < i+3; k++ {
		t := &s.tokens[k]
		if k > i && (t.gap&^(gSpace|gHyphen|gNewline) != 0 || !s.piece(t)) {
			break
		}
		if t.id == 0 {
			unknown++
		}
		h = hashFold(h, s.text[t.start:t.end])
		size += int(t.end - t.start)
		if k > i && unknown > 0 && size >= minMended {
			if w := s.g.lex.words.get(h); w != 0 {
				id, n = w, k-i+1
			}
		}
	}
	return id, n
}

// maxScrap is the length of the longest piece that a broken word has to have
// one of: few unknown words are as short.
const maxScrap = 5

func (s *sentence) scrap(t *token) bool { return t.id == 0 && t.end-t.start <= maxScrap }

// piece reports whether t can be a part of a broken word.
func (s *sentence) piece(t *token) bool {
	if t.end-t.start > 9 || t.hide != 0 {
		return false
	}
	for i := t.start; i < t.end; i++ {
		if !letters.IsLetter(s.text[i]) {
			return false
		}
	}
	return true
}

// longestWord is the length of the longest word looked for in a run of
// letters.
const longestWord = 16

// runTogether emits the words that letters are made of, which stand at text[i:j], maybe in
// disguise, and reports whether they are at least three known words with nothing left over.
func (s *reader) runTogether(letters string, i, j int) bool {
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
		t := token{start: int32(i), end: int32(j), hide: disguise.RunTogether}
		if exact {
			t.start, t.end = int32(i+start), int32(i+cuts[n])
		}
		t.id = s.g.lex.words.get(hash(letters[start:cuts[n]]))
		s.emit(t)
		start = cuts[n]
	}
	return true
}

// minSpelled is how many single letters in a row are taken for a word spelled
// letter by letter.
const minSpelled = 5

// spelled notes a word of one character at byte i.
func (s *reader) spelled(i int) {
	_, n := utf8.DecodeRuneInString(s.text[i:])
	if s.single > 0 && i-s.alone > maxApart {
		s.endSpelled()
	}
	if s.single == 0 {
		s.apart = i
	}
	s.single++
	s.alone = i + n
}

// maxApart is how many bytes may lie between two letters of a spelled word.
const maxApart = 24

// endSpelled queues the letters noted so far with what separates them removed.
func (s *reader) endSpelled() {
	if s.single >= minSpelled {
		s.encoded.Together(s.apart, s.alone)
	}
	s.single = 0
}
