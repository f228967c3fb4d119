package scan

// minMended is the length of the shortest word that is put together from
// pieces.
const minMended = 6

// mend puts words together that spaces or hyphens broke ("ig nore prev ious").
// It reports whether it put together at least two: one alone is chance ("for
// get", "pass word").
func (s *reader) mend() bool {
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
			t.end, t.id, t.hide = s.tokens[i+m.n-1].end, m.id, t.hide|Split
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
func (s *reader) mended(i int) (id uint32, n int) {
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

func (s *reader) scrap(t *token) bool { return t.id == 0 && t.end-t.start <= maxScrap }

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
