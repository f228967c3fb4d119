package scan

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

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
	if s.single >= minSpelled && s.seg.depth < maxDepth {
		s.together(s.apart, s.alone)
	}
	s.single = 0
}

// together queues text[start:end] without the separator between its characters;
// wider gaps become a space.
func (s *reader) together(start, end int) {
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
func (s *reader) apartGap(text string, i int, sep string, out *[]byte, offs *[]int32, start int) int {
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
