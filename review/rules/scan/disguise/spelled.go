package disguise

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"toolcrib/review/rules/scan/letters"
)

// Together queues text[start:end] without the separator between its characters;
// wider gaps become a space.
func (s *Decoder) Together(start, end int) {
	if s.seg.Depth == maxDepth {
		return
	}
	var out []byte
	var offs []int32
	sep, gap := "", ""
	for i, r := range s.text[start:end] {
		switch {
		case letters.Ignorable(r):
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			gap += string(r)
		default:
			if sep == "" {
				sep = gap
			} else if gap != sep {
				out, offs = append(out, ' '), append(offs, int32(start+i))
			}
			gap = ""
			for k := range utf8.RuneLen(r) {
				out, offs = append(out, s.text[start+i+k]), append(offs, int32(start+i))
			}
		}
	}
	s.push(string(out), start, end, append(offs, int32(end)), Spaced)
}

// shortWord is the number of letters below which a turned word may as well be a word
// of its own, or an identifier: "dna", "ipa", "lla".
const shortWord = 4

// turned queues the lines of which a part reads as words of a language once it is turned.
func (s *Decoder) turned(turn func(string) string, how Disguise) {
	at := 0
	for line := range strings.Lines(s.text) {
		if s.reads(line, turn) {
			s.push(turn(line), at, at+len(line), nil, how)
		}
		at += len(line)
	}
}

// reads reports whether a line has at least two words that are words of a language only once
// they are turned, and whether they are most of the words from the first to the last of them.
func (s *Decoder) reads(line string, turn func(string) string) bool {
	turned, words, between := 0, 0, 0
	for word := range strings.FieldsFuncSeq(strings.ToLower(line), func(r rune) bool { return r < 'a' || r > 'z' }) {
		switch {
		case len(word) < shortWord:
			continue
		case !s.Known(word) && s.Known(turn(word)):
			turned, words, between = turned+1, words+between+1, 0
		case turned > 0:
			between++
		}
	}
	return turned > 1 && 2*turned >= words
}

// ToRot13 returns s with each ASCII letter replaced by the one 13 places further.
func ToRot13(s string) string {
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

// Backwards returns the characters of s in reverse order.
func Backwards(s string) string {
	r := []rune(s)
	slices.Reverse(r)
	return string(r)
}
