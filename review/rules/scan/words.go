package scan

import "unicode/utf8"

// readWord reads the run of letters and digits that begins at i.
func (s *reader) readWord(i int) int {
	h, j := hashSeed, i
	var digits, letters, camel int
	lower := false
	for j < len(s.text) {
		c := s.text[j]
		if c >= utf8.RuneSelf {
			return s.readFolded(i)
		}
		switch asciiKinds[c] {
		case kLower:
			letters++
			lower = true
		case kUpper:
			c |= 0x20
			letters++
			if lower {
				camel++
			}
			lower = false
		case kDigit:
			digits++
			lower = false
		case kApostrophe:
			if letters > 0 && j+1 < len(s.text) && isLetter(s.text[j+1]) && j > i {
				j++
				continue
			}
			fallthrough
		case kLeet:
			if end, ok := s.leetChunk(i, j); ok {
				return end
			}
			s.word(i, j, h, digits, letters, camel)
			return j
		case kMark, kSpace, kLine:
			s.word(i, j, h, digits, letters, camel)
			return j
		}
		h = (h ^ uint64(c)) * hashPrime
		j++
	}
	s.word(i, j, h, digits, letters, camel)
	return j
}

// word emits the ASCII word text[i:j], whose hash is h.
func (s *reader) word(i, j int, h uint64, digits, letters, camel int) {
	if letters == 1 && digits == 0 || digits == 1 && letters == 0 {
		s.spelled(i)
	} else {
		s.endSpelled()
	}
	t := token{start: int32(i), end: int32(j), upper: s.text[i] < 'a'}
	t.id = s.g.lex.words.get(h)
	if i > 0 && s.text[i-1] == '.' && (i == 1 || !isWord(s.text[i-2])) {
		if id := s.g.lex.words.get(hashFold(hashMore(hashSeed, "."), s.text[i:j])); id != 0 {
			t.id, t.start = id, int32(i-1) // a name such as ".env"
			s.gap &^= gStop | gDot
		}
	}
	switch {
	case t.id != 0:
	case camel > 0 && s.camel(i, j):
		return
	case digits > 0 && letters > 0 && j-i >= minLeet && j-i <= maxLeet:
		if id := s.leet(s.text[i:j]); id != 0 {
			t.id, t.hide = id, Leet
		}
	case letters >= minRunTogether && letters <= maxRunTogether && digits == 0:
		if s.runTogether(i, j) {
			return
		}
	}
	s.emit(t)
	if i > 0 && s.text[i-1] == ' ' && j < len(s.text) && s.text[j] == ' ' && digits == 0 && (!t.upper || letters == 1 || !isUpper(s.text[i+1])) {
		return // a word among words
	}
	s.shape(i, j, digits, letters)
}

const (
	maxLeet        = 24
	minRunTogether = 14
	maxRunTogether = 240
)

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// hashFold carries on the hash h over ASCII s in lower case.
func hashFold(h uint64, s string) uint64 {
	for i := range len(s) {
		c := s[i]
		if c == '\'' {
			continue
		}
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		h = (h ^ uint64(c)) * hashPrime
	}
	return h
}

// camel emits the parts of a name such as "apiKey", and reports whether it had
// any.
func (s *reader) camel(i, j int) bool {
	start, parts := i, 0
	for k := i + 1; k <= j; k++ {
		if k < j && (!isUpper(s.text[k]) || isUpper(s.text[k-1])) {
			continue
		}
		if k-start < 2 && k < j {
			return parts > 0 // "iPhone" and wavering case are one word
		}
		t := token{start: int32(start), end: int32(k), upper: isUpper(s.text[start])}
		t.id = s.g.lex.words.get(hashFold(hashSeed, s.text[start:k]))
		if parts > 0 {
			s.gap = gJoin
		}
		s.emit(t)
		start = k
		parts++
	}
	return true
}

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

// leet returns the number of the word that text spells with digits.
func (s *reader) leet(text string) uint32 {
	b := s.asc[:0]
	for i := range len(text) {
		c := text[i]
		if isUpper(c) {
			c |= 0x20
		}
		k := skeleton(c)
		if k == 0 {
			return 0
		}
		b = append(b, k)
	}
	s.asc = b
	return s.g.lex.skeletons.get(hash(string(b)))
}

// leetChunk tries to read the run of letters, digits and leet symbols around
// position j, which began at i, as one word.
func (s *reader) leetChunk(i, j int) (end int, ok bool) {
	if c := s.text[j]; c == '\'' || (i == j && s.gap == 0 && s.n > 0) {
		return 0, false
	}
	k, letters := i, 0
	for k < len(s.text) && k-i <= maxLeet {
		c := s.text[k]
		if c >= utf8.RuneSelf || !isWord(c) && asciiKinds[c] != kLeet {
			break
		}
		if isLetter(c) {
			letters++
		}
		k++
	}
	for k > i && (s.text[k-1] == '!' || s.text[k-1] == '+') {
		k--
	}
	if k <= j || letters < 2 || k-i < minLeet || k-i > maxLeet {
		return 0, false
	}
	id := s.leet(s.text[i:k])
	if id == 0 {
		return 0, false
	}
	s.endSpelled()
	s.emit(token{start: int32(i), end: int32(k), id: id, hide: Leet})
	return k, true
}
