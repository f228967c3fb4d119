// This file restores words that are split into fragments, run together, or spelled letter by
// letter.

package scan

import (
	"unicode/utf8"

	"toolcrib/review/rules/scan/disguise"
	"toolcrib/review/rules/scan/letters"
)

// minJoined is the minimum length in bytes of a word that is restored from fragments.
const minJoined = 6

// joinFragments restores words that were split by spaces or hyphens ("ig nore prev ious"). It does
// nothing and returns false if it finds fewer than two split words, because a single split word may
// be a coincidence ("for get", "pass word").
func (s *sentence) joinFragments() bool {
	var merges []merge
	for i := 0; i+1 < s.n; i++ {
		if id, n := s.joinedWord(i); id != 0 {
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

// merge describes the replacement of consecutive tokens by a known word: the index of the first
// token, the number of tokens, and the number of the word.
type merge struct {
	at, n int
	id    uint32
}

// joinedWord joins the two or three words from index i. If the result is a known word, joinedWord
// returns its number and the number of joined words. At least one of the joined words must be
// unknown.
func (s *sentence) joinedWord(i int) (id uint32, n int) {
	first := &s.tokens[i]
	if !s.isShortUnknown(first) && !s.isShortUnknown(&s.tokens[i+1]) {
		return 0, 0
	}
	if p := prefix(s.text[first.start:first.end]); p >= 0 && s.g.lex.prefixes[p>>6]&(1<<(p&63)) == 0 || !s.isFragment(first) {
		return 0, 0
	}
	h, size := hashSeed, 0
	unknown := 0
	for k := i; k < s.n && k < i+3; k++ {
		t := &s.tokens[k]
		if k > i && (t.gap&^(gSpace|gHyphen|gNewline) != 0 || !s.isFragment(t)) {
			break
		}
		if t.id == 0 {
			unknown++
		}
		h = hashFold(h, s.text[t.start:t.end])
		size += int(t.end - t.start)
		if k > i && unknown > 0 && size >= minJoined {
			if w := s.g.lex.words.get(h); w != 0 {
				id, n = w, k-i+1
			}
		}
	}
	return id, n
}

// maxUnknown is the maximum length in bytes of an unknown word that is taken for a part of a split
// word. Unsplit unknown words are usually longer.
const maxUnknown = 5

// isShortUnknown reports whether t is a short unknown word.
func (s *sentence) isShortUnknown(t *token) bool { return t.id == 0 && t.end-t.start <= maxUnknown }

// isFragment reports whether t can be a part of a split word.
func (s *sentence) isFragment(t *token) bool {
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

// longestWord is the maximum length in bytes of the words into which a run of letters is split.
const longestWord = 16

// splitRunTogether splits a run of letters into known words. The argument letters is the plain form
// of text[i:j]. If the run consists of at least three known words, splitRunTogether emits the words
// and returns true.
func (s *reader) splitRunTogether(letters string, i, j int) bool {
	// from[k] is the start of the last word in a sequence of known words that ends at k, or -1 if
	// there is no such sequence.
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

// minSpelled is the minimum number of consecutive single letters that are joined to a spelled-out
// word.
const minSpelled = 5

// addSpelled records that the word at byte i consists of a single character.
func (s *reader) addSpelled(i int) {
	_, n := utf8.DecodeRuneInString(s.text[i:])
	if s.singles > 0 && i-s.spelledEnd > maxSpelledGap {
		s.endSpelled()
	}
	if s.singles == 0 {
		s.spelledStart = i
	}
	s.singles++
	s.spelledEnd = i + n
}

// maxSpelledGap is the maximum number of bytes between two letters of a spelled-out word.
const maxSpelledGap = 24

// endSpelled ends the current run of single letters. If the run is long enough, endSpelled queues
// the word that it spells for scanning.
func (s *reader) endSpelled() {
	if s.singles >= minSpelled {
		s.encoded.JoinSpelled(s.spelledStart, s.spelledEnd)
	}
	s.singles = 0
}
