// This file decodes spaced letters, ROT13, and reversed text.

package disguise

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"toolcrib/review/rules/scan/letters"
)

// JoinSpelled queues text[start:end] without the separators between its characters. It replaces a
// gap that is wider than a separator by a space.
func (s *Decoder) JoinSpelled(start, end int) {
	if s.seg.Depth == maxDepth {
		return
	}
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
		if strings.HasPrefix(text[i:], sep) {
			i += len(sep)
		}
		gap := i
		for i < len(text) {
			r, n := utf8.DecodeRuneInString(text[i:])
			if again := sep != " " && strings.HasPrefix(text[i:], sep); !unicode.IsSpace(r) && !letters.Ignorable(r) && !again {
				break
			}
			i += n
		}
		if i > gap && i < len(text) {
			out, offs = append(out, ' '), append(offs, int32(start+gap))
		}
	}
	s.push(string(out), start, end, append(offs, int32(end)), Spaced)
}

// separator returns the text between the first character of text and the next letter or digit.
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

// markers contains the positions of the words in a segment that suggest a simple cipher.
type markers struct {
	rot13, reversed span
}

// span is the number of marker words and the byte range that contains them.
type span struct{ count, start, end int }

// shortMarker is the minimum length in bytes of a marker word. A shorter word may be a regular word
// or an identifier, such as "dna", "ipa", or "lla".
const shortMarker = 4

func (m *span) add(start, end int) {
	if end-start < shortMarker {
		return
	}
	if m.count == 0 {
		m.start = start
	}
	m.count++
	m.end = end
}

// MarkRot13 records that text[start:end] is a common word in ROT13.
func (s *Decoder) MarkRot13(start, end int) { s.markers.rot13.add(start, end) }

// MarkReversed records that text[start:end] is a common word written backwards.
func (s *Decoder) MarkReversed(start, end int) { s.markers.reversed.add(start, end) }

// aroundMarkers is the number of bytes before and after the marker words that are decoded together
// with them.
const aroundMarkers = 400

// decodeCiphers decodes the text around the marker words of each cipher and queues the result. A
// single marker word does not suffice.
func (s *Decoder) decodeCiphers() {
	if m := s.markers.rot13; m.count >= 2 && s.isMoreReadable(m, rot13) {
		start, end := s.widen(m)
		offs := make([]int32, end-start+1)
		for i := range offs {
			offs[i] = int32(start + i)
		}
		s.push(ToRot13(s.text[start:end]), start, end, offs, Rot13)
	}
	if m := s.markers.reversed; m.count >= 2 && s.isMoreReadable(m, slices.Reverse[[]byte]) {
		s.reverse(s.widen(m))
	}
}

// isMoreReadable reports whether decode makes the text in m more readable: the decoded text has
// more known words than the original text, and most decoded words are known.
func (s *Decoder) isMoreReadable(m span, decode func(word []byte)) bool {
	words, turned := s.countWords(m, 2, decode)
	if 2*turned < words {
		return false
	}
	_, plain := s.countWords(m, 0, func([]byte) {})
	return turned > plain
}

// countWords decodes each word in m, and returns the number of words and the number of known
// decoded words. It ignores short words. If ratio is positive, countWords stops early if
// ratio*known < words would be true even if all remaining words were known.
func (s *Decoder) countWords(m span, ratio int, decode func(word []byte)) (words, known int) {
	var word []byte
	for i := m.start; i <= m.end; {
		r, size := rune(0), 1
		if i < m.end {
			if r = rune(s.text[i]); r >= utf8.RuneSelf {
				r, size = utf8.DecodeRuneInString(s.text[i:m.end])
			}
			r = unicode.ToLower(r)
		}
		i += size
		if r >= 'a' && r <= 'z' {
			word = append(word, byte(r))
			continue
		}
		if len(word) >= shortMarker {
			words++
			if decode(word); s.Known(word) {
				known++
			}
			if follow := (m.end-i)/(shortMarker+1) + 1; ratio > 0 && words-ratio*known > (ratio-1)*follow {
				break
			}
		}
		word = word[:0]
	}
	return words, known
}

// widen returns the byte range of m, extended by aroundMarkers bytes on both sides.
func (s *Decoder) widen(m span) (start, end int) {
	start, end = max(0, m.start-aroundMarkers), min(len(s.text), m.end+aroundMarkers)
	for start > 0 && !utf8.RuneStart(s.text[start]) {
		start--
	}
	for end < len(s.text) && !utf8.RuneStart(s.text[end]) {
		end++
	}
	return start, end
}

// ToRot13 returns s in ROT13.
func ToRot13(s string) string {
	b := []byte(s)
	rot13(b)
	return string(b)
}

func rot13(b []byte) {
	for i, c := range b {
		switch l := c | 0x20; {
		case l >= 'a' && l <= 'm':
			b[i] += 13
		case l >= 'n' && l <= 'z':
			b[i] -= 13
		}
	}
}

// Backwards returns the ASCII string w in reverse order.
func Backwards(w string) string {
	b := []byte(w)
	slices.Reverse(b)
	return string(b)
}

// reverse queues text[start:end] with its characters in reverse order.
func (s *Decoder) reverse(start, end int) {
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
