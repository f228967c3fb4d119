package scan

// minMended is the length of the shortest word that is put together from
// pieces.
const minMended = 6

// mend puts words together that spaces or hyphens broke ("ig nore prev ious").
// It reports whether it put together at least two: one alone is chance ("for
// get", "pass word").
func (s *reader) mend() bool {
	var found [maxTokens]struct {
		id uint32
		n  int
	}
	merges := 0
	for i := 0; i+1 < s.n; i++ {
		id, n := s.mended(i)
		if id != 0 {
			found[i].id, found[i].n = id, n
			merges++
			i += n - 1
		}
	}
	if merges < 2 {
		return false
	}
	k := 0
	for i := 0; i < s.n; i++ {
		t := s.tokens[i]
		if n := found[i].n; n > 0 {
			t.end, t.id, t.hide = s.tokens[i+n-1].end, found[i].id, t.hide|Split
			i += n - 1
		}
		t.pos = int32(k)
		s.tokens[k] = t
		k++
	}
	s.n = k
	s.extras = s.extras[:0]
	return true
}

// mended returns the known word that the two or three words from i on make up,
// at least one of which is none by itself, and how many they are.
func (s *reader) mended(i int) (id uint32, n int) {
	first := &s.tokens[i]
	if !s.piece(first) {
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

// piece reports whether t can be a part of a broken word.
func (s *reader) piece(t *token) bool {
	if t.end-t.start > 9 || t.hide != 0 {
		return false
	}
	for i := t.start; i < t.end; i++ {
		if !isLetter(s.text[i]) {
			return false
		}
	}
	return true
}
