package scan

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
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
		if !isLetter(s.text[i]) {
			return false
		}
	}
	return true
}

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
	if s.single >= minSpelled && s.encoded.seg.depth < maxDepth {
		s.encoded.together(s.apart, s.alone)
	}
	s.single = 0
}

// together queues text[start:end] without the separator between its characters;
// wider gaps become a space.
func (s *decoder) together(start, end int) {
	text := s.text[start:end]
	sep := separator(text)
	if sep == "" {
		return
	}
	var out []byte
	var offs []int32
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		if unicode.IsSpace(r) {
			i += n
			continue
		}
		for k := range n {
			out, offs = append(out, text[i+k]), append(offs, int32(start+i))
		}
		i += n
		i = s.apartGap(text, i, sep, &out, &offs, start)
	}
	s.push(string(out), start, end, append(offs, int32(end)), Spaced)
}

// apartGap skips the separator at i, and adds a space for white space beyond
// it.
func (s *decoder) apartGap(text string, i int, sep string, out *[]byte, offs *[]int32, start int) int {
	i += len(sep) * min(1, strings.Count(text[i:min(len(text), i+len(sep))], sep))
	wide := false
	from := i
	for i < len(text) {
		r, n := utf8.DecodeRuneInString(text[i:])
		if again := sep != " " && strings.HasPrefix(text[i:], sep); !unicode.IsSpace(r) && !ignorable(r) && !again {
			break
		}
		wide = true
		i += n
	}
	if wide && i < len(text) {
		*out, *offs = append(*out, ' '), append(*offs, int32(start+from))
	}
	return i
}

// separator returns the text between the first two characters of text.
func separator(text string) string {
	_, n := utf8.DecodeRuneInString(text)
	rest := text[n:]
	for i, r := range rest {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return rest[:i]
		}
	}
	return ""
}

// markers counts the words of a segment that betray a simple cipher.
type markers struct {
	rot13, reversed span
}

// span is how many marker words there are and the bytes they lie within.
type span struct{ count, start, end int }

// shortMarker is the number of letters below which a turned word may as well be a word
// of its own, or an identifier: "dna", "ipa", "lla".
const shortMarker = 4

func (m *span) add(t *token) {
	if t.end-t.start < shortMarker {
		return
	}
	if m.count == 0 {
		m.start = int(t.start)
	}
	m.count++
	m.end = int(t.end)
}

// noteMarkers counts the marker words of the sentence.
func (s *decoder) noteMarkers(w *sentence) {
	for i := range w.tokens[:w.n] {
		if t := &w.tokens[i]; w.sets[i].has(w.g.rot13) {
			s.markers.rot13.add(t)
		} else if w.sets[i].has(w.g.backwards) {
			s.markers.reversed.add(t)
		}
	}
}

// aroundMarkers is how many bytes beside marker words are decoded with them.
const aroundMarkers = 400

// turned queues the neighbourhood of marker words, turned back.
func (s *decoder) turned() {
	if m := s.markers.rot13; m.count >= 2 {
		start, end := s.widen(m)
		s.push(rot13(s.text[start:end]), start, end, identity(start, end), Rot13)
	}
	if m := s.markers.reversed; m.count >= 2 {
		s.reverse(s.widen(m))
	}
}

func (s *decoder) widen(m span) (start, end int) {
	start, end = max(0, m.start-aroundMarkers), min(len(s.text), m.end+aroundMarkers)
	for start > 0 && !utf8.RuneStart(s.text[start]) {
		start--
	}
	for end < len(s.text) && !utf8.RuneStart(s.text[end]) {
		end++
	}
	return start, end
}

// identity maps the bytes of text[start:end] to themselves.
func identity(start, end int) []int32 {
	offs := make([]int32, end-start+1)
	for i := range offs {
		offs[i] = int32(start + i)
	}
	return offs
}

func rot13(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return 'a' + (r-'a'+13)%26
		case r >= 'A' && r <= 'Z':
			return 'A' + (r-'A'+13)%26
		}
		return r
	}, s)
}

// backwards returns ASCII w in reverse order.
func backwards(w string) string {
	b := []byte(w)
	slices.Reverse(b)
	return string(b)
}

// overridden queues what a direction override at byte start shows backwards:
// up to the end of its line or the pop that ends it.
func (s *decoder) overridden(start int) {
	end := len(s.text)
	if k := strings.IndexAny(s.text[start:], "\n\u202c\u202d\u202e"); k >= 0 {
		end = start + k
	}
	s.reverse(start, end)
}

// reverse queues text[start:end] with its characters in reverse order.
func (s *decoder) reverse(start, end int) {
	text := s.text[start:end]
	out := make([]byte, 0, len(text))
	offs := make([]int32, 0, len(text)+1)
	for at := len(text); at > 0; {
		_, n := utf8.DecodeLastRuneInString(text[:at])
		for k := range n {
			out = append(out, text[at-n+k])
			offs = append(offs, int32(start+at))
		}
		at -= n
	}
	s.push(string(out), start, end, append(offs, int32(start)), Reversed)
}
