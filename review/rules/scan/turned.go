package scan

import (
	"slices"
	"strings"
	"unicode/utf8"
)

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
func (s *reader) noteMarkers() {
	for i := range s.tokens[:s.n] {
		if t := &s.tokens[i]; s.sets[i].has(s.g.rot13) {
			s.markers.rot13.add(t)
		} else if s.sets[i].has(s.g.backwards) {
			s.markers.reversed.add(t)
		}
	}
}

// aroundMarkers is how many bytes beside marker words are decoded with them.
const aroundMarkers = 400

// turned queues the neighbourhood of marker words, turned back.
func (s *reader) turned() {
	if m := s.markers.rot13; m.count >= 2 {
		start, end := s.widen(m)
		s.push(rot13(s.text[start:end]), start, end, identity(start, end), Rot13)
	}
	if m := s.markers.reversed; m.count >= 2 {
		s.reverse(s.widen(m))
	}
}

func (s *reader) widen(m span) (start, end int) {
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
func (s *reader) overridden(start int) {
	end := len(s.text)
	if k := strings.IndexAny(s.text[start:], "\n\u202c\u202d\u202e"); k >= 0 {
		end = start + k
	}
	s.reverse(start, end)
}

// reverse queues text[start:end] with its characters in reverse order.
func (s *reader) reverse(start, end int) {
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
